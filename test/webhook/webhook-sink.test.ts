import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { Kernel } from "../../src/batch/kernel.js";
import type { Commitment, Origin, WrittenEvents } from "../../src/sinks/sink.js";
import { countAcknowledged } from "../../src/webhook/acknowledgements.js";
import { type Answer, NoAnswer } from "../../src/webhook/post.js";
import { createWebhookSink, type WebhookOptions } from "../../src/webhook/webhook-sink.js";
import { eventBatch, eventRow, temporaryDirectory, variedRows } from "../sinks/event-rows.js";
import { JumpingClock } from "../support/jumping-clock.js";

interface Call {
  readonly key: string;
  readonly events: readonly { readonly event: string }[];
  readonly isArray: boolean;
  readonly timeMs: number;
}

let journalDirectory: string;
let calls: Call[];
let rejects: { row: string; message: string }[];
let clock: JumpingClock;
const ok: Answer = { status: 202, headers: {}, text: "" };

beforeEach(() => {
  journalDirectory = temporaryDirectory();
  calls = [];
  rejects = [];
  clock = new JumpingClock();
});

function answer(status: number, text = "", headers: Record<string, string> = {}): Answer {
  return { status, headers, text };
}

/** Rows named e0, e1, …: the reject of a row is told by its name. */
function namedRows(count: number, start = 0) {
  return Array.from({ length: count }, (_, index) => eventRow({ event: `e${start + index}` }));
}

/** Sends rows as one split in batches of `batchRows`; `respond` is the service. */
async function send(
  rows: ReturnType<typeof namedRows>,
  respond: (call: Call, index: number) => Answer | NoAnswer | Promise<Answer>,
  options: Partial<WebhookOptions> & {
    batch?: number;
    fingerprint?: string;
    /** Done between two batches. */
    pause?: () => Promise<void>;
  } = {},
): Promise<Commitment & Pick<WrittenEvents, "rows">> {
  const { batch = 7, fingerprint = "f", pause, ...changes } = options;
  const kernel = new Kernel();
  const body = changes.body ?? "object";
  const sink = createWebhookSink(kernel, {
    async post(bytes, key) {
      const value = JSON.parse(Buffer.from(bytes).toString());
      const isArray = Array.isArray(value);
      const call = { key, events: isArray ? value : [value], isArray, timeMs: clock.now() };
      const result = respond(call, calls.push(call) - 1);
      if (result instanceof NoAnswer) throw result;
      return result;
    },
    batchRows: body === "array" ? 5 : 1,
    body,
    concurrency: 3,
    giveUpAfterMs: 900_000,
    journalDirectory,
    keySeed: "seed",
    signal: new AbortController().signal,
    clock,
    random: () => 1,
    ...changes,
  });
  const split = sink.openSplit("000000");
  try {
    const origin: Origin = {
      fingerprint,
      keep: (events, row) => {
        const name = events.event.text(row) ?? "";
        return (message) => rejects.push({ row: name, message });
      },
      place() {
        throw new Error("no row is shown here");
      },
    };
    for (let start = 0; start < rows.length; start += batch) {
      const events = eventBatch(kernel, rows.slice(start, start + batch));
      await split.write(events, origin);
      kernel.bytes.fill(0xee, events.event.starts, events.event.starts + events.rows * 4);
      events.free();
      await pause?.();
    }
    const written = await split.finish();
    return { rows: written.rows, ...(await written.commit()) };
  } catch (error) {
    await split.abort();
    throw error;
  }
}

function sentNames(): string[] {
  return calls.flatMap(({ events }) => events.map(({ event }) => event)).sort();
}

const names = (count: number) => namedRows(count).map(({ event }) => event);

describe("events", () => {
  test("are sent one by one, each with its key, as the JSON lines of an export", async () => {
    const rows = variedRows(40);
    const commitment = await send(rows, () => ok);
    expect(commitment).toMatchObject({ rows: 40, parts: [], counts: { possiblyDuplicated: 0 } });
    expect(calls.map(({ isArray }) => isArray)).not.toContain(true);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(40);
    expect(calls.map(({ events }) => events[0])).toEqual(
      rows.map(({ event, timestamp, user, metadata, value }) => ({
        event,
        timestamp,
        user: JSON.parse(user),
        metadata: JSON.parse(metadata),
        ...(value === null ? {} : { value: JSON.parse(value) }),
      })),
    );
  });

  test("are sent in arrays of one size, whatever their batches were", async () => {
    await send(namedRows(23), () => ok, { body: "array" });
    expect(calls.map(({ events }) => events.length)).toEqual([5, 5, 5, 5, 3]);
    const first = calls;
    calls = [];
    journalDirectory = temporaryDirectory();
    await send(namedRows(23), () => ok, { body: "array", batch: 3 });
    expect(calls.map(({ key, events }) => [key, events])).toEqual(
      first.map(({ key, events }) => [key, events]),
    );
  });

  test("have other keys if the content or the options that decide it differ", async () => {
    await send(namedRows(1), () => ok);
    journalDirectory = temporaryDirectory();
    await send(namedRows(1), () => ok, { fingerprint: "g" });
    journalDirectory = temporaryDirectory();
    await send(namedRows(1), () => ok, { keySeed: "other" });
    expect(new Set(calls.map(({ key }) => key)).size).toBe(3);
  });

  test("are in progress in at most the number of the concurrency", async () => {
    let underWay = 0;
    let most = 0;
    await send(namedRows(50), async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      return ok;
    });
    expect(most).toBe(3);
  });
});

