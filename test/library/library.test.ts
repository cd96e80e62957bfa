import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { SwitchyardError, UsageError } from "../../src/base/errors.js";
import { readEvents } from "../../src/library/read-events.js";
import type { FailedSource } from "../../src/library/results.js";
import type { Progress } from "../../src/library/run-control.js";
import { exportEvents, sendEvents, validateExport, verifyExport } from "../../src/library/runs.js";
import { longTest } from "../support/long-test.js";
import { scratchDirectory } from "../support/scratch.js";

const root = scratchDirectory("library");
const sample = fileURLToPath(new URL("../../fixtures/sample", import.meta.url));
const reading = { inputs: sample, timeLimits: "..2027-01-01", threads: 1 } as const;

function inputOf(name: string, lines: readonly string[]): string {
  const file = join(root, name);
  writeFileSync(file, lines.join("\n"));
  return file;
}

const row = (event: string | null, time = "2026-01-31 12:00:00") =>
  JSON.stringify({ event_type: event, event_time: time, user_id: "u" });

test("an export is written, reports progress, and is verified", async () => {
  const to = join(root, "out");
  const progress: Progress[] = [];
  const onProgress = (moment: Progress) => void progress.push(moment);
  const result = await exportEvents({ ...reading, to, format: "csv", memory: "1GB", onProgress });
  expect(result).toMatchObject({ outcome: "done", tooManyRejects: false, alreadyDone: false });
  expect(result.manifest.totals.rows).toBe(4250);
  expect(progress.at(-1)).toMatchObject({ phase: "reading", rows: 4250 });
  expect(await exportEvents({ ...reading, to, format: "csv" })).toMatchObject({
    alreadyDone: true,
  });
  expect(await verifyExport(to)).toMatchObject({
    outcome: "verified",
    rows: 4250,
    differences: [],
  });

  const file = join(to, result.manifest.days[0]?.files[0]?.path ?? "");
  writeFileSync(file, "changed");
  const { outcome, differences } = await verifyExport(to);
  expect(outcome).toBe("different");
  expect(differences.map(({ code }) => code)).toContain("sha256_differs");
});

test("an export that is aborted ends as interrupted, and the next one resumes it", async () => {
  const to = join(root, "aborted");
  const controller = new AbortController();
  const onNote = () => controller.abort();
  const inputs = Array.from({ length: 4 }, (_, index) =>
    inputOf(
      `abort-${index}.jsonl`,
      Array.from({ length: 3000 }, () => row(`event ${index}`)),
    ),
  );
  const options = { inputs, to, threads: 1, splitSize: "100KB" } as const;
  // The note about fewer threads than asked for comes when the run begins.
  const first = await exportEvents({
    ...options,
    threads: 200,
    memory: "700MB",
    onNote,
    signal: controller.signal,
  });
  expect(first.outcome).toBe("interrupted");
  const second = await exportEvents(options);
  expect(second).toMatchObject({ outcome: "done", manifest: { rows: { delivered: 12_000 } } });
});

test("a signal that is aborted before the call rejects with one code, and its reason as the cause", async () => {
  const to = join(root, "never-begun");
  const reason = new Error("mine");
  const options = { ...reading, signal: AbortSignal.abort(reason) };
  const service = { to: "http://127.0.0.1:9", serverSecret: `secret-${"s".repeat(20)}` };
  const calls = [
    () => exportEvents({ ...options, to }),
    () => validateExport(options),
    () => sendEvents({ ...options, ...service, runs: join(root, "never-run") }),
    () => verifyExport(to, { signal: options.signal }),
    () => readEvents(sample, options)[Symbol.asyncIterator]().next(),
  ];
  for (const call of calls) {
    const error = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SwitchyardError);
    expect(error).toMatchObject({ code: "interrupted", cause: reason });
  }
  expect(existsSync(to)).toBe(false);
});

