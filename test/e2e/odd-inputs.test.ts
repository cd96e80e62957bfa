import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { readDelivered } from "../support/delivered.js";
import { scratchDirectory } from "../support/scratch.js";

const scratch = scratchDirectory("odd-inputs");

async function exportOf(name: string, ...words: readonly string[]) {
  const out = join(scratch, `out-${name}`);
  const args = ["export", name, "--to", out, "--format", "jsonl", "--json", ...words];
  const { stdout, stderr } = await runInProcess(args, { cwd: scratch });
  if (stdout === "") return { stderr, users: [] as string[], result: undefined };
  const result = JSON.parse(stdout) as {
    readonly rows: { readonly read: number; readonly delivered: number };
    readonly notices: Readonly<Record<string, number>>;
  };
  const events = await readDelivered(join(out, "events"));
  const users = events.map(({ text }) => /"userID":"([^"]*)"/.exec(text)?.[1] ?? "");
  return { stderr, result, users: users.sort() };
}

const header = "event_type,event_time,user_id\n";
const mark = "\ufeff";
const time = "2026-01-31 10:00:00";
const lines = (from: number, to: number, line: (user: string) => string) =>
  Array.from({ length: to - from }, (_, index) =>
    line(`u${String(from + index).padStart(3, "0")}`),
  );
const csv = (from: number, to: number) => lines(from, to, (user) => `e,${time},${user}\n`).join("");
const quoted = (from: number, to: number) =>
  lines(from, to, (user) => `"e","${time}","${user}"\n`).join("");
const json = (from: number, to: number) =>
  lines(from, to, (user) => `{"event_type":"e","event_time":"${time}","user_id":"${user}"}\n`).join(
    "",
  );
const quotedHeader = '"event_type","event_time","user_id"\r\n';

test.each([
  ["csv", `${header}${csv(0, 40)}${header}${csv(40, 90)}${header}`, 2, 0],
  ["marks.csv", `${mark}${header}${csv(0, 40)}${mark}${header}${csv(40, 90)}`, 1, 1],
  [
    "quoted.csv",
    `${mark}${quotedHeader}${quoted(0, 40)}${mark}${quotedHeader}${quoted(40, 90)}`,
    1,
    1,
  ],
  ["ndjson", `${mark}${json(0, 40)}${mark}${json(40, 60)}${mark}${json(60, 90)}`, 0, 2],
  ["json", `[${json(0, 40)}]${mark}[${json(40, 90)}]`, 0, 1],
])("joined files are read as one: %s", async (name, text, headers, marks) => {
  const users = lines(0, 90, (user) => user);
  const expected = { header_repeated: headers, byte_order_mark_skipped: marks };
  const found = Object.fromEntries(Object.entries(expected).filter(([, count]) => count > 0));
  writeFileSync(join(scratch, `joined.${name}`), text);
  const whole = await exportOf(`joined.${name}`);
  expect(whole).toMatchObject({ users, result: { rows: { read: 90, delivered: 90 } } });
  expect(whole.result?.notices).toEqual(found);
  writeFileSync(join(scratch, `cut.${name}`), text);
  // About as long as ten rows, so that seams are where sources are cut.
  const cut = await exportOf(`cut.${name}`, "--split-size", "300");
  expect(cut).toMatchObject({ users, result: { notices: found } });
  const members = text.split(mark).map((part, index) => gzipSync(index === 0 ? part : mark + part));
  writeFileSync(join(scratch, `gz.${name}.gz`), Buffer.concat(members));
  expect(await exportOf(`gz.${name}.gz`)).toMatchObject({ users, result: { notices: found } });
});

test("validate tells of joined files", async () => {
  const { stdout } = await runInProcess(["validate", "joined.marks.csv", "--json"], {
    cwd: scratch,
  });
  expect(JSON.parse(stdout)).toMatchObject({
    rows: { read: 90 },
    findings: expect.arrayContaining([
      expect.objectContaining({
        code: "files_joined",
        title: "1 repeated header and 1 byte order mark inside of sources are skipped",
      }),
    ]),
  });
});

