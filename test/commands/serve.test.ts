import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Connection from "libsql";
import { describe, expect, test, vi } from "vitest";
import { runCommandLine } from "../../src/cli/program.js";
import { runInProcess } from "../support/command-line.js";
import { fakeContext } from "../support/fake-context.js";
import { longTest } from "../support/long-test.js";
import { scratchDirectory } from "../support/scratch.js";
import { killServicesAfterEach, startServiceProcess } from "../support/service-process.js";

const root = scratchDirectory("serve");
const gates = "/console/v1/gates";

killServicesAfterEach();

function freshData(): string {
  return join(root, randomBytes(6).toString("hex"));
}

/** The keys that a first start printed. */
function keysIn(stderr: string) {
  const keyOf = (name: string) => new RegExp(`^export ${name}=(\\S+)$`, "m").exec(stderr)?.[1];
  return {
    console: keyOf("SWITCHYARD_CONSOLE_KEY") ?? "",
    server: keyOf("SWITCHYARD_SERVER_SECRET") ?? "",
  };
}

function post(body: unknown): RequestInit {
  const headers = { "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

describe("the first start", () => {
  test("prints a key of each kind once, and both hold, also after a restart", async () => {
    const data = freshData();
    const first = await startServiceProcess(data, { words: ["--log-level", "trace"] });
    const keys = keysIn(first.stderr());
    expect(keys.console).toMatch(/^console-[\w-]{43}$/);
    expect(keys.server).toMatch(/^secret-[\w-]{43}$/);
    expect((await first.call(gates, keys.console)).status).toBe(200);
    const event = post({ event: "e", user: { userID: "u" }, timestamp: 1_768_000_000_000 });
    expect(await first.call("/v1/webhooks/event_webhook", keys.server, event)).toEqual({
      status: 202,
      json: { success: true },
    });
    expect((await first.call(gates, keys.console, post({ name: "A gate" }))).status).toBe(201);
    expect(await first.stop()).toBe(0);
    for (const key of Object.values(keys)) {
      expect(first.stderr().split(key)).toHaveLength(2);
    }

    const second = await startServiceProcess(data);
    expect(second.stderr()).toBe("");
    expect(await second.call(`${gates}/a_gate`, keys.console)).toMatchObject({
      status: 200,
      json: { data: { name: "A gate" } },
    });
    expect(await second.call("/v1/events/summary", keys.console)).toMatchObject({
      json: { data: [{ event: "e", count: 1 }] },
    });
    expect(await second.stop("SIGINT")).toBe(0);
  });

  longTest("keys of the environment are stored instead and not printed", async () => {
    const data = freshData();
    const env = {
      SWITCHYARD_CONSOLE_KEY: "console-0123456789abcdef",
      SWITCHYARD_SERVER_SECRET: "secret-0123456789abcdef",
      SWITCHYARD_CLIENT_KEY: "client-0123456789abcdef",
    };
    const first = await startServiceProcess(data, { env });
    expect((await first.call(gates, env.SWITCHYARD_CONSOLE_KEY)).status).toBe(200);
    expect(first.stderr()).not.toMatch(/0123456789|export/);
    await first.stop();

    const other = { SWITCHYARD_CONSOLE_KEY: "console-fedcba9876543210" };
    const second = await startServiceProcess(data, { env: other });
    expect((await second.call(gates, other.SWITCHYARD_CONSOLE_KEY)).status).toBe(200);
    expect((await second.call(gates, env.SWITCHYARD_CONSOLE_KEY)).status).toBe(200);
  });

  test("a service in memory leaves nothing behind", async () => {
    const cwd = scratchDirectory("serve-memory");
    const service = await startServiceProcess(":memory:", { cwd });
    expect((await service.call(gates, keysIn(service.stderr()).console)).status).toBe(200);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

test("a service that rehearses a platform says at its end what it would have done", async () => {
  const service = await startServiceProcess(freshData(), { words: ["--target", "statsig"] });
  const events = [{ eventName: "$pageview" }, { eventName: "a", metadata: { "x.y": 1 } }];
  const answer = await service.call(
    "/v1/log_event",
    keysIn(service.stderr()).server,
    post({ events: [...events, { eventName: "fine" }] }),
  );
  expect(answer).toMatchObject({ status: 202, json: { success: true } });
  expect((answer.json as { warnings: unknown[] }).warnings).toHaveLength(2);
  expect(await service.stop()).toBe(0);
  expect(service.stderr()).toContain("Of 3 events, Statsig would drop 1 and change 1 more\n");
});

describe("a service that runs", () => {
  test("prints a link that signs in once, with a key that `keys list` shows", async () => {
    const data = freshData();
    const { url, signInUrl, call, stderr } = await startServiceProcess(data);
    const ticket = signInUrl.slice(`${url}/sign-in#`.length);
    expect(signInUrl).toBe(`${url}/sign-in#${ticket}`);
    expect(ticket).toMatch(/^[\w-]{43}$/);
    const signIn = () => call("/console/v1/session", undefined, post({ ticket }));
    expect(await signIn()).toMatchObject({ status: 200, json: { data: { name: "Sign-in link" } } });
    expect((await signIn()).status).toBe(401);
    expect(stderr()).not.toContain(ticket);
    const listed = await runInProcess(["keys", "list", "--data", data]);
    expect(listed.stdout).toMatch(/key_\S+ +Sign-in link +- +console +write/);
  });

  test("prints its address in one line of JSON, and no file of its directory holds a key", async () => {
    const data = freshData();
    const service = await startServiceProcess(data);
    const { child, url, version, pid, dataDirectory, command } = service;
    expect({ command, pid, dataDirectory }).toEqual({
      command: "serve",
      pid: child.pid,
      dataDirectory: data,
    });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: "ready" });
    const keys = Object.values(keysIn(service.stderr()));
    const holding = readdirSync(data).filter((name) =>
      keys.some((key) => readFileSync(join(data, name)).includes(key)),
    );
    expect(keys).not.toContain("");
    expect(readdirSync(data)).toContain("console.db");
    expect(holding).toEqual([]);
  });

  longTest("takes the key from the header that it was given", async () => {
    const service = await startServiceProcess(freshData(), { words: ["--auth-header", "X-Key"] });
    const headers = { "X-Key": keysIn(service.stderr()).console };
    expect((await service.call(gates, undefined, { headers })).status).toBe(200);
    expect((await service.call(gates, headers["X-Key"])).status).toBe(401);
    const document = await (await fetch(`${service.url}/openapi.json`)).json();
    expect(document).toMatchObject({
      components: { securitySchemes: { consoleKey: { name: "X-Key" } } },
    });
  });

  longTest("takes options from the file and the environment, a flag before both", async () => {
    const cwd = scratchDirectory("serve-configured");
    writeFileSync(
      join(cwd, "pipeline.config.json"),
      '{ "authHeader": "X-File", "serve": { "logLevel": "fatal", "data": "from-file" } }',
    );
    const env = { SWITCHYARD_AUTH_HEADER: "X-Environment" };
    const service = await startServiceProcess(join(cwd, "from-flag"), { cwd, env });
    const headers = { "X-Environment": keysIn(service.stderr()).console };
    expect((await service.call(gates, undefined, { headers })).status).toBe(200);
    expect(readdirSync(cwd).sort()).toEqual(["from-flag", "pipeline.config.json"]);
  });

  test("finishes what it has accepted, and then ends with exit code 0", async () => {
    const service = await startServiceProcess(freshData());
    const { console: key } = keysIn(service.stderr());
    const body = JSON.stringify({ name: "Accepted" });
    const answered = halfSentRequest(service.url, key, body);
    await answered.begun;
    const stopped = service.stop();
    answered.sendRest();
    expect(await answered.text).toMatch(/^HTTP\/1\.1 201 /);
    expect(await stopped).toBe(0);
  });

  longTest("ends at once with a second signal", async () => {
    const service = await startServiceProcess(freshData());
    const { console: key } = keysIn(service.stderr());
    const answered = halfSentRequest(service.url, key, JSON.stringify({ name: "Never" }));
    await answered.begun;
    const stopped = service.stop("SIGINT");
    const isReady = async () =>
      (await fetch(`${service.url}/readyz`).catch(() => undefined))?.ok === true;
    await vi.waitFor(async () => expect(await isReady()).toBe(false));
    service.child.kill("SIGINT");
    expect(await stopped).toBe(130);
    await answered.text;
  });

  test("keeps its directory to itself, and leaves it to the next one even when it is killed", async () => {
    const data = freshData();
    const first = await startServiceProcess(data);
    const { exitCode, stdout, stderr } = await serve("--data", data, "--json");
    expect(exitCode).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 4, error: { code: "data_in_use" } });
    expect(stderr).toContain(`another service runs on ${data}`);
    expect(await first.stop("SIGKILL")).toBeNull();
    expect(await (await startServiceProcess(data)).stop()).toBe(0);
  });
});

describe("a start that fails", () => {
  test("on a port that is taken", async () => {
    const { url } = await startServiceProcess(freshData());
    const { port } = new URL(url);
    const data = freshData();
    const { exitCode, stderr } = await serve("--data", data, "--listen", port);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`another program listens on 127.0.0.1:${port}`);
    expect(stderr).toContain("[port_in_use]");
    expect(readdirSync(root)).not.toContain(data.slice(root.length + 1));
  });

  test("on an address of another machine", async () => {
    const words = ["serve", "--data", freshData(), "--listen", "192.0.2.1:0"];
    const { exitCode, stderr } = await runInProcess(words);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/192\.0\.2\.1 is not an address of this machine .*\[host_unknown\]/);
  });

  test("on a directory that cannot be made", async () => {
    const file = join(root, "a-file");
    writeFileSync(file, "");
    const words = ["serve", "--listen", "0", "--data", join(file, "data")];
    const { exitCode, stderr } = await runInProcess(words);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("[database_unwritable]");
  });

  longTest("on a database that a newer version wrote", async () => {
    const data = freshData();
    await (await startServiceProcess(data)).stop();
    const database = new Connection(join(data, "console.db"));
    database.exec("PRAGMA user_version = 999");
    database.close();
    const { exitCode, stderr } = await runInProcess(["serve", "--listen", "0", "--data", data]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/has database version 999.*\[database_newer\]/);
  });

  test.each([
    [["--listen", "65536"], {}, "--listen: must be at most 65535"],
    [["--listen", "http"], {}, "--listen: must be a port up to 65535, or an address and a port"],
    [["--log-level", "loud"], {}, "--log-level: must be one of fatal"],
    [["--auth-header", "a b"], {}, "--auth-header: must be the name of a header"],
    [["--auth-header", "Content-Type"], {}, "--auth-header: must be the name of a header"],
    [["--host", "0.0.0.0"], {}, "unknown option '--host' (Did you mean --listen?)"],
    [[], { SWITCHYARD_LISTEN: "-1" }, "SWITCHYARD_LISTEN: must be at least 0"],
    [[], { SWITCHYARD_CONSOLE_KEY: "console-short" }, "[key_malformed]"],
    [[], { SWITCHYARD_SERVER_SECRET: "console-0123456789abcdef" }, "[key_malformed]"],
    [
      ["--webhook", "https://hooks.example.com/a"],
      { SWITCHYARD_CONSOLE_KEY: "console-short" },
      "SWITCHYARD_WEBHOOK_SECRET is not set",
    ],
    [
      ["--webhook", "https://hooks.example.com/a"],
      { SWITCHYARD_CONSOLE_KEY: "console-short" },
      "[key_malformed]",
    ],
  ])("with %j and %j: exit code 2, and nothing is made", async (words, env, message) => {
    const cwd = scratchDirectory("serve-wrong");
    const outside = { currentDirectory: cwd, environment: env };
    const { context, stdout, stderr } = fakeContext({}, outside);
    expect(await runCommandLine(["serve", ...words], context)).toBe(2);
    expect(stderr.join("")).toContain(message);
    expect(stdout).toEqual([]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  longTest("with a key that was revoked", async () => {
    const data = freshData();
    const key = "console-0123456789abcdef";
    const env = { SWITCHYARD_CONSOLE_KEY: key };
    const service = await startServiceProcess(data, { env });
    const { stdout } = await runInProcess(["keys", "list", "--data", data, "--json"]);
    const { keys } = JSON.parse(stdout) as { keys: { id: string; kind: string }[] };
    // The server secret was made in the same millisecond, perhaps.
    const id = keys.find(({ kind }) => kind === "console")?.id ?? "";
    await runInProcess(["keys", "revoke", id, "--data", data]);
    expect((await service.call(gates, key)).status).toBe(401);
    await service.stop();
    const { exitCode, stderr } = await runInProcess(["serve", "--listen", "0", "--data", data], {
      env,
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`(${id}) was revoked`);
    expect(stderr).not.toContain(key);
  });
});

test("docs/service.md has every option of the command", async () => {
  const page = readFileSync(
    fileURLToPath(new URL("../../docs/service.md", import.meta.url)),
    "utf8",
  );
  const { context, stdout } = fakeContext();
  await runCommandLine(["serve", "--help"], context);
  const flags = [...stdout.join("").matchAll(/^ {2}(--[a-z-]+)/gm)].map(
    ([, flag]) => flag as string,
  );
  expect(flags).toContain("--auth-header");
  expect(flags.filter((flag) => !page.includes(`| \`${flag}`))).toEqual([]);
});

/** Starts a service that is refused. */
function serve(...words: readonly string[]) {
  const port = words.includes("--listen") ? [] : ["--listen", "0"];
  return runInProcess(["serve", ...port, ...words]);
}

/** A request whose body comes in two parts; `begun` resolves when the service has the first one. */
function halfSentRequest(url: string, key: string, body: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const text = new Promise<string>((resolve) => {
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString();
    });
    socket.on("error", () => resolve(received));
    socket.on("close", () => resolve(received.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "")));
  });
  // The service says "continue" once it has read the headers.
  const begun = new Promise<void>((resolve) => socket.once("data", () => resolve()));
  socket.write(
    `POST ${gates} HTTP/1.1\r\nHost: ${hostname}\r\nSERVICE-API-KEY: ${key}\r\nExpect: 100-continue\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  return { begun, text, sendRest: () => socket.end(body) };
}