longTest("the rejects of a run are counted while its days are merged", async () => {
  const days = Array.from({ length: 3000 }, (_, index) =>
    new Date(Date.UTC(2000, 0, 1 + ((index * 7) % 3000))).toISOString(),
  );
  const lines = [...days.map((day) => row("a", day)), ...days.map(() => row(null))];
  const progress: Progress[] = [];
  const result = await exportEvents({
    inputs: inputOf("merging.jsonl", lines),
    to: join(root, "merging"),
    threads: 1,
    splitSize: "50KB",
    maxRejects: "100%",
    onProgress: (moment) => void progress.push(moment),
  });
  expect(result.manifest.rows.rejected).toBe(3000);
  expect(progress.at(-1)).toMatchObject({ phase: "merging", rejects: 3000 });
});

test("a dry run returns its report, and writes files only to a given directory", async () => {
  const bare = await validateExport(reading);
  expect(bare).toMatchObject({ outcome: "done", report: { rows: { read: 4250, mapped: 4250 } } });
  expect(bare.reportPath).toBeUndefined();
  const directory = join(root, "report");
  const { htmlPath, reportPath, report } = await validateExport({ ...reading, report: directory });
  expect(readdirSync(directory).sort()).toEqual(["report.html", "report.json"]);
  expect(existsSync(htmlPath ?? "")).toBe(true);
  expect(JSON.parse(readFileSync(reportPath ?? "", "utf8"))).toEqual(report);
});

test("all faults of options are reported at once, by the names of the options", async () => {
  const options = { inputs: [], to: join(root, "never"), memory: "much", mapping: { event: 7 } };
  const wrong = { ...options, treads: 2 };
  const error = await exportEvents(wrong).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "UsageError", code: "configuration_invalid" });
  const { message } = error as Error;
  expect(message).toMatch(/^ {2}memory: must be a size/m);
  expect(message).toMatch(/^ {2}treads: unknown key/m);
  expect(message).toMatch(/^ {2}mapping\.event: /m);
  expect(message).not.toContain("export.");
});

/** Returns the error of a call with options that the types refuse. */
async function faultOf(
  call: (options: never) => Promise<unknown>,
  options: unknown,
): Promise<Error & { readonly code: string }> {
  return (call(options as never) as Promise<never>).catch((error) => error);
}

test("missing options are told by the names of the options", async () => {
  const to = join(root, "never");
  const cases = [
    [exportEvents, {}, "inputs_missing", /^inputs is missing: .*; to is missing: /],
    [exportEvents, { inputs: sample }, "output_missing", /^to is missing: /],
    [validateExport, { inputs: [] }, "inputs_missing", /^inputs is missing: /],
    [sendEvents, { inputs: sample, serverSecret: "s" }, "destination_missing", /^to is missing: /],
    [
      sendEvents,
      { inputs: sample, to: "http://127.0.0.1:9" },
      "secret_missing",
      /^serverSecret is/,
    ],
    [
      exportEvents,
      { inputs: sample, to, hash: ["userID"] },
      "salt_missing",
      /^hashSalt is missing/,
    ],
    [verifyExport, undefined, "output_missing", /^directory is missing/],
    [
      (options: never) => readEvents(options)[Symbol.asyncIterator]().next(),
      [],
      "inputs_missing",
      /^inputs is/,
    ],
  ] as const;
  for (const [call, options, code, message] of cases) {
    const error = await faultOf(call, options);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(error.message).not.toMatch(/--|pipeline\.config|SWITCHYARD_/);
  }
});

test("options that are not an object, or of the wrong kind, are refused", async () => {
  const readWith = (options: never) => readEvents(sample, options)[Symbol.asyncIterator]().next();
  const verifyWith = (options: never) => verifyExport(root, options);
  for (const call of [exportEvents, validateExport, sendEvents, verifyWith, readWith]) {
    for (const options of [null, 5, "downloads", ["downloads"]]) {
      const error = await faultOf(call, options);
      expect(error).toBeInstanceOf(UsageError);
      expect(error).toMatchObject({ code: "configuration_invalid" });
      expect(error.message).toContain(`must be one object (got ${JSON.stringify(options)})`);
    }
  }
  const wrong = { inputs: sample, to: join(root, "never"), cwd: 5, hashSalt: 7, onProgress: "no" };
  expect((await faultOf(exportEvents, wrong)).message).toMatch(
    /cwd: must be a string; onProgress: must be a function; hashSalt: must be a string/,
  );
});