test("UTF-16 files are joined, too", async () => {
  const text = `${mark}${header}${csv(0, 40)}${mark}${header}${csv(40, 90)}`;
  writeFileSync(join(scratch, "utf16.csv"), Buffer.from(text, "utf16le"));
  const users = lines(0, 90, (user) => user);
  expect(await exportOf("utf16.csv")).toMatchObject({ users });
});

test("an object of rows by key is read row by row", async () => {
  const rows = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [
      `-K${index}`,
      { event_type: "e", event_time: time, user_id: `u${1000 + index}`, event_properties: [] },
    ]),
  );
  mkdirSync(join(scratch, "keyed"));
  writeFileSync(join(scratch, "keyed/rows.json"), JSON.stringify(rows, null, 2));
  const { users, result } = await exportOf("keyed");
  expect(result?.rows).toMatchObject({ read: 500, delivered: 500 });
  expect(users).toEqual(Array.from({ length: 500 }, (_, index) => `u${1000 + index}`));
});

test("files without events are left out with a note that says what they are", async () => {
  const directory = join(scratch, "beside");
  mkdirSync(join(directory, "more/_temporary"), { recursive: true });
  const put = (name: string, text: string) => writeFileSync(join(directory, name), text);
  put("a.csv", header + csv(0, 3));
  put("more/b.csv", header + csv(3, 5));
  const others = ["README.txt", "SHA256SUMS", "a.csv.md5", "manifest.json", "more/index.html"];
  for (const name of [...others, "_SUCCESS", "more/.DS_Store"]) put(name, "x, y\n");
  const { stderr, users } = await exportOf("beside");
  expect(users).toEqual(["u000", "u001", "u002", "u003", "u004"]);
  const notes = [
    "manifests beside/manifest.json",
    "checksums beside/SHA256SUMS, beside/a.csv.md5",
    "markers beside/_SUCCESS",
    "documents beside/README.txt, beside/more/index.html",
    "files of desktops beside/more/.DS_Store",
    "hidden names beside/more/_temporary",
  ];
  expect(stderr).toContain(`skipped (no events): ${notes.join("; ")}`);
});

test("persons of PostHog beside its events are left out, in every format", async () => {
  const directory = join(scratch, "posthog");
  mkdirSync(join(directory, "b"), { recursive: true });
  const put = (name: string, bytes: string | Buffer) => writeFileSync(join(directory, name), bytes);
  const event = (user: string) =>
    `${JSON.stringify({ event: "e", distinct_id: user, timestamp: "2026-01-31T10:00:00Z", uuid: user, person_id: "p" })}\n`;
  put("events.jsonl", lines(0, 5, event).join(""));
  const properties = { long: "x".repeat(20_000) };
  const person = { team_id: 1, distinct_id: "d", person_id: "p", properties, person_version: 1 };
  put("a.jsonl.gz", gzipSync(`${JSON.stringify(person)}\n`.repeat(3)));
  put("a.csv", "team_id,distinct_id,person_id,properties,person_version\n1,d,p,{},1\n");
  put("b/2026_manifest.json", '{"files": ["events.jsonl"]}');
  const database = await (await DuckDBInstance.create(":memory:")).connect();
  const columns = "1 team_id, 'd' distinct_id, 'p' person_id, '{}' properties, 1 person_version";
  await database.run(`copy (select ${columns}) to '${directory}/b/a.parquet' (format parquet)`);
  database.closeSync();
  const { stderr, result } = await exportOf("posthog", "--preset", "posthog");
  expect(result?.rows).toMatchObject({ read: 5, delivered: 5, rejected: 0 });
  expect(stderr).toContain(
    "skipped (no events): files of persons posthog/a.csv, posthog/a.jsonl.gz, posthog/b/a.parquet; manifests posthog/b/2026_manifest.json",
  );
});

