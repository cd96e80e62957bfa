import { afterEach, beforeEach, expect, it } from "vitest";
import { type Server, startServer } from "../../src/http/server.js";
import { exchange, openRaw } from "../support/raw-exchange.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;
let server: Server;
beforeEach(async () => {
  service = await startTestService({ limits: { bodyBytesMax: 1_000, discardBytesMax: 100_000 } });
  server = await startServer(
    service.app,
    { host: "127.0.0.1", port: 0 },
    async () => service.store,
  );
  await server.ready;
});
afterEach(() => server.stop());

const path = "/console/v1/gates";

/** A request as text; it asks for the connection to be closed after its answer. */
function request(line: string, headers: readonly string[] = [], body = ""): string {
  const close = ["Host: localhost", "Connection: close", ...headers];
  return `${line} HTTP/1.1\r\n${close.join("\r\n")}\r\n\r\n${body}`;
}

const key = () => `SERVICE-API-KEY: ${service.keys.console}`;

/** The last answer of an exchange. */
function answerOf(text: string) {
  const [head = "", body = ""] = text.split(/\r\n\r\n(?=\{|$)/);
  return {
    status: Number(head.split(" ")[1]),
    head,
    json: body === "" ? undefined : JSON.parse(body),
  };
}

const ask = async (text: string | Buffer) => answerOf(await exchange(server.url, text));

it.each([
  ["no HTTP", "hello\r\n\r\n", 400, "The request is not valid HTTP"],
  [
    "a header without a colon",
    "GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n",
    400,
    "The request is not valid HTTP",
  ],
  [
    "two lengths",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    400,
    "The request is not valid HTTP",
  ],
  [
    "a length and chunks",
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    400,
    "The request is not valid HTTP",
  ],
  [
    "headers that are too large",
    `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`,
    431,
    "The headers of the request, its path included, are too large",
  ],
  [
    "a path that is too long",
    `GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    431,
    "The headers of the request, its path included, are too large",
  ],
])("answers %s in the documented form", async (_what, text, status, message) => {
  const answer = await ask(text);
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual({ status, message, errors: [] });
});

it("answers broken percent-encoding with 400", async () => {
  for (const id of ["%zz", "%", "%ff", "%C0%80"]) {
    const { status, head, json } = await ask(request(`GET ${path}/${id}`, [key()]));
    expect({ id, status }).toEqual({ id, status: 400 });
    expect(json).toEqual({
      status: 400,
      message: "The percent-encoding of the path is not valid",
      errors: [],
    });
    expect(head).toMatch(/x-request-id: \S+/i);
  }
});

it.each([
  ["a slash", "a%2Fb"],
  ["a path upwards", "%2e%2e%2F%2e%2e"],
  ["dots", ".."],
  ["NUL", "a%00b"],
  ["an emoji", encodeURIComponent("🙂")],
  ["10,000 characters", "x".repeat(10_000)],
  ["a quote", "'%20OR%201=1"],
  ["__proto__", "__proto__"],
  ["constructor", "constructor"],
])("answers an id of %s with 404", async (_what, id) => {
  for (const line of [`GET ${path}/${id}`, `DELETE ${path}/${id}`, `PUT ${path}/${id}/disable`]) {
    const answer = await ask(request(line, [key()]));
    expect(answer.json).toEqual({ status: 404, message: "Gate not found.", errors: [] });
  }
});

it("refuses a repeated key header, even if one of the keys is valid", async () => {
  const twice = await ask(request(`GET ${path}`, [key(), "Service-Api-Key: other"]));
  expect(twice.json).toEqual({
    status: 401,
    message: "The header SERVICE-API-KEY was sent more than once: send one key.",
    errors: [],
  });
});

it("refuses two Host headers that differ, and takes one that was repeated", async () => {
  const differing = await ask(request(`GET ${path}`, [key(), "Host: other"]));
  expect(differing.json).toEqual({ status: 400, message: "Two Host headers differ", errors: [] });
  expect((await ask(request(`GET ${path}`, [key(), "Host: localhost"]))).status).toBe(200);
});

it("tells browsers not to guess the type of any answer", async () => {
  for (const line of [`GET ${path}`, "GET /nowhere", "GET /healthz", "NONSENSE"]) {
    const { head } = await ask(request(line, [key()]));
    expect(head, line).toMatch(/x-content-type-options: nosniff/i);
  }
});

it("repeats no whole key that a client sent in a wrong place", async () => {
  const secret = key().replace(/^.*: /, "");
  for (const [line, header] of [
    [`GET /${secret}`, "Accept: */*"],
    [`GET ${path}/${secret}`, "Accept: */*"],
    [`PUT ${path}/a/${secret}`, "Accept: */*"],
    [`GET ${path}?limit=${secret}`, "Accept: */*"],
    [`POST ${path}`, `Content-Type: ${secret}\r\nContent-Length: 2`],
    [`PUT ${path}/a/disable`, `If-Match: ${secret}`],
    [`PUT ${path}/a/disable`, `If-Match: "${secret}`],
  ] as const) {
    const text = request(line, [key(), header]) + (header.includes("Length") ? "{}" : "");
    const answer = await ask(text);
    expect(answer.status, line).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(answer.json), line).not.toContain(secret.slice(0, 16));
  }
});