test("an unknown option is told with the one that was meant", async () => {
  const wrong = {
    presett: "heap",
    formt: "csv",
    s3EndPoint: "x",
    onProgres: "",
    mapping: { evnt: 1 },
  };
  const { message } = await faultOf(exportEvents, { ...wrong, inputs: sample, to: "never" });
  expect(message).toMatch(/^The options are not valid:/);
  for (const [key, meant] of [
    ["presett", "preset"],
    ["formt", "format"],
    ["s3EndPoint", "s3Endpoint"],
    ["onProgres", "onProgress"],
    ["mapping.evnt", "event"],
  ]) {
    expect(message).toContain(`${key}: unknown key; did you mean ${meant}?`);
  }
});

test("messages about combinations name options, not flags", async () => {
  const options = { inputs: sample, to: join(root, "never") };
  const unmapped = { ...options, dedupe: true, mapping: { insertID: null } };
  const error = await exportEvents(unmapped).catch((thrown: unknown) => thrown as Error);
  expect(error).toMatchObject({ code: "dedupe_key_missing" });
  expect((error as Error).message).toMatch(/^dedupe needs an insert id.*pass dedupe by=event,/);
  expect((error as Error).stack).not.toContain("--dedupe");
  const service = { inputs: sample, to: "http://127.0.0.1:9", serverSecret: "s".repeat(30) };
  await expect(sendEvents({ ...service, batchSize: 9, idempotency: "insertID" })).rejects.toThrow(
    "idempotency insertID needs batchSize 1: a request has one Idempotency-Key",
  );
});

test("notes and changes of a run name options, not flags", async () => {
  const options = { inputs: sample, to: join(root, "changed"), threads: 2 };
  const notes: string[] = [];
  const onNote = (text: string) => void notes.push(text);
  await exportEvents({ ...options, memory: "520MiB", maxRowSize: "64MiB", onNote });
  expect(notes.join()).toMatch(/threads \(memory is too small for more\); raise memory/);
  const changed = exportEvents({ ...options, partSize: "1MB", maxRowSize: "64MiB" });
  await expect(changed).rejects.toThrow(/\n {2}partSize: was 128MiB, is 1MB\n.* with fresh\.$/);
});

test("failures of sources name options, not flags", async () => {
  const inputs = inputOf("unknown.bin", ["\u0001\u0002 no format"]);
  const to = join(root, "unknown");
  const given: FailedSource[] = [];
  const onFailure = (failure: FailedSource) => void given.push(failure);
  for await (const _ of readEvents(inputs, { onFailure }));
  const { failures } = await exportEvents({ inputs, to, threads: 1 });
  for (const [failure] of [failures, given]) {
    expect(failure?.message).toMatch(/\binputFormat\b/);
    expect(failure?.message).not.toContain("--");
  }
});

longTest("with requireFields, a mapped field without values is an error", async () => {
  const inputs = inputOf("fields.jsonl", [row("a"), row("b")]);
  const options = { inputs, mapping: { value: ["event_propertys.price"] } };
  const to = join(root, "fields");
  expect(await exportEvents({ ...options, to })).toMatchObject({ outcome: "done" });
  for (const call of [
    () => exportEvents({ ...options, to, requireFields: true }),
    () => validateExport({ ...options, requireFields: true }),
  ]) {
    await expect(call()).rejects.toMatchObject({
      code: "fields_missing",
      message: expect.stringMatching(/event_propertys\.price.*or leave out requireFields\.$/),
    });
  }
});

