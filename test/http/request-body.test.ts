import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shapeOf } from "../../src/http/request-body.js";
import { SYNTAX_FAULT_CHARACTERS_MAX } from "../../src/http/service-limits.js";
import { echo, fakeEndpoints } from "../support/fake-endpoints.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    limits: { bodyBytesMax: 1_000, eventBodyBytesMax: 2_000 },
    endpoints: fakeEndpoints({
      post: { handler: echo },
      put: { route: { method: "PUT" }, handler: echo },
      patch: { route: { method: "PATCH" }, handler: echo },
      remove: { route: { method: "DELETE" }, handler: echo },
      read: { route: { method: "GET" }, handler: echo },
      events: { route: { path: "/v1/events", access: "server" }, handler: echo },
    }),
  });
});
afterAll(() => service.close());

interface Echo {
  readonly body: unknown;
  readonly facts: { readonly bodyText?: string };
}

const send = (
  body: string | Buffer | undefined,
  contentType?: string,
  method: "POST" | "PUT" | "PATCH" | "DELETE" | "GET" = "POST",
) => {
  const headers = contentType === undefined ? {} : { "content-type": contentType };
  return service.call<Echo>({ method, path: "/fake", body, headers });
};

const refused = async (body: string | Buffer, contentType?: string) => {
  const { status, json } = await send(body, contentType);
  return { status, message: json.message };
};

describe("content types", () => {
  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=UTF-8",
    'Application/JSON; Charset="utf-8"',
    " application/json ; charset = utf8 ; ",
    "application/json;",
  ])("takes %s", async (type) => {
    expect(await send('{"a":1}', type)).toMatchObject({
      status: 200,
      json: { data: { body: { a: 1 } } },
    });
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1",
    "application/jsonp",
    "application/merge-patch+json",
    "nonsense",
    "",
  ])("answers 415 to a body of the type %j", async (type) => {
    const { status, message } = await refused('{"a":1}', type);
    expect(status).toBe(415);
    expect(message).toMatch(/^Expected Content-Type application\/json in UTF-8/);
  });

  it("shows only the beginning of a type", async () => {
    const { message } = await refused("{}", `application/json;charset=utf-8${" ".repeat(9_000)}x`);
    expect(message.length).toBeLessThan(200);
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"] as const)(
    "takes an empty body for none with %s, whatever its type",
    async (method) => {
      for (const type of ["application/json", "text/plain", undefined]) {
        const { status, json } = await send("", type, method);
        expect(status).toBe(200);
        expect(json.data).not.toHaveProperty("body");
      }
    },
  );

  it("ignores the body of a GET", async () => {
    const { status, json } = await send("{", "application/json", "GET");
    expect(status).toBe(200);
    expect(json.data).not.toHaveProperty("body");
  });
});

