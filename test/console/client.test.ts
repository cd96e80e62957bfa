import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { type ConsoleClient, createConsoleClient } from "../../src/console/client.js";
import { ConsoleError, ConsoleUnreachableError } from "../../src/console/console-error.js";
import type { ConsoleOperationName } from "../../src/console/operation.js";
import type { Gate } from "../../src/contract/gate.js";
import { routes } from "../../src/contract/routes.js";
import { heldJournals, journal } from "../support/journal.js";
import { startTestService, type TestService } from "../support/service.js";
import { rules } from "./call-bodies.js";
import { callsOf } from "./client-calls.js";

let service: TestService;
let baseUrl: string;
let client: ConsoleClient;

beforeAll(async () => {
  service = await startTestService({ journals: heldJournals(journal) });
  baseUrl = await service.app.http.listen({ host: "127.0.0.1", port: 0 });
  client = createConsoleClient({ baseUrl, key: service.keys.console });
});

afterAll(() => service.close());

const calls = callsOf(() => ({ client, service, baseUrl }));

describe("every operation", () => {
  it.each(Object.entries(calls))(
    "%s is answered with the message of its route",
    async (name, call) => {
      expect((await call()).message).toBe(routes[name as ConsoleOperationName].message);
    },
  );
});

describe("answers", () => {
  it("are typed by the contract, and carry the version of a single entity", async () => {
    const answer = await client.createGate({ body: { name: "Typed gate" } });
    expectTypeOf(answer.data).toEqualTypeOf<Gate>();
    expect(answer).toMatchObject({ etag: "1", data: { id: "typed_gate", version: 1 } });
    // @ts-expect-error a name is required
    await expect(client.createGate({ body: {} })).rejects.toThrow(ConsoleError);
    // @ts-expect-error a gate has no size
    await client.patchGate({ id: "typed_gate", body: { size: 3 } });
  });

  it("of pages that ended early by their size have every item once", async () => {
    const description = "x".repeat(1_000);
    const large = { n: "y".repeat(900_000) };
    for (let count = 0; count < 20; count += 1) {
      await client.createDynamicConfig({
        body: { name: `Large config ${count}`, description, defaultValue: large },
      });
    }
    const page = await client.listDynamicConfigs({ limit: 15 });
    expect(page.data.length).toBeLessThan(15);
    const names: string[] = [];
    for await (const { name } of client.all("listDynamicConfigs", { limit: 15 })) {
      if (name.startsWith("Large config")) names.push(name);
    }
    expect(names.sort()).toEqual(
      Array.from({ length: 20 }, (_, count) => `Large config ${count}`).sort(),
    );
  });

  it("of several pages come one after another", async () => {
    for (let count = 0; count < 7; count += 1) {
      await client.createSegment({ body: { name: `Segment ${count}`, type: "rule_based" } });
    }
    const names: string[] = [];
    for await (const segment of client.all("listSegments", { limit: 3 })) names.push(segment.name);
    expect(names).toEqual([6, 5, 4, 3, 2, 1, 0].map((count) => `Segment ${count}`));
  });
});

describe("inputs", () => {
  it.each([
    ["an unknown filter", () => client.listGates({ foo: 1 } as never)],
    ["a body where none is read", () => client.listGates({ body: {} } as never)],
    ["no id", () => client.readGate({} as never)],
    ["an id of no text", () => client.readGate({ id: null } as never)],
    ["an empty id", () => client.readGate({ id: "" })],
    ["an id that is another path", () => client.deleteGate({ id: ".." })],
    ["no body", () => client.createGate({} as never)],
  ])("with %s are refused before a request", async (_what, call) => {
    await expect(call()).rejects.toMatchObject({ code: "console_input_invalid" });
  });
});

describe("errors", () => {
  it("have status, message, faults and the request id in the service's log", async () => {
    const body = { name: "a", rules: [{ ...rules[0], passPercentage: 101 }] } as never;
    const error = await client.createGate({ body }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConsoleError);
    expect(error).toMatchObject({
      code: "console_refused",
      status: 400,
      errors: [
        { property: "name", errorMessage: "Must be at least 3 characters" },
        {
          property: "rules[0].passPercentage",
          errorMessage: "Must be less than or equal to 100",
        },
      ],
      requestId: expect.stringMatching(/^[\w-]{36}$/),
    });
    expect((error as Error).message).toBe(
      `POST ${baseUrl}/console/v1/gates answered 400: Bad Request Exception; name: Must be at least 3 characters; rules[0].passPercentage: Must be less than or equal to 100`,
    );
  });

  it("of a write with an outdated version are a 412", async () => {
    await client.createGate({ body: { name: "Moved on" } });
    const late = client.patchGate({ id: "moved_on", body: {}, ifMatch: "7" });
    await expect(late).rejects.toMatchObject({ status: 412 });
  });

  it("of a closed port have the address and the reason, but not the key", async () => {
    const closed = createConsoleClient({
      baseUrl: "http://127.0.0.1:1/",
      key: "console-of-somebody",
      retriesMax: 0,
    });
    const error = await closed.listGates().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConsoleUnreachableError);
    expect((error as Error).message).toMatch(
      /^GET http:\/\/127\.0\.0\.1:1\/console\/v1\/gates got no answer: .*ECONNREFUSED/,
    );
    expect(JSON.stringify(error)).not.toContain("somebody");
  });

  it.each(["", "console.example.com", "ftp://x"])(
    "of the base URL %j are thrown at once",
    (wrong) => {
      expect(() => createConsoleClient({ baseUrl: wrong, key: "k" })).toThrow(/base URL/);
    },
  );
});