test("a file without events that is named is an error, and so is nothing else", async () => {
  mkdirSync(join(scratch, "nothing"));
  writeFileSync(join(scratch, "nothing/a.md5"), "d41d8cd98f00b204e9800998ecf8427e\n");
  const named = await runInProcess(["export", "nothing/a.md5", "--to", "out-md5"], {
    cwd: scratch,
  });
  expect(named.exitCode).toBe(1);
  expect(named.stdout + named.stderr).toContain(
    "nothing/a.md5: the file is a checksum and holds no events. Leave it out, or pass --input-format to read its rows.",
  );
  const empty = await runInProcess(["export", "nothing", "--to", "out-nothing"], { cwd: scratch });
  expect(empty.exitCode).toBe(2);
  expect(empty.stderr).toContain("no input holds events: checksums nothing/a.md5.");
  writeFileSync(join(scratch, "README"), header + csv(0, 3));
  const given = await exportOf("README", "--input-format", "csv");
  expect(given.users).toHaveLength(3);
});

test("a bucket of Amplitude: merged ids and markers beside the events are no rejects", async () => {
  const directory = join(scratch, "bucket/100");
  mkdirSync(directory, { recursive: true });
  const put = (name: string, rows: readonly object[]) =>
    writeFileSync(
      join(directory, name),
      gzipSync(rows.map((one) => `${JSON.stringify(one)}\n`).join("")),
    );
  const events = Array.from({ length: 5 }, (_, index) => ({
    event_type: "e",
    event_time: time,
    user_id: `u${index}`,
  }));
  put("100_2026-01-31_7#0.json.gz", events);
  const merge = { scope: 7, merge_time: 1, merge_server_time: 1, amplitude_id: 1 };
  put("-100_2026-01-31_7.json.gz", Array(3).fill({ ...merge, merged_amplitude_id: 2 }));
  put("-100_2026-01-31_17.json.gz", Array(3).fill({ ...merge, merged_amplitude_id: 2 }));
  writeFileSync(join(directory, "100_2026-01-31_8.complete"), "");
  writeFileSync(join(directory, "100_2026-01-31_9_complete"), "2026-01-31T09:00:00Z\n");
  const { users, result, stderr } = await exportOf("bucket");
  expect(result?.rows).toMatchObject({ read: 5, delivered: 5, rejected: 0 });
  expect(users).toHaveLength(5);
  expect(stderr).toContain(
    "skipped (no events): files of merged ids bucket/100/-100_2026-01-31_17.json.gz, bucket/100/-100_2026-01-31_7.json.gz; markers bucket/100/100_2026-01-31_9_complete",
  );
});

test("a document that is named, and an error page in place of data, are errors", async () => {
  const page = "<!doctype html>\n<title>Sign in</title>\n";
  const texts = {
    "page.csv": "the file is an HTML page (Sign in), not data. Download the file again.",
    "report.html": "the file is a document and holds no events. Leave it out",
  };
  for (const [name, text] of Object.entries(texts)) {
    writeFileSync(join(scratch, name), page);
    writeFileSync(join(scratch, "fine.csv"), header + csv(0, 3));
    const words = ["export", "fine.csv", name, "--to", `out-${name}`, "--format", "jsonl"];
    const { exitCode, stdout, stderr } = await runInProcess(words, { cwd: scratch });
    expect(exitCode).toBe(1);
    expect(stdout + stderr).toContain(`${name}: ${text}`);
  }
});

test("CSV in another encoding is refused with the option that reads it, and read with it", async () => {
  const rows = lines(0, 60, (user) => `e,${time},Müller${user}\n`).join("");
  writeFileSync(join(scratch, "latin.csv"), Buffer.from(header + rows, "latin1"));
  const refused = await exportOf("latin.csv");
  expect(refused.users).toEqual([]);
  expect(refused.stderr).toMatch(/latin\.csv: its text is not UTF-8: pass --csv-dialect encoding=/);
  const words = ["--csv-dialect", "encoding=windows-1252", "--fresh"];
  const { users } = await exportOf("latin.csv", ...words);
  expect(users).toEqual(lines(0, 60, (user) => `Müller${user}`));
});