describe("a service that is busy", () => {
  test("is asked again with the same key, and Retry-After holds the whole sender", async () => {
    const startMs = clock.now();
    const commitment = await send(namedRows(10), (_, index) =>
      index === 0 ? answer(429, "", { "retry-after": "60" }) : ok,
    );
    expect(commitment.rows).toBe(10);
    expect(commitment.counts).toEqual({
      delivered: 10,
      retried: 1,
      possiblyDuplicated: 0,
      waitedMs: 60_000,
    });
    expect(calls.filter(({ key }) => key === calls[0]?.key)).toHaveLength(2);
    // The two beside it were under way already.
    expect(calls.slice(3).every(({ timeMs }) => timeMs >= startMs + 60_000)).toBe(true);
  });

  test("that broke off may have stored the event, which counts as possibly duplicated", async () => {
    const commitment = await send(namedRows(4), (_, index) =>
      index < 2 ? new NoAnswer("lost", "other side closed") : ok,
    );
    expect(commitment).toMatchObject({ rows: 4, counts: { retried: 2, possiblyDuplicated: 2 } });
    expect(new Set(sentNames())).toEqual(new Set(names(4)));
  });

  test("is given up after giveUpAfterMs without a success, and not before", async () => {
    const startMs = clock.now();
    const busy = send(namedRows(4), () => answer(503, '{"message":"closed"}'));
    await expect(busy).rejects.toMatchObject({ code: "send_gave_up" });
    await expect(busy).rejects.toThrow(/503: closed.*run the same command again/);
    const waitedMs = clock.now() - startMs;
    expect(waitedMs).toBeGreaterThanOrEqual(900_000);
    expect(waitedMs).toBeLessThan(935_000);
  });

  test("that asks for a longer pause than giveUpAfterMs ends the attempts at once", async () => {
    const busy = send(namedRows(1), () => answer(503, "", { "retry-after": "3600" }));
    await expect(busy).rejects.toThrow("asks to wait 3600 s");
    expect(calls).toHaveLength(1);
  });
});

describe("events that are refused", () => {
  test("one by one become rejects with the message of the service", async () => {
    const refusal = JSON.stringify({
      message: "Bad Request Exception",
      errors: [{ property: "event", errorMessage: "Required" }],
    });
    const { rows } = await send(namedRows(20), ({ events }) =>
      ["e3", "e19"].includes(events[0]?.event ?? "") ? answer(400, refusal) : ok,
    );
    expect(rows).toBe(18);
    const message = "400: Bad Request Exception; event: Required";
    expect(rejects).toEqual([
      { row: "e3", message },
      { row: "e19", message },
    ]);
  });

  test("of an array are found by their names, and the rest is sent", async () => {
    const { rows } = await send(
      namedRows(12),
      ({ events }) => {
        const errors = events.flatMap(({ event }, index) =>
          ["e6", "e8"].includes(event)
            ? [{ property: `[${index}].event`, errorMessage: "bad" }]
            : [],
        );
        return errors.length > 0 ? answer(400, JSON.stringify({ message: "no", errors })) : ok;
      },
      { body: "array" },
    );
    expect(rows).toBe(10);
    expect(rejects).toEqual([
      { row: "e6", message: "event: bad" },
      { row: "e8", message: "event: bad" },
    ]);
    expect(calls.map(({ events }) => events.length).sort()).toEqual([2, 3, 5, 5]);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(4);
  });

  test("of an array without names are found by halving it", async () => {
    const { rows } = await send(
      namedRows(5),
      ({ events }) => (events.some(({ event }) => event === "e3") ? answer(422, "no") : ok),
      { body: "array" },
    );
    expect(rows).toBe(4);
    expect(rejects).toEqual([{ row: "e3", message: "422: no" }]);
  });

  test("as too large are sent in halves, and rejected if they are alone", async () => {
    const { rows } = await send(
      namedRows(5),
      ({ events }) =>
        events.length > 2 || events[0]?.event === "e0" ? answer(413, "too large") : ok,
      { body: "array" },
    );
    expect(rows).toBe(4);
    expect(rejects).toEqual([{ row: "e0", message: "413: too large" }]);
  });

  test("as too large do not divide another array that may be stored", async () => {
    const { rows } = await send(
      namedRows(10),
      ({ events }, index) => {
        if (index === 0) return answer(500);
        return events.length > 2 && events[0]?.event !== "e0" ? answer(413) : ok;
      },
      { body: "array" },
    );
    expect(rows).toBe(10);
    const first = calls.filter(({ events }) => events.some(({ event }) => event === "e0"));
    expect(first.map(({ events }) => events.length)).toEqual([5, 5]);
    expect(new Set(first.map(({ key }) => key)).size).toBe(1);
  });
});

