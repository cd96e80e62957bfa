import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { fakeContext } from "../support/fake-context.js";
import { scratchDirectory } from "../support/scratch.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;
let url: string;
const scratch = scratchDirectory("entities");
const directory = join(scratch, "entities");

beforeAll(async () => {
  service = await startTestService();
  url = await service.app.http.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => service.close());

async function run(command: "export" | "import", place: string, ...words: readonly string[]) {
  const { context, stdout, stderr } = fakeContext();
  const environment = { SWITCHYARD_CONSOLE_KEY: service.keys.console };
  const line = ["console", command, place, "--console", url, ...words];
  const exitCode = await runCommandLine(line, { ...context, environment });
  return { exitCode, stdout: stdout.join(""), stderr: stderr.join("") };
}

const fileOf = (name: string) => join(directory, name);
const write = (name: string, content: unknown) =>
  writeFileSync(fileOf(name), typeof content === "string" ? content : JSON.stringify(content));
const read = (name: string) => JSON.parse(readFileSync(fileOf(name), "utf8"));

describe("console export and import", () => {
  it("keep the entities of a console in files", async () => {
    await service.call({
      method: "POST",
      path: "/console/v1/gates",
      body: { name: "A Gate", tags: ["b"] },
    });
    expect(await run("export", directory)).toEqual({
      exitCode: 0,
      stdout: `${directory}: 2 files written, 0 unchanged, 0 removed\n`,
      stderr: "",
    });
    expect(readdirSync(directory).sort()).toEqual(["environments.json", "gates"]);
    expect(readFileSync(fileOf("gates/a_gate.json"), "utf8")).toMatch(
      /^{\n {2}"id": "a_gate",\n {2}"name": "A Gate",\n/,
    );
    expect(read("gates/a_gate.json")).not.toHaveProperty("createdTime");
    expect((await run("export", directory)).stdout).toContain(": 0 files written, 2 unchanged");
  });

  it("show a plan, apply it, and change nothing the second time", async () => {
    write("gates/a_gate.json", { ...read("gates/a_gate.json"), tags: ["a"], status: "Launched" });
    mkdirSync(fileOf("segments"));
    write("segments/beta.json", { id: "beta", name: "beta", type: "id_list", ids: ["u2", "u1"] });
    const plan = await run("import", directory, "--dry-run");
    expect(plan).toMatchObject({ exitCode: 0, stderr: "" });
    expect(plan.stdout).toBe(
      [
        `Entities of ${directory} at ${url}`,
        "  create    segments beta",
        "  change    gates a_gate",
        '            tags: ["b"] -> ["a"]',
        '            status: "In Progress" -> "Launched"',
        "1 to create, 1 to change, 0 to remove, 1 unchanged, 0 refused",
        "Nothing was sent. Run the same command without --dry-run to apply it.\n",
      ].join("\n"),
    );
    const applied = await run("import", directory);
    expect(applied).toMatchObject({ exitCode: 0 });
    expect(applied.stdout).toContain("2 of 2 applied.");
    expect((await run("import", directory)).stdout).toContain("Nothing to do.");
    const { json } = await service.call({ path: "/console/v1/segments/beta/id_list" });
    expect(json.data).toEqual(["u1", "u2"]);
  });

  it("name the file and the key of each fault, and apply the other files", async () => {
    write("gates/bad.json", { id: "bad_gate", name: "Bad", isEnabled: "yes" });
    write("gates/cut.json", '{"id":');
    write("gates/odd.json", { id: "odd", name: "Odd gate", tag: ["a"] });
    write("gates/same.json", { id: "a_gate", name: "A Gate" });
    write("gates/none.json", { name: "None" });
    write("segments/beta.json", { ...read("segments/beta.json"), type: "rule_based", tags: ["x"] });
    const { exitCode, stdout } = await run("import", directory, "--json");
    expect(exitCode).toBe(1);
    const result = JSON.parse(stdout);
    const refused = result.plan.filter(({ action }: { action: string }) => action === "refused");
    expect(
      refused.map(({ file, reasons }: { file: string; reasons: string[] }) => [file, ...reasons]),
    ).toEqual([
      ["gates/bad.json", "isEnabled: Expected boolean, received string"],
      ["gates/cut.json", expect.stringMatching(/^not valid JSON: /)],
      ["gates/none.json", "id: Required, a text"],
      ["gates/odd.json", "tag: unknown; did you mean tags?"],
      ["gates/same.json", "gates/a_gate.json has the same id"],
    ]);
    expect(result.failed).toEqual([
      {
        kind: "segments",
        name: "beta",
        message: expect.stringContaining("type: The type of a segment cannot change"),
      },
    ]);
    for (const name of ["bad", "cut", "none", "odd", "same"]) rmSync(fileOf(`gates/${name}.json`));
  });

  it("refuse fields that the API takes at the creation only", async () => {
    write("gates/a_gate.json", { ...read("gates/a_gate.json"), holdoutIDs: ["h"] });
    const { stdout } = await run("import", directory, "--dry-run");
    expect(stdout).toContain(
      "  refused   gates a_gate (gates/a_gate.json): holdoutIDs: cannot be changed after the creation",
    );
  });

  it("archive or remove what has no file with --prune only", async () => {
    await service.call({ method: "POST", path: "/console/v1/tags", body: { name: "old" } });
    await run("export", directory);
    rmSync(fileOf("tags/old.json"));
    rmSync(fileOf("gates/a_gate.json"));
    expect((await run("import", directory)).stdout).toContain("Nothing to do.");
    const { stdout } = await run("import", directory, "--prune");
    expect(stdout).toContain("  remove    gates a_gate\n  remove    tags old\n");
    expect(stdout).toContain("2 of 2 applied.");
    const { json } = await service.call({ path: "/console/v1/gates/a_gate" });
    expect(json.data).toMatchObject({ status: "Archived" });
    expect((await service.call({ path: "/console/v1/tags/old" })).status).toBe(404);
    expect((await run("import", directory, "--prune")).stdout).toContain("Nothing to do.");
    expect((await run("export", directory, "--json")).stdout).toMatch(/"written":1,.*"removed":0/);
  });

  it("read all entities from one file", async () => {
    const file = join(scratch, "all.json");
    writeFileSync(file, JSON.stringify({ gates: [{ id: "one", name: "one" }, { id: 2 }] }));
    expect((await run("import", file, "--dry-run")).stdout).toContain(
      "  create    gates one\n  refused   gates all.json: gates[1]: id: Required, a text\n",
    );
    const bad = async (content: string) => {
      writeFileSync(file, content);
      return (await run("import", file)).stderr;
    };
    expect(await bad('{"gate": []}')).toContain(
      "all.json: gate is not a kind of entities; did you mean gates?; known: environments,",
    );
    expect(await bad("[]")).toContain("must have one JSON object");
    expect(await bad("{")).toContain("is not valid JSON");
  });

  it("refuse directories that are not of entities", async () => {
    const other = join(scratch, "other");
    mkdirSync(join(other, "gate"), { recursive: true });
    expect(await run("import", other)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("other/gate is not a kind of entities; did you mean gates?"),
    });
    expect(await run("export", other)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("other has other files (gate): pass an empty or a new"),
    });
    expect(await run("import", join(scratch, "none"))).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("entities_missing"),
    });
  });
});

