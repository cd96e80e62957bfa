import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyFixes } from "../../src/migration/apply-fixes.js";
import type { Finding } from "../../src/profile/report.js";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("apply-fixes");

function finding(target: string, isSafe: boolean): Finding {
  return {
    code: "time_unit_seconds",
    severity: "error",
    title: "",
    detail: "",
    rows: 1,
    fix: { path: ["mapping", target], value: `new ${target}`, line: `"${target}"`, isSafe },
  };
}

const findings = [finding("timestamp", true), finding("userID", false)];

async function apply(name: string, text: string | undefined, preset?: "mixpanel") {
  const directory = join(root, name);
  await mkdir(directory, { recursive: true });
  const file = join(directory, "pipeline.config.json");
  if (text !== undefined) await writeFile(file, text);
  const shown: string[] = [];
  const run = () =>
    applyFixes(
      findings,
      {
        values: preset === undefined ? {} : { preset },
        directory,
        fileName: text === undefined ? undefined : "pipeline.config.json",
      },
      (line) => shown.push(line),
    );
  return { directory, file, shown, run, read: () => readFile(file, "utf8") };
}

describe("safe fixes", () => {
  it("are shown and written, others are not", async () => {
    const { run, read, shown, directory } = await apply(
      "changed",
      '{ "mapping": { "timestamp": "old" } } // ours\n',
    );
    expect((await run()).changes).toHaveLength(1);
    expect(await read()).toBe('{ "mapping": { "timestamp": "new timestamp" } } // ours\n');
    expect(shown).toEqual([
      "Changes of pipeline.config.json:",
      '  - "mapping": {"timestamp": "old"}',
      '  + "mapping": {"timestamp": "new timestamp"}',
    ]);
    expect(await readdir(directory)).toEqual(["pipeline.config.json"]);
  });

  it("are written once; the second time changes nothing", async () => {
    const { run, read, file } = await apply("twice", "{}");
    await run();
    const [text, { ino }] = [await read(), await stat(file)];
    expect((await run()).changes).toEqual([]);
    expect([await read(), (await stat(file)).ino]).toEqual([text, ino]);
  });

  it("create a missing file with the preset that they were found with", async () => {
    const { run, read } = await apply("new", undefined, "mixpanel");
    await run();
    expect(JSON.parse(await read())).toEqual({
      preset: "mixpanel",
      mapping: { timestamp: "new timestamp" },
    });
  });

  it("do not change a file that cannot be edited", async () => {
    const { run, read, shown, directory } = await apply("json5", "{ mapping: {} }");
    await expect(run()).rejects.toMatchObject({ code: "configuration_not_editable" });
    expect(await read()).toBe("{ mapping: {} }");
    expect(shown).toEqual([]);
    expect(await readdir(directory)).toEqual(["pipeline.config.json"]);
  });

  it("keep a link and the permissions of the file", async () => {
    const { file, directory } = await apply("link", undefined);
    const real = join(directory, "real.json");
    await writeFile(real, "{}");
    await chmod(real, 0o600);
    await symlink(real, file);
    await applyFixes(findings, { values: {}, directory, fileName: file }, () => undefined);
    expect(JSON.parse(await readFile(real, "utf8"))).toHaveProperty("mapping");
    expect((await stat(real)).mode & 0o777).toBe(0o600);
  });

  it("that cannot be written are an error, and leave no temporary file", async () => {
    const { run, directory } = await apply("gone", undefined);
    await mkdir(join(directory, "pipeline.config.json"));
    await expect(run()).rejects.toMatchObject({ code: "configuration_unwritable" });
    expect(await readdir(directory)).toEqual(["pipeline.config.json"]);
  });
});

it("nothing is written if nothing is safe", async () => {
  const { directory } = await apply("unsafe", undefined);
  const applied = await applyFixes(
    [finding("userID", false)],
    { values: {}, directory, fileName: undefined },
    () => undefined,
  );
  expect(applied.changes).toEqual([]);
  expect(await readdir(directory)).toEqual([]);
});
