import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type EventStore, EventsUnavailableError } from "../../src/storage/event-store.js";
import { noEventStore } from "../storage/records.js";
import {
  START_TIME,
  startTestService,
  type TestAnswer,
  type TestService,
} from "../support/service.js";
import { openTestStore } from "../support/test-store.js";

const webhook = "/v1/webhooks/event_webhook";
const day = "2024-01-01";
const timestamp = Date.UTC(2024, 0, 1, 10);
const purchase = { event: "purchase", user: { userID: "u-1" }, timestamp, metadata: { n: 1 } };

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

function post(body: unknown, headers: Record<string, string> = {}): Promise<TestAnswer> {
  const { server } = service.keys;
  return service.call({ method: "POST", path: webhook, key: server, body, headers });
}

/** The text of the answer's `data`. */
async function listed(query = ""): Promise<string> {
  const { payload } = await service.app.http.inject({
    url: `/v1/events${query}`,
    headers: { "SERVICE-API-KEY": service.keys.console },
  });
  return /"data":(\[.*\]),"nextCursor":/s.exec(payload)?.[1] ?? payload;
}

const summary = (query = "") =>
  service.call<unknown>({ path: `/v1/events/summary${query}` }).then(({ json }) => json.data);

describe("POST /v1/webhooks/event_webhook", () => {
  it("stores one event and answers 202 with nothing but success", async () => {
    const { status, json } = await post(purchase);
    expect([status, json]).toEqual([202, { success: true }]);
    expect(JSON.parse(await listed())).toEqual([purchase]);
  });

  it("stores an array of 1000 events", async () => {
    const { status } = await post(Array(1000).fill(purchase));
    expect(status).toBe(202);
    expect(await summary()).toEqual([{ day, event: "purchase", count: 1000 }]);
  });

  it("stores no event of an array with one fault, and reports the path of the fault", async () => {
    const { status, json } = await post([purchase, purchase, purchase, { event: 3 }, { user: [] }]);
    expect(status).toBe(400);
    expect(json).toEqual({
      status: 400,
      message: "Bad Request Exception",
      errors: [
        { property: "[3].event", errorMessage: "Expected string, received number" },
        { property: "[4].event", errorMessage: "Required" },
        { property: "[4].user", errorMessage: "Expected object, received array" },
      ],
    });
    expect(await summary()).toEqual([]);
  });

  it.each([
    [[], "Must be at least 1 items"],
    [Array(1001).fill(purchase), "Must be at most 1000 items"],
    ['"purchase"', "Expected object or array, received string"],
    [undefined, "Required"],
  ])("refuses a body that is no event and no array of 1 to 1000 (%#)", async (body, fault) => {
    const { status, json } = await post(body);
    expect(status).toBe(400);
    expect(json.errors).toEqual([{ property: "", errorMessage: fault }]);
  });

  it("uses the time of arrival if there is no timestamp", async () => {
    await post({ event: "visit" });
    const [{ timestamp = 0 } = {}] = JSON.parse(await listed()) as { timestamp?: number }[];
    expect(timestamp).toBeGreaterThan(START_TIME);
    expect(await summary()).toEqual([{ day: "2026-01-15", event: "visit", count: 1 }]);
  });

  it("puts an event on the UTC day of its timestamp, also if that is a text or before 1970", async () => {
    const at = (moment: string) => Date.parse(moment);
    await post([
      { event: "a", timestamp: String(at("2024-02-29T23:59:59.999Z")) },
      { event: "a", timestamp: at("2024-03-01T00:00:00Z") },
      { event: "a", timestamp: at("1969-12-31T23:59:59.999Z") },
      { event: "a", timestamp: at("0000-01-01T00:00:00Z") },
      { event: "a", timestamp: at("9999-12-31T23:59:59.999Z") },
    ]);
    const counts = (await summary()) as { day: string }[];
    expect(counts.map(({ day }) => day)).toEqual([
      "0000-01-01",
      "1969-12-31",
      "2024-02-29",
      "2024-03-01",
      "9999-12-31",
    ]);
  });

  it("keeps every digit and byte of the request", async () => {
    const line =
      '{"event":"a \\"b\\"\\n","user":{"userID":"u","id":9007199254740993123},"timestamp":-1,' +
      '"metadata":{\r\n  "price": 1.50, "s": "\\ud800\\u0000", "huge": 1e400 },"value":1.50e+01}';
    expect((await post(line)).status).toBe(202);
    expect((await post(`[${line},${line}]`)).status).toBe(202);
    expect(await listed()).toBe(`[${line},${line},${line}]`);
  });

  it("stores properties of any name as they came", async () => {
    const names = '{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}},"prototype":null}';
    const line = `{"event":"e","user":${names},"timestamp":1,"metadata":{"n":${names}}}`;
    expect((await post(line)).status).toBe(202);
    expect((await post(`[${line}]`)).status).toBe(202);
    expect(await listed()).toBe(`[${line},${line}]`);
  });

  it("warns of fields that an event does not have and of times in seconds, and counts them", async () => {
    const seconds = { event: "e", timestamp: 1_767_571_200, userId: "u", properties: { a: 1 } };
    const { status, json } = await post([purchase, seconds, { ...seconds, "a b": 1 }]);
    expect(status).toBe(202);
    expect(json).toEqual({
      success: true,
      warnings: [
        {
          property: "timestamp",
          message:
            "Stored as ms since the epoch, which is before 1974. Send milliseconds if these are seconds.",
          events: 2,
        },
        {
          property: "userId",
          message: "Not a field of an event, so it was not stored. Send it as user.userID.",
          events: 2,
        },
        {
          property: "properties",
          message: "Not a field of an event, so it was not stored. Send it as metadata.",
          events: 2,
        },
        {
          property: "a b",
          message: "Not a field of an event, so it was not stored. Move it into user or metadata.",
          events: 1,
        },
      ],
    });
    const { payload } = await service.app.http.inject("/metrics");
    expect(payload).toContain('switchyard_event_warnings_total{kind="unknown_field"} 2');
    expect(payload).toContain('switchyard_event_warnings_total{kind="timestamp_in_seconds"} 2');
  });

  it("lists a bounded number of warnings for any names", async () => {
    const odd = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`__proto__${n}`, n]));
    const { json } = await post(`{"event":"e","__proto__":1,${JSON.stringify(odd).slice(1)}`);
    expect((json as unknown as { warnings: unknown[] }).warnings).toHaveLength(20);
  });

  it("refuses an event with too many values before it parses them", async () => {
    const members = Array.from({ length: 600_000 }, (_, n) => `"k${n}":1`).join();
    for (const metadata of [`{${members}}`, `{"a":[${"1,".repeat(60_000)}1]}`]) {
      for (const body of [`{"event":"e","metadata":${metadata}}`, `[{"metadata":${metadata}}]`]) {
        const { status, json } = await post(body);
        expect([status, json.errors]).toEqual([
          400,
          [
            {
              property: "",
              errorMessage:
                "An event has too many values: at most 25000 properties, or 50000 list elements",
            },
          ],
        ]);
      }
    }
    expect(await summary()).toEqual([]);
  });

  it("lets other requests through while it parses a large array", async () => {
    const members = Array.from({ length: 250 }, (_, n) => `"property_${n}":"${n}"`).join();
    const body = `[${Array(1000).fill(`{"event":"e","timestamp":1,"metadata":{${members}}}`).join()}]`;
    let isStored = false;
    const storing = post(body).finally(() => {
      isStored = true;
    });
    let others = 0;
    while (!isStored) {
      expect((await service.call({ path: "/healthz", key: null })).status).toBe(200);
      if (!isStored) others += 1;
      await setImmediate();
    }
    expect((await storing).status).toBe(202);
    expect(others).toBeGreaterThan(2);
    expect(await summary()).toEqual([{ day: "1970-01-01", event: "e", count: 1000 }]);
  });

  it.each([
    ["[{}", "[1]"],
    ['[{"event":"e"},]', "[1]"],
    ['[{"event":"e"}{"event":"e"}]', "[1]"],
    ['[{"event":"e"},{"event":01}]', "[1]"],
    ['[{"event":"e"}] 1', "[1]"],
  ])("reports the malformed JSON of a large body (%#)", async (text, place) => {
    const { status, json } = await post(text.padEnd(300_000));
    expect(status).toBe(400);
    expect(json.message).toContain(`Body is not valid JSON: ${place}`);
  });

  it("stores a request repeated with the same Idempotency-Key once, with the same answer", async () => {
    const again = { "idempotency-key": "part-0001" };
    const first = await post([purchase, purchase], again);
    const second = await post([purchase, purchase], again);
    expect([second.status, second.json]).toEqual([first.status, first.json]);
    await post(purchase, { "idempotency-key": "part-0002" });
    expect(await summary()).toEqual([{ day, event: "purchase", count: 3 }]);
  });

  it("does not remember the Idempotency-Key of a refused request", async () => {
    const again = { "idempotency-key": "part-0001" };
    expect((await post({}, again)).status).toBe(400);
    expect((await post(purchase, again)).status).toBe(202);
    expect(await summary()).toEqual([{ day, event: "purchase", count: 1 }]);
  });

  it("answers 503 with Retry-After while events cannot be stored", async () => {
    const full: EventStore = {
      ...noEventStore,
      append: async () => {
        throw new EventsUnavailableError("the disk is full");
      },
    };
    const stuck = await startTestService({ store: { ...(await openTestStore()), events: full } });
    const { status, headers, json } = await stuck.call({
      method: "POST",
      path: webhook,
      key: stuck.keys.server,
      body: purchase,
    });
    expect([status, headers["retry-after"], json.message]).toEqual([
      503,
      "1",
      "Events cannot be stored now: the disk is full",
    ]);
    await stuck.close();
  });

  it("does not reveal the reason of a failed write, which names files", async () => {
    const cause = new Error("/data/events.db: no space is left");
    const failing: EventStore = {
      ...noEventStore,
      append: async () => {
        throw new EventsUnavailableError(cause.message, { cause });
      },
    };
    const stuck = await startTestService({
      store: { ...(await openTestStore()), events: failing },
    });
    const { status, json } = await stuck.call({
      method: "POST",
      path: webhook,
      key: stuck.keys.server,
      body: purchase,
    });
    expect([status, json.message]).toEqual([
      503,
      "Events cannot be stored now: nothing was written; send them again later",
    ]);
    expect(stuck.log.join("")).toContain(cause.message);
    await stuck.close();
  });

  it("requires a server secret to store events, and a console key to read them", async () => {
    const { server, console: consoleKey } = service.keys;
    const post = { method: "POST", path: webhook, body: purchase } as const;
    expect((await service.call({ ...post, key: consoleKey })).status).toBe(401);
    for (const path of ["/v1/events", "/v1/events/summary"]) {
      expect((await service.call({ path, key: server })).status).toBe(401);
      expect((await service.call({ path })).status).toBe(200);
    }
  });
});