test.each([
  [401, "send_unauthorized"],
  [302, "send_redirected"],
])("%i ends the run, and only requests in progress are sent", async (status, code) => {
  const refused = send(namedRows(50), () => answer(status));
  await expect(refused).rejects.toMatchObject({ code });
  expect(calls.length).toBeLessThanOrEqual(3);
});

describe("after an end at any moment", () => {
  const journal = () => join(journalDirectory, "000000.journal");

  test("only what was not acknowledged is sent, with the keys that it had", async () => {
    const failing = send(namedRows(30), (_, index) => (index < 10 ? ok : answer(401)));
    await expect(failing).rejects.toMatchObject({ code: "send_unauthorized" });
    const before = calls;
    expect(countAcknowledged(journal())).toMatchObject({
      delivered: 10,
      refused: 0,
      possiblyDuplicated: 0,
    });
    calls = [];
    const commitment = await send(namedRows(30), () => ok, { batch: 11 });
    expect(commitment).toMatchObject({ rows: 30, counts: { possiblyDuplicated: 0 } });
    expect(calls).toHaveLength(20);
    const keys = new Map(before.map(({ key, events }) => [events[0]?.event, key]));
    for (const { key, events } of calls) expect(keys.get(events[0]?.event) ?? key).toBe(key);
  });

  test("at most as many are sent again as may be in progress at once", async () => {
    const ticks = async (count: number) => {
      for (let tick = 0; tick < count; tick++) await Promise.resolve();
    };
    let most = 0;
    let pauses = 0;
    await send(
      namedRows(400),
      async (_, index) => {
        most = Math.max(most, calls.length - countAcknowledged(journal()).delivered);
        await ticks(index % 7);
        return ok;
      },
      // Batches that meet answers which are taken in and not yet written down.
      { concurrency: 16, batch: 16, pause: () => ticks(pauses++ % 12) },
    );
    expect(most).toBe(16);
  });

  test("rejects are written again, and pending events count as possibly duplicated", async () => {
    await send(namedRows(20), ({ events }) =>
      events[0]?.event === "e2" ? answer(400, "bad") : ok,
    );
    // A kill loses the last line, and here half of another one.
    const lines = readFileSync(journal(), "utf8").split("\n").slice(0, 14);
    writeFileSync(journal(), `${lines.join("\n")}\n+ 0 1`);
    rejects = [];
    calls = [];
    const commitment = await send(namedRows(20), () => ok);
    expect(rejects).toEqual([{ row: "e2", message: "400: bad" }]);
    expect(commitment.rows).toBe(19);
    expect(commitment.counts["possiblyDuplicated"]).toBe(3);
    // "open" and "range" are lines as well.
    expect(calls).toHaveLength(20 - 12);
  });

  test("a range with other content is sent again", async () => {
    await send(namedRows(5), () => ok);
    calls = [];
    await send(namedRows(5), () => ok, { fingerprint: "repaired" });
    expect(calls).toHaveLength(5);
  });

  test("an array that was short and has grown is sent whole", async () => {
    await send(namedRows(3), () => ok, { body: "array" });
    calls = [];
    const { rows } = await send(namedRows(5), () => ok, { body: "array" });
    expect(rows).toBe(5);
    expect(sentNames()).toEqual(names(5));
  });
});

test.each([2, 40, 300])(
  "a process that is killed after %i requests, with its journal in a store, leaves at least their number",
  async (requests) => {
    const isKilled = () => calls.length > requests;
    const pieces = new Map<string, string>();
    const storePiece = async (name: string, text: string) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (!isKilled()) pieces.set(name, text);
    };
    const answerUntilKilled = () => (isKilled() ? new Promise<Answer>(() => {}) : ok);
    void send(namedRows(400), answerUntilKilled, { journalOwner: "first", storePiece });
    await expect.poll(() => calls.length).toBe(requests + 3);
    const before = new Set(sentNames());
    calls = [];
    journalDirectory = temporaryDirectory();
    for (const [name, text] of pieces) writeFileSync(join(journalDirectory, name), text);
    const { counts } = await send(namedRows(400), () => ok, { journalOwner: "second" });
    const twice = sentNames().filter((name) => before.has(name)).length;
    expect(twice).toBeGreaterThan(0);
    expect(counts["possiblyDuplicated"]).toBeGreaterThanOrEqual(twice);
    expect(counts["possiblyDuplicated"]).toBeLessThanOrEqual(4 * twice);
  },
);

test("an aborted signal ends the waiting at once", async () => {
  const controller = new AbortController();
  const waiting = send(
    namedRows(5),
    () => {
      controller.abort();
      return answer(503, "", { "retry-after": "600" });
    },
    { signal: controller.signal },
  );
  await expect(waiting).rejects.toThrow("aborted");
});
