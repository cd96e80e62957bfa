import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { takeLockFile } from "../../src/base/lock-file.js";
import { runDoctor } from "../../src/commands/run-doctor.js";
import { type SystemFacts, thisSystem } from "../../src/doctor/system-facts.js";
import { runInProcess } from "../support/command-line.js";
import { fakeContext } from "../support/fake-context.js";
import { writeAmplitudeRows } from "../support/generated-input.js";
import { withoutPrivileges } from "../support/privileges.js";
import { scratchDirectory } from "../support/scratch.js";
import { startTestService, type TestService } from "../support/service.js";

const scratch = scratchDirectory("doctor");

interface Diagnosed {
  readonly exitCode: number | null;
  readonly checks: readonly { name: string; state: string; message: string; code?: string }[];
  readonly options: readonly { name: string; value: unknown; from: string }[];
}

/** A directory with rows in `in` and the given files. */
function directoryWith(name: string, files: Readonly<Record<string, string>> = {}): string {
  const cwd = join(scratch, name);
  mkdirSync(join(cwd, "in"), { recursive: true });
  writeAmplitudeRows(join(cwd, "in/rows.jsonl"), 50, 2);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text);
  return cwd;
}

async function diagnose(
  cwd: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Diagnosed> {
  const { exitCode, stdout } = await runInProcess(["doctor", ...words, "--json"], { cwd, env });
  return { ...(JSON.parse(stdout) as Diagnosed), exitCode };
}

/** Runs the checks with other facts of the system. */
async function diagnoseOn(
  cwd: string,
  facts: Partial<SystemFacts>,
  more: { readonly limit?: number } = {},
): Promise<Diagnosed> {
  const { context, stdout } = fakeContext({}, { currentDirectory: cwd });
  const flags = { inputs: ["in"], to: "out", json: true, ...more };
  const system = { ...thisSystem(), ...facts };
  const exitCode = await runDoctor({ flags, configPath: undefined }, context, system);
  return { ...(JSON.parse(stdout.join("")) as Diagnosed), exitCode };
}

const failures = ({ checks }: Diagnosed) =>
  checks.filter(({ state }) => state === "failed").map(({ name, code }) => [name, code]);

const find = ({ checks }: Diagnosed, name: string) => checks.filter((one) => one.name === name);

test("everything is checked for an export, and nothing is left behind", async () => {
  const cwd = directoryWith("export");
  const diagnosed = await diagnose(cwd, ["in", "--to", "deep/out", "--threads", "1"]);
  expect([diagnosed.exitCode, failures(diagnosed)]).toEqual([0, []]);
  const names = diagnosed.checks.map(({ name }) => name);
  expect(names.filter((name) => name !== "open files")).toEqual([
    "configuration",
    "node",
    "memory",
    "mapping",
    "inputs",
    "space",
    "output",
    "temporary",
  ]);
  expect(find(diagnosed, "inputs")[0]?.message).toMatch(/^1 file, [\d.]+ kB: ndjson$/);
  expect(readdirSync(cwd)).toEqual(["in"]);
});

test("a summary has a line for each check, the given options, and no colour for programs", async () => {
  const cwd = directoryWith("summary");
  const { exitCode, stdout, stderr } = await runInProcess(["doctor", "in", "--to", "out"], { cwd });
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^ {2}ok {8}configuration: no file; 2 options given/);
  expect(stdout).toContain("  ok        output: ");
  expect(stdout).toContain(`  export.to = "out" from --to\n`);
  expect(stdout).toMatch(/Nothing failed: \d+ checks, 0 warnings\n$/);
  const quiet = await runInProcess(["doctor", "in", "--to", "/proc/x", "--quiet"], { cwd });
  expect(quiet.stdout).toMatch(/^ {2}failed.*(\n {2}failed.*)*\n$/);
  expect(quiet.exitCode).toBe(1);
});

test("each option has its origin: command line, variable, file, default", async () => {
  const cwd = directoryWith("origins", {
    "pipeline.config.json":
      '{\n  "inputs": ["in"],\n  "export": { "to": "out", "format": "csv" }\n}',
  });
  const env = {
    SWITCHYARD_SPLIT_SIZE: "1MiB",
    SWITCHYARD_QUEUE: "redis://user:hunter2@127.0.0.1:9",
    SWITCHYARD_NOTIFY: "https://hooks.example.com/T0/token",
  };
  const diagnosed = await diagnose(cwd, ["--threads", "1"], env);
  const origins = new Map(diagnosed.options.map(({ name, value, from }) => [name, [value, from]]));
  expect(origins.get("export.to")).toEqual(["out", "pipeline.config.json:3:15"]);
  expect(origins.get("inputs")).toEqual([["in"], "pipeline.config.json:2:3"]);
  expect(origins.get("export.threads")).toEqual([1, "--threads"]);
  expect(origins.get("export.splitSize")).toEqual(["1MiB", "SWITCHYARD_SPLIT_SIZE"]);
  expect(origins.get("export.partSize")).toEqual(["128MiB", "default"]);
  expect(origins.get("export.queue")?.[0]).toBe("redis://127.0.0.1:9");
  expect(JSON.stringify(diagnosed)).not.toMatch(/hunter2|token/);
  expect(failures(diagnosed)).toEqual([["queue", "queue_unreachable"]]);
});