describe("GET /v1/events?day&event&limit&cursor", () => {
  const all = [1, 2, 3].flatMap((date) =>
    ["a", "b"].flatMap((event) =>
      [1, 2, 3].map((n) => ({ event, timestamp: Date.UTC(2024, 0, date), metadata: { n } })),
    ),
  );

  it("lists by day, then event name, then as stored, page by page", async () => {
    await post([...all].reverse().sort((left, right) => left.metadata.n - right.metadata.n));
    for (const [query, expected] of [
      ["", all],
      ["&day=2024-01-02", all.slice(6, 12)],
      ["&event=b", all.filter(({ event }) => event === "b")],
      ["&day=2024-01-03&event=a", all.slice(12, 15)],
      ["&day=2025-01-01", []],
    ] as const) {
      for (const limit of [1, 2, 5, 100]) {
        const found: unknown[] = [];
        let next = `?limit=${limit}${query}`;
        for (;;) {
          const { json } = await service.call<unknown[]>({ path: `/v1/events${next}` });
          const { nextCursor } = json as unknown as { nextCursor: string | null };
          found.push(...json.data);
          if (nextCursor === null) break;
          expect(json.data).toHaveLength(limit);
          next = `?limit=${limit}${query}&cursor=${nextCursor}`;
        }
        expect(found, `${query} by ${limit}`).toEqual(expected);
      }
    }
  });

  it.each(["x", "MS4x=", "MS4y", "bm9uZQ", "-", "%00"])("refuses the cursor %s", async (cursor) => {
    await post(purchase);
    const { status, json } = await service.call({ path: `/v1/events?event=no&cursor=${cursor}` });
    expect(status).toBe(400);
    expect(json.errors).toEqual([
      {
        property: "cursor",
        errorMessage: "The cursor does not come from a page of this list",
      },
    ]);
  });

  it.each(["day=2024-02-30", "day=", "limit=0", "limit=1001", "limit=x"])(
    "refuses %s",
    async (query) => {
      const { status, json } = await service.call({ path: `/v1/events?${query}` });
      expect([status, json.errors[0]?.property]).toEqual([400, query.split("=")[0]]);
    },
  );
});