describe("malformed bodies", () => {
  it("are not parsed twice if they are large", async () => {
    const roomy = await startTestService({
      endpoints: fakeEndpoints({ post: { handler: echo } }),
    });
    const unclosed = async (count: number) => {
      const body = `["${"x".repeat(count)}"`;
      const headers = { "content-type": "application/json" };
      return (await roomy.call({ method: "POST", path: "/fake", body, headers })).json.message;
    };
    const place = "Array item or end of array";
    expect(await unclosed(1)).toContain(`Body is not valid JSON: ${place}`);
    expect(await unclosed(SYNTAX_FAULT_CHARACTERS_MAX)).toMatch(
      new RegExp(`^Body is not valid JSON: (?!${place})`),
    );
    await roomy.close();
  });

  it.each([
    ["{", "Quoted object key or end of object '}' expected but reached end of input at position 1"],
    ['{"a":x}', "Object value expected after ':' at position 5"],
    ['{"a":1,}', "Quoted object key expected but got '}' at position 7"],
    ['{"a":1,"a":2,}', "Quoted object key expected but got '}' at position 13"],
    ["[1] 2", "Expected end of input but got '2' at position 4"],
    [" ", "JSON value expected but reached end of input at position 1"],
    ["nul", "JSON value expected but got 'n' at position 0"],
    ["{'a':1}", "Quoted object key expected but got ''' at position 1"],
    ["NaN", "JSON value expected but got 'N' at position 0"],
  ])("answers 400 to %s and says where", async (body, fault) => {
    const { status, message } = await refused(body);
    expect(status).toBe(400);
    expect(message).toBe(`Body is not valid JSON: ${fault}`);
  });

  it.each([
    '{"__proto__":{"admin":true}}',
    '{"a":[{"__proto__":1}]}',
    '{"\\u005f_proto__":{}}',
    '{"constructor":{"prototype":{"admin":true}}}',
  ])("answers 400 to a body that reaches for a prototype: %s", async (body) => {
    expect(await refused(body)).toEqual({
      status: 400,
      message: expect.stringMatching(/^Body contains the forbidden key (__proto__|constructor)$/),
    });
    expect({}).not.toHaveProperty("admin");
  });

  it("takes the words of a prototype where they do no harm", async () => {
    const body = { constructor: "x", note: '"__proto__":1', prototype: {} };
    const { status, json } = await service.call<Echo>({ method: "POST", path: "/fake", body });
    expect(status).toBe(200);
    expect(json.data.body).toEqual(body);
  });

  it("answers 400 to what is not UTF-8", async () => {
    const latin1 = Buffer.from('{"a":"\xe9"}', "latin1");
    expect(await refused(latin1)).toEqual({ status: 400, message: "Body is not UTF-8" });
  });

  it("takes a byte order mark, and leaves it out of the text", async () => {
    const { json } = await send(Buffer.from('\uFEFF{"a":"é"}'));
    expect(json.data).toMatchObject({ body: { a: "é" }, facts: { bodyText: '{"a":"é"}' } });
  });

  it("hands the body on to the byte, for digits that no number keeps", async () => {
    const body = '{ "a" : 12345678901234567890.10 }';
    expect((await send(body)).json.data.facts.bodyText).toBe(body);
  });
});

describe("depth", () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

  it("takes 64 levels and refuses one more", async () => {
    expect(await send(nested(64))).toMatchObject({ status: 200 });
    expect(await refused(nested(65))).toEqual({
      status: 400,
      message: "Body is nested deeper than 64 levels",
    });
  });

  it("counts what is open, not what a string says", async () => {
    const body = JSON.stringify(Array.from({ length: 100 }, () => ({ a: ['[[["{\\'] })));
    expect(shapeOf(Buffer.from(body)).depth).toBe(3);
    expect(shapeOf(Buffer.from('"unended [[[')).depth).toBe(0);
    expect(shapeOf(Buffer.from('"\\')).depth).toBe(0);
  });

  it("agrees with a walk through the value", () => {
    const walked = (value: unknown): number =>
      typeof value === "object" && value !== null
        ? 1 + Math.max(0, ...Object.values(value).map(walked))
        : 0;
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(shapeOf(Buffer.from(JSON.stringify(value))).depth).toBe(walked(value));
      }),
    );
  });
});

describe("size", () => {
  const sized = (bytes: number) => `"${"x".repeat(bytes - 2)}"`;

  it("takes a body of the limit and answers 413 to one byte more", async () => {
    expect(await send(sized(1_000))).toMatchObject({ status: 200 });
    expect(await refused(sized(1_001))).toEqual({
      status: 413,
      message: "Body has 1001 bytes; this route accepts at most 1000",
    });
  });

  it("takes more on the event route", async () => {
    const key = service.keys.server;
    const post = (bytes: number) =>
      service.call({ method: "POST", path: "/v1/events", key, body: sized(bytes) });
    expect(await post(2_000)).toMatchObject({ status: 200 });
    expect(await post(2_001)).toMatchObject({ status: 413 });
  });
});