describe("console audit", () => {
  const audit = async (...words: readonly string[]) => {
    const { context, stdout, stderr } = fakeContext();
    const environment = { SWITCHYARD_CONSOLE_KEY: service.keys.console };
    const line = ["console", "audit", "--console", url, ...words];
    const exitCode = await runCommandLine(line, { ...context, environment });
    return { exitCode, stdout: stdout.join(""), stderr: stderr.join("") };
  };

  it("prints every entry, newest first, as JSON lines or CSV", async () => {
    const tags = "/console/v1/tags";
    await service.call({ method: "POST", path: tags, body: { name: 'a "tag", or two' } });
    const { json } = await service.call<readonly object[]>({
      path: "/console/v1/audit_logs?limit=1000",
    });
    const printed = await audit("--to", "2100-01-01");
    expect(printed).toMatchObject({ exitCode: 0, stderr: "" });
    const lines = printed.stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(json.data);
    const csv = (await audit("--csv", "--to", "2100-01-01")).stdout.trimEnd().split("\r\n");
    expect(csv[0]).toBe(Object.keys(json.data?.[0] ?? {}).join(","));
    expect(csv[1]).toContain(',"a ""tag"", or two",');
    expect(csv).toHaveLength(lines.length + 1);
    // Up to now, by default.
    expect((await audit()).stdout).toBe(printed.stdout);
    expect((await audit("--from", "2100-01-01", "--to", "2101-01-01")).stdout).toBe("");
  });

  it("names what is wrong with a time", async () => {
    const { exitCode, stderr } = await audit("--from", "yesterday");
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('received "yesterday"');
  });
});