test("findings can be accepted for a dry run", async () => {
  const inputs = inputOf("findings.jsonl", [row("a"), row("b")]);
  const options = { inputs, mapping: { value: ["event_propertys.price"] } };
  const { report } = await validateExport(options);
  const found = report.findings.filter(({ acceptedBecause }) => acceptedBecause === undefined);
  expect(found).not.toEqual([]);
  const acceptFindings = found.map(({ code }) => code);
  const accepted = await validateExport({ ...options, acceptFindings });
  expect(accepted.report.findings).toMatchObject(
    found.map(({ code }) => ({ code, acceptedBecause: "acceptFindings" })),
  );
  expect(accepted.report.verdict.sentence).toMatch(/^Ready/);
});

test("relative paths are relative to cwd, and secrets come from options alone", async () => {
  inputOf("relative.jsonl", [row("a")]);
  const options = { cwd: root, inputs: "relative.jsonl", to: "relative-out", threads: 1 };
  process.env["SWITCHYARD_HASH_SALT"] = "of the environment";
  try {
    const hashing = { ...options, hash: ["userID"] };
    await expect(exportEvents(hashing)).rejects.toMatchObject({ code: "salt_missing" });
    await exportEvents({ ...hashing, format: "jsonl", hashSalt: "salt" });
  } finally {
    delete process.env["SWITCHYARD_HASH_SALT"];
  }
  const part = join(root, "relative-out/events/2026-01-31/part-000000-000.jsonl");
  expect(readFileSync(part, "utf8")).toMatch(/"userID":"[0-9a-f]{64}"/);
});

test("events are sent, and sent only once", async () => {
  const received: unknown[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    received.push(...(JSON.parse(text) as unknown[]));
    response.writeHead(202).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  try {
    const options = {
      inputs: inputOf("send.jsonl", [row("a"), row("b")]),
      to: `http://127.0.0.1:${port}`,
      serverSecret: `secret-${"s".repeat(20)}`,
      batchSize: 500,
      runs: join(root, "runs"),
    } as const;
    const first = await sendEvents(options);
    expect(first).toMatchObject({ outcome: "done", sent: { delivered: 2, possiblyDuplicated: 0 } });
    expect(await sendEvents(options)).toMatchObject({ alreadyDone: true, sent: { delivered: 2 } });
    expect(received).toMatchObject([{ event: "a" }, { event: "b" }]);
  } finally {
    server.close();
  }
});

test("inputs and exports in a store are requested from the endpoint of the options", async () => {
  const requests: string[] = [];
  const server = createServer(({ url = "", headers }, response) => {
    requests.push(
      `${url.split("?", 1)[0]} ${/\/(eu-\d)\/s3/.exec(headers.authorization ?? "")?.[1]}`,
    );
    response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  const s3Endpoint = `http://127.0.0.1:${port}`;
  const store = { s3Endpoint, s3Region: "eu-7" } as const;
  const inputs = "s3://exports/a/";
  try {
    for (const call of [
      () => exportEvents({ ...store, inputs, to: join(root, "from-store"), threads: 1 }),
      () => verifyExport("s3://exports/days", store),
      () => readEvents(inputs, store)[Symbol.asyncIterator]().next(),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: "store_forbidden" });
      const seen = requests.splice(0);
      expect(seen).not.toEqual([]);
      for (const request of seen) expect(request).toMatch(/^\/exports(\/.*)? eu-7$/);
    }
  } finally {
    vi.unstubAllEnvs();
    server.close();
  }
});

test("a run leaves no signal listeners and prints nothing", async () => {
  const listeners = () => ["SIGINT", "SIGTERM", "exit"].map((name) => process.listenerCount(name));
  const before = listeners();
  const written: unknown[] = [];
  const { write } = process.stdout;
  process.stdout.write = ((chunk: unknown) => written.push(chunk) > 0) as typeof write;
  try {
    await exportEvents({
      ...reading,
      inputs: inputOf("quiet.jsonl", [row(null)]),
      to: join(root, "quiet"),
    });
  } finally {
    process.stdout.write = write;
  }
  expect(written).toEqual([]);
  expect(listeners()).toEqual(before);
});