test("rows of a data feed are UTF-8 or windows-1252, and are counted", async () => {
  const cells = lines(0, 90, (user) => `e\t${time}\tMüller${user}\n`);
  const text = (from: number, to: number) => cells.slice(from, to).join("");
  const mixed = Buffer.concat([
    Buffer.from(header.replaceAll(",", "\t") + text(0, 30)),
    Buffer.from(text(30, 60), "latin1"),
    Buffer.from(text(60, 90)),
  ]);
  const users = lines(0, 90, (user) => `Müller${user}`);
  writeFileSync(join(scratch, "hit_data.tsv"), mixed);
  writeFileSync(join(scratch, "feed.tsv.gz"), gzipSync(mixed));
  const found = { users, result: { rows: { rejected: 0 }, notices: { row_recoded: 30 } } };
  expect(await exportOf("hit_data.tsv")).toMatchObject(found);
  expect(await exportOf("hit_data.tsv", "--split-size", "500", "--fresh")).toMatchObject(found);
  expect(await exportOf("feed.tsv.gz", "--csv-dialect", "adobe")).toMatchObject(found);
  const other = ["--csv-dialect", "encoding=mixed", "--fresh"];
  expect(await exportOf("feed.tsv.gz", ...other)).toMatchObject(found);
  const plain = await exportOf("hit_data.tsv", "--csv-dialect", "encoding=utf-8", "--fresh");
  expect(plain.result?.rows).toMatchObject({ rejected: 30 });
});

test("CSV with several characters between the cells is read, and its rejects again", async () => {
  const rows = lines(0, 20, (user) => `e||${time}||"${user}"\n`);
  rows[3] = 'e||2026-02-31||"u||003"\n';
  rows[7] = `e||"${time}"x||u007\n`;
  const text = (header + rows.join("")).replaceAll(/^event.*$/gm, (line) =>
    line.replaceAll(",", "||"),
  );
  writeFileSync(join(scratch, "pipes.csv"), text);
  const first = await exportOf("pipes.csv", "--csv-dialect", "delimiter=||");
  expect(first.result?.rows).toMatchObject({ read: 20, delivered: 18, rejected: 2 });
  const rejects = join("out-pipes.csv", "rejects");
  const again = await exportOf(rejects, "--preset", "amplitude");
  expect(again.result?.rows).toMatchObject({ read: 2, rejected: 2 });
});

test.runIf(process.platform === "linux")(
  "a name that is not UTF-8 is told with what to do, and a broken link fails alone",
  async () => {
    const cwd = scratchDirectory("odd-names");
    mkdirSync(join(cwd, "in"));
    writeFileSync(join(cwd, "in/a.jsonl"), json(0, 2));
    const odd = Buffer.concat([Buffer.from(join(cwd, "in/caf")), Buffer.from([0xe9])]);
    copyFileSync(join(cwd, "in/a.jsonl"), odd);
    symlinkSync("nowhere", join(cwd, "in/link.jsonl"));
    const validated = await runInProcess(["validate", "in"], { cwd });
    expect(validated).toMatchObject({ exitCode: 1 });
    const reasons = [
      "in/caf\ufffd: the name is not UTF-8, so that it cannot be opened. Rename it.",
      "in/link.jsonl: the file does not exist.",
    ];
    for (const reason of reasons) expect(validated.stdout + validated.stderr).toContain(reason);
    const named = await runInProcess(["validate", "in/caf\ufffd"], { cwd });
    expect(named.stderr).toContain("the name is not UTF-8, so that it cannot be opened");
    rmSync(odd);
  },
);
