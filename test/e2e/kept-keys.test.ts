import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { runInProcess } from "../support/command-line.js";
import { digestExport } from "../support/directory-digest.js";
import { FaultyService } from "../support/faulty-service.js";
import { accepted } from "../support/reaction.js";
import { scratchDirectory } from "../support/scratch.js";

const cwd = join(scratchDirectory("kept-keys"), "run");
const note = /keys: those of (\d+) of (\d+) splits are known from validate/;

/** Rows of events `from` and after; the same event has the same row. */
function rowsOf(count: number, from = 0): string {
  const rows = Array.from({ length: count }, (_, offset) => {
    const index = from + offset;
    return {
      event_type: ["view", "buy"][index % 2],
      event_time: `2026-03-0${1 + (index % 3)} 10:00:00`,
      user_id: `u${index % 50}`,
      device_id: `d${index % 90}`,
      $insert_id: `i${index}`,
      event_properties: { index },
    };
  });
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

function run(...args: readonly string[]) {
  return runInProcess([...args, "in", "--preset", "amplitude"], { cwd });
}

async function exportTo(directory: string, ...args: readonly string[]) {
  const { exitCode, stderr, stdout } = await run("export", "--dedupe", "--to", directory, ...args);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return { known: note.exec(stderr)?.slice(1).map(Number), stdout };
}

/** Exports without what validate has left. */
async function exportAnew(directory: string, ...args: readonly string[]) {
  rmSync(join(cwd, "report"), { recursive: true });
  const { known } = await exportTo(directory, ...args);
  expect(known).toBeUndefined();
}

const digestsOf = (directory: string) => digestExport(join(cwd, directory));

beforeEach(() => {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(join(cwd, "in"), { recursive: true });
  writeFileSync(join(cwd, "in/a.jsonl"), rowsOf(400));
  writeFileSync(join(cwd, "in/b.jsonl.gz"), gzipSync(rowsOf(300, 200)));
});

describe("an export after a dry run", () => {
  it("uses the keys that were counted, and gives the same bytes as without", async () => {
    expect((await run("validate")).stdout).toContain("200 events");
    const { known, stdout } = await exportTo("out");
    expect(known).toEqual([1, 1]);
    expect(stdout).toContain("700 read = 500 delivered + 200 removed as duplicates");
    // The next one can use them too.
    expect((await exportTo("again")).known).toEqual([1, 1]);
    await exportAnew("anew");
    expect(digestsOf("out")).toEqual(digestsOf("anew"));
  });

  it("uses the keys of a dry run with --dedupe", async () => {
    await run("validate", "--dedupe", "day");
    expect((await exportTo("out")).known).toEqual([1, 1]);
    await exportAnew("anew");
    expect(digestsOf("out")).toEqual(digestsOf("anew"));
  });

  it.each<[string, () => void, readonly string[]]>([
    ["another file", () => appendFileSync(join(cwd, "in/a.jsonl"), rowsOf(50, 100)), []],
    ["another mapping", () => {}, ["--exclude-event", "buy"]],
    ["another key", () => {}, ["--dedupe", "by=userID,insertID"]],
    ["another range of days", () => {}, ["--from-time", "2026-03-02"]],
  ])("reads the keys itself for %s", async (_, change, args) => {
    await run("validate");
    change();
    expect((await exportTo("out", ...args)).known).toBeUndefined();
    await exportAnew("anew", ...args);
    expect(digestsOf("out")).toEqual(digestsOf("anew"));
  });

  it.each<[string, (path: string) => void]>([
    ["cut", (path) => writeFileSync(path, "SWK2")],
    ["missing", (path) => rmSync(path)],
  ])("reads the keys itself if the file is %s", async (_, damage) => {
    await run("validate");
    const directory = join(cwd, "report/keys");
    for (const name of readdirSync(directory)) {
      if (name.endsWith(".keys")) damage(join(directory, name));
    }
    await exportTo("out");
    await exportAnew("anew");
    expect(digestsOf("out")).toEqual(digestsOf("anew"));
  });

  it("has no keys of inputs without repeated events", async () => {
    await run("validate");
    expect(existsSync(join(cwd, "report/keys"))).toBe(true);
    rmSync(join(cwd, "in/b.jsonl.gz"));
    await run("validate");
    expect(existsSync(join(cwd, "report/keys"))).toBe(false);
  });
});

it("sending after a dry run uses its keys", async () => {
  await run("validate");
  const service = new FaultyService(() => accepted);
  const [to, secret] = [await service.listen(), "secret-0123456789"];
  const { stderr, exitCode } = await runInProcess(
    ["send", "in", "--preset", "amplitude", "--dedupe", "--to", to],
    { cwd, env: { SWITCHYARD_SERVER_SECRET: secret } },
  );
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(note.exec(stderr)?.slice(1)).toEqual(["1", "1"]);
  expect(service.stored.size).toBe(500);
});