test.each([
  ["a typo", '{ "exprot": {} }', "configuration_invalid", "did you mean export"],
  ["a syntax error", "{", "configuration_malformed", "pipeline.config.json"],
])("%s in the configuration is told, with exit code 2", async (name, text, code, words) => {
  const cwd = directoryWith(name.replaceAll(" ", "-"), { "pipeline.config.json": text });
  const diagnosed = await diagnose(cwd, ["in", "--to", "out"]);
  expect([diagnosed.exitCode, failures(diagnosed)]).toEqual([2, [["configuration", code]]]);
  expect(diagnosed.checks[0]?.message).toContain(words);
});

test("options that contradict each other fail, and the other checks are made", async () => {
  const cwd = directoryWith("contradiction");
  const words = ["in", "--to", "out", "--dedupe", "by=value", "--drop", "value"];
  const diagnosed = await diagnose(cwd, words);
  expect(failures(diagnosed)).toEqual([["options", "dedupe_key_missing"]]);
  expect(find(diagnosed, "output")[0]?.state).toBe("ok");
  expect(diagnosed.exitCode).toBe(1);
});

test("the rows of expect and the transform are tried, as validate does", async () => {
  const row = { event_type: "a", event_time: "2026-03-02 21:01:09", user_id: "u" };
  const expectation = (event: string) =>
    JSON.stringify({ inputs: ["in"], expect: [{ row, event: { event } }], export: { to: "out" } });
  const met = directoryWith("met", { "pipeline.config.json": expectation("a") });
  expect(find(await diagnose(met, []), "mapping")[0]?.message).toContain("1 row of");
  const missed = directoryWith("missed", { "pipeline.config.json": expectation("b") });
  expect(failures(await diagnose(missed, []))).toEqual([["mapping", "expectations_failed"]]);
  const cwd = directoryWith("transform");
  const words = ["in", "--to", "out", "--transform", "none.mjs"];
  expect(failures(await diagnose(cwd, words))).toEqual([["mapping", "transform_unreadable"]]);
});

