import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { readDelivered } from "../support/delivered.js";
import { scratchDirectory } from "../support/scratch.js";
import { startTestService } from "../support/service.js";

/** JSON of a property named like an id that the row does not give, and of what is delivered of it. */
const properties: readonly (readonly [given: string, delivered: string | undefined])[] = [
  ['"text"', '"text"'],
  ["12345678901234567890", '"12345678901234567890"'],
  ["1.50", '"1.50"'],
  ["false", '"false"'],
  ['{"a":[1]}', '"{\\"a\\":[1]}"'],
  ["null", undefined],
];

const names = ["userID", "stableID"] as const;

function rowOf(index: number, name: (typeof names)[number], value: string): string {
  const id = name === "userID" ? '"device_id":"given"' : '"user_id":"given"';
  return `{"event_type":"${name} ${index}","event_time":"2026-01-31 12:00:00",${id},"user_properties":{"${name}":${value},"plan":"free"}}`;
}

function userOf(name: (typeof names)[number], delivered: string | undefined): string {
  const given = name === "userID" ? '"stableID":"given"' : '"userID":"given"';
  return `{${[given, ...(delivered === undefined ? [] : [`"${name}":${delivered}`])].join(",")},"plan":"free"}`;
}

it("delivers an event whose properties are named like ids to files and to the service alike", async () => {
  const directory = scratchDirectory("id-properties");
  const cases = names.flatMap((name) =>
    properties.map(([given, delivered], index) => ({
      event: `${name} ${index}`,
      row: rowOf(index, name, given),
      user: userOf(name, delivered),
    })),
  );
  writeFileSync(join(directory, "rows.jsonl"), cases.map(({ row }) => `${row}\n`).join(""));
  const expected = Object.fromEntries(cases.map(({ event, user }) => [event, user]));
  const service = await startTestService();
  try {
    const url = await service.app.http.listen({ host: "127.0.0.1", port: 0 });
    const sent = await runInProcess(["send", "rows.jsonl", "--to", url, "--json"], {
      cwd: directory,
      env: { SWITCHYARD_SERVER_SECRET: service.keys.server },
    });
    expect(sent.exitCode, sent.stderr).toBe(0);
    const { json } = await service.call<{ event: string; user: object }[]>({ path: "/v1/events" });
    expect(Object.fromEntries(json.data.map(({ event, user }) => [event, user]))).toEqual(
      Object.fromEntries(cases.map(({ event, user }) => [event, JSON.parse(user)])),
    );
  } finally {
    await service.close();
  }
  const words = ["export", "rows.jsonl", "--to", "out", "--format", "jsonl", "--json"];
  const exported = await runInProcess(words, { cwd: directory });
  expect(exported.exitCode, exported.stderr).toBe(0);
  const events = await readDelivered(join(directory, "out", "events"));
  const users = events.map(({ text }) => {
    const [, event = "", user = ""] =
      /"event":"([^"]*)",.*?"user":(\{.*?"plan":"free"\})/.exec(text) ?? [];
    return [event, user];
  });
  expect(Object.fromEntries(users)).toEqual(expected);
  // All but text and null, of both names.
  expect(JSON.parse(exported.stdout).notices).toEqual({ id_property_made_text: 8 });
});
