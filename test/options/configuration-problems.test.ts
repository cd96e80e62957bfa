import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { presetNames } from "../../src/mapper/presets.js";
import { loadConfiguration } from "../../src/options/configuration.js";
import { scratchDirectory } from "../support/scratch.js";

const directory = scratchDirectory("problems");
const file = join(directory, "pipeline.config.json");

/** Everything that is said against a file, without its directory. */
async function problemsOf(text: string): Promise<readonly string[]> {
  writeFileSync(file, text);
  const loading = loadConfiguration({
    flags: {},
    environment: {},
    configPath: undefined,
    currentDirectory: directory,
  });
  const message = await loading.then(
    () => "",
    (error: Error) => error.message,
  );
  return message
    .replace(/^The configuration is not valid:(?: |\n {2})/, "")
    .replaceAll("pipeline.config.json:", "")
    .split("\n  ");
}

const zoneOf = (zone: string) =>
  `{ "mapping": { "timestamp": { "field": "t", "zone": ${JSON.stringify(zone)} } } }`;

test.each([
  [
    "PST8",
    '1:45: mapping.timestamp.zone: "PST8" is not an IANA zone; did you mean "America/Los_Angeles"?',
  ],
  [
    "CEST",
    '1:45: mapping.timestamp.zone: "CEST" is not an IANA zone; did you mean "Europe/Berlin"?',
  ],
  [
    "tokyo",
    '1:45: mapping.timestamp.zone: "tokyo" is not an IANA zone; did you mean "Asia/Tokyo"?',
  ],
  [
    "GMT+25",
    '1:45: mapping.timestamp.zone: "GMT+25" is not an IANA zone: give a name such as "Europe/Berlin", "UTC", or an offset such as "+05:30"',
  ],
])(
  "the zone %s is refused at its position, with the one that may be meant",
  async (zone, problem) => {
    expect(await problemsOf(zoneOf(zone))).toEqual([problem]);
  },
);

test.each(["GMT+2", "UTC", "europe/berlin", "EST5EDT", "-0800"])(
  "the zone %s is taken",
  async (zone) => {
    expect(await problemsOf(zoneOf(zone))).toEqual([""]);
  },
);

test.each([
  ["seconds", 'it has no year. Did you mean "s"?'],
  ["iso8601", 'it has no year. Did you mean "auto"?'],
  ["YYYY-MM-DD HH:mm:ss", 'Y is not a token of Luxon. Did you mean "yyyy-MM-dd HH:mm:ss"?'],
  ["%d/%m/%Y %H:%M", 'Y is not a token of Luxon. Did you mean "dd/MM/yyyy HH:mm"?'],
  [
    "HH:mm",
    "it has no year. Use auto, s, ms, us, ns, or a pattern of Luxon's tokens such as yyyy-MM-dd HH:mm",
  ],
])("the time format %s is refused at its position", async (format, reason) => {
  const text = `{ "mapping": { "timestamp": { "field": "t", "format": "${format}" } } }`;
  const words = `The time format "${format}" cannot be used: ${reason}`;
  expect(await problemsOf(text)).toEqual([`1:45: mapping.timestamp.format: ${words}`]);
});

test("problems of the mapping come with all the others, line by line", async () => {
  const text = [
    "// A file with a problem on nearly every line.",
    "{",
    '  "preset": "amplitud", /* and',
    '  a comment */ "threads": 4,',
    '  "mapping": {',
    '    "timestamp": [',
    '      "event_time",',
    '      { "field": "t", "zone": "EDT", "format": "unix" },',
    "    ],",
    '    "event": null,',
    '    "metadata": { "fields": ["a.x", { "field": "b.x" }, { "field": ["c", "d.e"], "name": "x" }] },',
    '    "usr": "u",',
    "  },",
    '  "to": "out",',
    '  "export": { "day_zone": "UTC", "port": 1 },',
    "}",
  ].join("\n");
  expect(await problemsOf(text)).toEqual([
    `3:3: preset: must be one of ${presetNames.join(", ")} (got "amplitud"); did you mean amplitude?`,
    "4:16: threads: unknown key; did you mean export.threads?",
    '8:23: mapping.timestamp[1].zone: "EDT" is not an IANA zone; did you mean "America/New_York"?',
    '8:38: mapping.timestamp[1].format: The time format "unix" cannot be used: it has no year. Did you mean "s"?',
    "10:5: mapping.event: every event needs it; name its field, or leave out the key to use the preset's",
    '11:37: mapping.metadata.fields[1]: is the second field named "x"; give one of them another name',
    '11:57: mapping.metadata.fields[2]: is the second field named "x"; give one of them another name',
    "12:5: mapping.usr: unknown key; did you mean user?",
    "14:3: to: unknown key; did you mean fetch.to or export.to or send.to?",
    "15:15: export.day_zone: unknown key; did you mean dayZone?",
    "15:34: export.port: unknown key; did you mean serve.listen?",
  ]);
});

test("a duplicate key is refused with both positions", async () => {
  const text = '{\n  "export": { "to": "a" },\n  "export": { "to": "b", "\\u0074o": "c" }\n}';
  expect(await problemsOf(text)).toEqual([
    '3:3: export: duplicate key "export" (first at 2:3); remove one',
    '3:26: export.to: duplicate key "to" (first at 3:15); remove one',
  ]);
});

test("lists within lists without end are refused like any other value", async () => {
  const text = `{ "steps": ${"[".repeat(2_000)}${"]".repeat(2_000)} }`;
  expect((await problemsOf(text))[0]).toMatch(/^1:13: steps\[0\]: must be/);
});

test.each([
  ['{ "steps": ["export", "fetch"] }', "1:3: steps: must begin with fetch"],
  ['{ "steps": ["ready", "export"] }', "1:3: steps: must have ready after export and verify"],
  ["null", "1:1: must be an object (got null)"],
  ["  [1, {}]", "1:3: must be an object (got [1,{}])"],
  ['"text"', '1:1: must be an object (got "text")'],
  ['{ "mapping": [] }', "1:3: mapping: must be an object (got [])"],
  [
    '{ "mapping": { "metadata": { "fields": "x" } } }',
    '1:30: mapping.metadata.fields: must be a list (got "x")',
  ],
  ['{ "inputs": "a" }', '1:3: inputs: must be a list (got "a")'],
  ['{ "inputs": [1] }', "1:14: inputs[0]: must be a string (got 1)"],
  [
    '{ "$schema": 5, "hash": ["userid"] }',
    expect.stringContaining("1:3: $schema: must be a string"),
  ],
  ['{ "__proto__": {}, "constructor": 1 }', "1:3: __proto__: unknown key"],
])("of %s the problem has its position", async (text, problem) => {
  expect((await problemsOf(text))[0]).toEqual(problem);
});