describe("inputs", () => {
  it("that are missing, hidden or in the output fail with the code of a run", async () => {
    const cwd = directoryWith("no-inputs");
    expect(failures(await diagnose(cwd, ["none", "--to", "out"]))).toEqual([
      ["inputs", "input_not_found"],
    ]);
    expect(failures(await diagnose(cwd, ["in", "--to", "in"]))).toEqual([
      ["inputs", "input_in_output"],
    ]);
    expect(failures(await diagnose(cwd, ["--to", "out"]))).toEqual([["options", "inputs_missing"]]);
  });

  it("that cannot be read or are not data fail one by one, up to five of them", async () => {
    const cwd = directoryWith("faulty", {
      "in/a.json.gz": "\u001f\u008b\b\0 cut",
      "in/b.jsonl": "<html>",
    });
    symlinkSync(join(cwd, "gone"), join(cwd, "in/c.jsonl"));
    const codes = failures(await diagnose(cwd, ["in", "--to", "out"])).map(([, code]) => code);
    expect(codes.sort()).toEqual(["format_unknown", "source_missing", "source_not_data"]);
    for (let index = 0; index < 9; index++)
      writeFileSync(join(cwd, `in/h${index}.jsonl`), "<html>");
    const { checks } = await diagnose(cwd, ["in", "--to", "out"]);
    const faulty = checks.filter(({ name }) => name === "input");
    expect(faulty).toHaveLength(6);
    expect(faulty.at(-1)?.message).toMatch(/^\d more cannot be read, such as in\//);
  });

  it("that this user may not read fail", async () => {
    const cwd = directoryWith("unreadable");
    chmodSync(scratch, 0o755);
    chmodSync(cwd, 0o777);
    chmodSync(join(cwd, "in/rows.jsonl"), 0o000);
    const diagnosed = await withoutPrivileges(() => diagnose(cwd, ["in", "--to", "out"]));
    expect(failures(diagnosed)).toEqual([["input", "source_unreadable"]]);
  });

  it("are opened up to a number, and the rest is estimated", async () => {
    const cwd = directoryWith("many");
    for (let index = 0; index < 400; index++)
      writeFileSync(join(cwd, `in/${index}.jsonl`), `${JSON.stringify({ index })}\n`.repeat(100));
    const [inputs] = find(await diagnose(cwd, ["in", "--to", "out"]), "inputs");
    expect(inputs?.message).toMatch(/^401 files, about [\d.]+ kB; opened 200 of them: ndjson$/);
  });
});

describe("an output directory", () => {
  it("that cannot be written fails, and so does one inside of it", async () => {
    const cwd = directoryWith("read-only");
    mkdirSync(join(cwd, "out/_switchyard"), { recursive: true });
    chmodSync(scratch, 0o755);
    chmodSync(join(cwd, "out"), 0o777);
    const words = ["in", "--to"];
    const inside = await withoutPrivileges(() => diagnose(cwd, [...words, "out"]));
    expect(failures(inside)).toEqual([["output", "output_unwritable"]]);
    expect(find(inside, "output")[0]?.message).toContain(join(cwd, "out/_switchyard"));
    const outside = await withoutPrivileges(() => diagnose(cwd, [...words, "new"]));
    expect(find(outside, "output")[0]?.message).toMatch(
      /permission denied; grant write permission/,
    );
    expect(readdirSync(join(cwd, "out"))).toEqual(["_switchyard"]);
  });

  it("that is a file, or below one, fails", async () => {
    const cwd = directoryWith("file", { out: "" });
    for (const to of ["out", "out/below"])
      expect(failures(await diagnose(cwd, ["in", "--to", to]))).toEqual([
        ["output", "output_unwritable"],
      ]);
  });

  it("that another run writes into is a warning", async () => {
    const cwd = directoryWith("locked");
    mkdirSync(join(cwd, "out/_switchyard"), { recursive: true });
    const lock = await takeLockFile(join(cwd, "out/_switchyard/lock"));
    const diagnosed = await diagnose(cwd, ["in", "--to", "out"]);
    await lock.release();
    expect(find(diagnosed, "output")).toMatchObject([
      { state: "warning", message: expect.stringContaining("another run writes") },
    ]);
    expect(diagnosed.exitCode).toBe(0);
  });

  it("on a full disk fails, and on one that may be too small is a warning", async () => {
    const cwd = directoryWith("full");
    const full = await diagnoseOn(cwd, { freeBytes: async () => 10 });
    expect([full.exitCode, failures(full)]).toEqual([1, [["space", "disk_full"]]]);
    const [space] = find(full, "space");
    expect(space?.message).toMatch(
      /out: 10 B free, the export needs by an estimate about \d+ B, rarely more than/,
    );
    const small = await diagnoseOn(cwd, { freeBytes: async () => 5_000 });
    expect([small.exitCode, find(small, "space")[0]?.state]).toEqual([0, "warning"]);
    const limited = await diagnoseOn(cwd, { freeBytes: async () => 1_000 }, { limit: 1 });
    expect(find(limited, "space")[0]?.state).toBe("ok");
    mkdirSync(join(cwd, "out/_switchyard"), { recursive: true });
    const begun = await diagnoseOn(cwd, { freeBytes: async () => 10 });
    expect(find(begun, "space")[0]?.state).toBe("warning");
  });
});

describe("the machine", () => {
  const cwd = directoryWith("machine");
  const machine = { threads: 2, memoryBytes: 8e9 };

  it("with an old Node fails", async () => {
    expect(failures(await diagnoseOn(cwd, { nodeVersion: "20.18.3" }))).toEqual([
      ["node", undefined],
    ]);
    expect(failures(await diagnoseOn(cwd, { nodeVersion: "22.0.0" }))).toEqual([]);
  });

  it.each([
    ["little free memory", { machine, availableMemory: () => 100e6 }, "only 100 MB is free"],
    ["less memory than the run may take", { machine: { ...machine, memoryBytes: 1e6 } }, "lower"],
    ["a low limit of open files", { openFilesMax: () => 64 }, "ulimit -n"],
  ])("with %s is a warning", async (_, facts, words) => {
    const diagnosed = await diagnoseOn(cwd, facts);
    const warnings = diagnosed.checks.filter(({ state }) => state === "warning");
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
    expect(diagnosed.exitCode).toBe(0);
  });

  it("with too little memory for one thread fails", async () => {
    const diagnosed = await diagnose(cwd, ["in", "--to", "out", "--memory", "1MiB"]);
    expect(failures(diagnosed)).toContainEqual(["memory", "memory_too_small"]);
  });
});

describe("a service", () => {
  const cwd = directoryWith("service");
  let service: TestService;
  let url: string;

  beforeAll(async () => {
    service = await startTestService();
    url = await service.app.http.listen({ host: "127.0.0.1", port: 0 });
  });
  afterAll(() => service.close());

  const send = (secret: string, words: readonly string[] = []) =>
    diagnose(cwd, ["in", "--to", url, ...words], { SWITCHYARD_SERVER_SECRET: secret });
  const qualify = (key: string) =>
    diagnose(cwd, ["--console", url], { SWITCHYARD_CONSOLE_KEY: key });

  it("that takes the secret gets no event, and the secret is not shown", async () => {
    const diagnosed = await send(service.keys.server);
    expect([diagnosed.exitCode, failures(diagnosed)]).toEqual([0, []]);
    expect(find(diagnosed, "webhook")[0]?.message).toContain("takes the secret");
    expect(find(diagnosed, "clock")).toHaveLength(1);
    const length = `${service.keys.server.length} characters from SWITCHYARD_SERVER_SECRET`;
    expect(find(diagnosed, "server secret")[0]?.message).toBe(length);
    expect(JSON.stringify(diagnosed)).not.toContain(service.keys.server);
    const list = await service.call<readonly unknown[]>({
      path: "/v1/events",
    });
    expect(list.json.data).toEqual([]);
  });

  it("that does not know the secret fails, without advice to resume", async () => {
    const diagnosed = await send("secret-0123456789abcdef-wrong");
    expect(failures(diagnosed)).toEqual([["webhook", "send_unauthorized"]]);
    expect(find(diagnosed, "webhook")[0]?.message).not.toContain("resume");
    expect(failures(await send(service.keys.console))).toEqual([["webhook", "send_unauthorized"]]);
    const header = await send(service.keys.server, ["--auth-header", "x-key"]);
    expect(failures(header)).toEqual([["webhook", "send_unauthorized"]]);
  });

  it("without a secret or an address that is right fails", async () => {
    expect(failures(await diagnose(cwd, ["in", "--to", url]))).toEqual([
      ["options", "secret_missing"],
    ]);
    const env = { SWITCHYARD_SERVER_SECRET: service.keys.server };
    const path = await diagnose(cwd, ["in", "--to", `${url}/other`], env);
    expect(failures(path)).toEqual([["webhook", "send_not_found"]]);
    const closed = await diagnose(cwd, ["in", "--to", "http://127.0.0.1:9"], env);
    expect(failures(closed)).toEqual([["webhook", "send_unreachable"]]);
    const unknown = await diagnose(cwd, ["in", "--to", "https://no.such.host.invalid"], env);
    expect(failures(unknown)[0]?.[0]).toBe("webhook");
    const tls = await diagnose(cwd, ["in", "--to", url.replace("http:", "https:")], env);
    expect(failures(tls)).toEqual([["webhook", "send_certificate"]]);
    expect(find(tls, "webhook")[0]?.message).toContain("http://");
  });

  it("that has a console is read with the key; a wrong or missing key fails", async () => {
    const diagnosed = await qualify(service.keys.console);
    expect([diagnosed.exitCode, failures(diagnosed)]).toEqual([0, []]);
    expect(find(diagnosed, "console")[0]?.message).toContain("can read 0 qualifying events");
    expect(find(diagnosed, "inputs")).toEqual([]);
    for (const key of ["console-0123456789abcdef-wrong", service.keys.revoked, service.keys.server])
      expect(failures(await qualify(key))).toEqual([["console", "console_unusable"]]);
    expect(failures(await qualify(""))).toEqual([["options", "key_missing"]]);
    const closed = ["--console", "http://user:hunter2@127.0.0.1:9"];
    const unreachable = await diagnose(cwd, closed, { SWITCHYARD_CONSOLE_KEY: "console-x" });
    expect(failures(unreachable)).toEqual([["console", "console_unreachable"]]);
    expect(JSON.stringify(unreachable)).not.toContain("hunter2");
  });

  it("behind a proxy, or without TLS on another machine, is a warning", async () => {
    const env = {
      SWITCHYARD_SERVER_SECRET: "s-0123456789",
      HTTPS_PROXY: "http://p:1",
      no_proxy: "x",
    };
    const diagnosed = await diagnose(cwd, ["in", "--to", "http://events.invalid"], env);
    expect(find(diagnosed, "proxy")[0]?.message).toMatch(/^HTTPS_PROXY: connections to http:/);
    expect(find(diagnosed, "tls")[0]?.state).toBe("warning");
    expect(find(await diagnose(cwd, ["in", "--to", "out"], env), "proxy")).toEqual([]);
  });

  it("embedded in a migration needs its data directory", async () => {
    const configuration = { inputs: ["in"], service: "embedded", steps: ["validate", "send"] };
    const directory = directoryWith("embedded", {
      "pipeline.config.json": JSON.stringify(configuration),
    });
    const { checks, exitCode } = await diagnose(directory, []);
    expect(exitCode).toBe(0);
    expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(["data", "report"]));
    expect(readdirSync(directory).sort()).toEqual(["in", "pipeline.config.json"]);
    expect(readFileSync(join(directory, "pipeline.config.json"), "utf8")).toContain("embedded");
  });
});