it("answers the check of the key before any byte of the body is sent", async () => {
  const connection = await openRaw(server.url);
  connection.socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n`,
  );
  expect(answerOf(await connection.until("}")).status).toBe(401);
  connection.socket.destroy();
});

it("lets a client that asks first send its body only with a key and within the limit", async () => {
  const head = (headers: readonly string[]) =>
    request(`POST ${path}`, [...headers, "Content-Type: application/json", "Expect: 100-continue"]);
  expect((await ask(head(["Content-Length: 16"]))).status).toBe(401);
  expect((await ask(head([key(), "Content-Length: 1001"]))).status).toBe(413);

  const connection = await openRaw(server.url);
  connection.socket.write(head([key(), "Content-Length: 16"]));
  await connection.until("HTTP/1.1 100 Continue\r\n\r\n");
  connection.socket.write('{"name": "Asks"}');
  expect(await connection.closed()).toContain("HTTP/1.1 201 Created");
});

it("reads the rest of a refused body, so that its sender sees the answer", async () => {
  const large = JSON.stringify({ name: "x".repeat(90_000) });
  const send = async (init: RequestInit) => {
    const headers = { "service-api-key": service.keys.console, "content-type": "application/json" };
    const response = await fetch(server.url + path, { method: "POST", headers, ...init });
    return [response.status, ((await response.json()) as { message: string }).message];
  };
  const stream = new Blob([large]).stream();
  expect(await send({ body: large })).toEqual([
    413,
    "Body has 90011 bytes; this route accepts at most 1000",
  ]);
  // A stream does not tell its size beforehand.
  expect(await send({ body: stream, duplex: "half" } as RequestInit)).toEqual([
    413,
    "Body is larger than this route takes",
  ]);
  expect(await send({ body: large, headers: {} })).toEqual([401, expect.any(String)]);
});

it("answers a client that closes the connection, and reads only after it has sent all", async () => {
  const connection = await openRaw(server.url);
  const large = "x".repeat(90_000);
  const length = `Content-Length: ${large.length}`;
  connection.socket.write(request(`POST ${path}`, [key(), length], large.slice(1)));
  // Long after the service has seen that it is too large.
  expect((await ask(request("GET /healthz"))).status).toBe(200);
  expect(connection.received()).toBe("");
  connection.socket.write("x");
  expect(answerOf(await connection.closed()).status).toBe(413);
});

it.each([
  [
    "no host",
    "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n",
    400,
    "The Host header is missing",
  ],
  [
    "an odd expectation",
    request("GET /healthz", ["Expect: tea"]),
    417,
    "The only supported expectation is 100-continue",
  ],
])("answers %s in the documented form too", async (_what, text, status, message) => {
  expect((await ask(text)).json).toEqual({ status, message, errors: [] });
});

it("answers HTTP/1.0 without a host", async () => {
  expect((await ask("GET /healthz HTTP/1.0\r\n\r\n")).status).toBe(200);
});

it("closes a connection on which more than the limit is sent after a refusal", async () => {
  const connection = await openRaw(server.url);
  connection.socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n`);
  expect(answerOf(await connection.until("}")).status).toBe(401);
  connection.socket.write(Buffer.alloc(200_000));
  expect(answerOf(await connection.closed()).status).toBe(401);
});

it("answers a wrong method of a known path with 405 and the allowed methods", async () => {
  const wrong = await ask(request(`PATCH ${path}`, [key()]));
  expect(wrong.head).toMatch(/^allow: GET, HEAD, OPTIONS, POST$/im);
  expect(wrong.json).toEqual({
    status: 405,
    message: "PATCH is not allowed on this path; allowed: GET, HEAD, OPTIONS, POST",
    errors: [],
  });
  const options = await ask(request(`OPTIONS ${path}/some_id`));
  expect(options.status).toBe(204);
  expect(options.head).toMatch(/^allow: DELETE, GET, HEAD, OPTIONS, PATCH, POST$/im);
});

it("answers unknown methods with 404", async () => {
  for (const method of ["PROPFIND", "TRACE"]) {
    expect((await ask(request(`${method} ${path}`, [key()]))).status).toBe(404);
  }
});
