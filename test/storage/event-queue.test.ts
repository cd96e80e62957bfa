import { describe, expect, it } from "vitest";
import {
  EventQueue,
  type EventQueueOptions,
  type PackedIntake,
} from "../../src/storage/event-queue.js";
import { type EventCommit, EventsUnavailableError } from "../../src/storage/event-store.js";
import {
  EVENT_COMMIT_CHARACTERS_MAX,
  EVENT_COMMIT_REQUESTS_MAX,
} from "../../src/storage/storage-limits.js";

const sized = (characters: number): PackedIntake => ({
  keyDigest: undefined,
  arrivedDay: 0,
  series: [],
  characters,
});

/** A writer whose transactions end when the test says so. */
function controlledQueue(options: EventQueueOptions = {}) {
  const batches: number[] = [];
  let end: { resolve(commit: EventCommit): void; reject(error: Error): void } | undefined;
  let begun: () => void = () => {};
  let closed = 0;
  const queue = new EventQueue(
    {
      write: (batch) =>
        new Promise((resolve, reject) => {
          batches.push(batch.length);
          end = { resolve, reject };
          begun();
        }),
      close: async () => {
        closed += 1;
      },
    },
    options,
  );
  return {
    queue,
    batches,
    closes: () => closed,
    /** Resolves when the next transaction is under way. */
    nextBegun: () =>
      new Promise<void>((resolve) => {
        begun = resolve;
      }),
    commit: () => end?.resolve({ requests: batches.at(-1) ?? 0, events: 0 }),
    fail: (message: string) => end?.reject(new Error(message)),
  };
}

describe("the queue of events", () => {
  it("puts all requests that arrive during a transaction into the next one", async () => {
    const { queue, batches, nextBegun, commit } = controlledQueue();
    let begun = nextBegun();
    const first = queue.append(sized(1));
    await begun;
    const others = Array.from({ length: 50 }, () => queue.append(sized(1)));
    begun = nextBegun();
    commit();
    await first;
    await begun;
    expect(batches).toEqual([1, 50]);
    commit();
    await Promise.all(others);
  });

  it("starts another transaction if one would be too large", async () => {
    const { queue, batches, nextBegun, commit } = controlledQueue();
    const half = EVENT_COMMIT_CHARACTERS_MAX / 2;
    const sizes = [half, half, 1, 3 * half, 1];
    const done = Promise.all(sizes.map((size) => queue.append(sized(size))));
    for (let transaction = 0; transaction < 4; transaction += 1) {
      await nextBegun();
      commit();
    }
    await done;
    expect(batches).toEqual([2, 1, 1, 1]);
  });

  it("limits the requests in a transaction", async () => {
    const { queue, batches, nextBegun, commit } = controlledQueue();
    const requests = Array.from({ length: EVENT_COMMIT_REQUESTS_MAX + 3 }, () => sized(0));
    const done = Promise.all(requests.map((intake) => queue.append(intake)));
    for (let transaction = 0; transaction < 2; transaction += 1) {
      await nextBegun();
      commit();
    }
    await done;
    expect(batches).toEqual([EVENT_COMMIT_REQUESTS_MAX, 3]);
  });

  it("refuses requests beyond its bound, and accepts them when there is room", async () => {
    const { queue, nextBegun, commit } = controlledQueue({ charactersMax: 100 });
    const begun = nextBegun();
    const first = queue.append(sized(60));
    await expect(queue.append(sized(60))).rejects.toThrow(EventsUnavailableError);
    await begun;
    const second = queue.append(sized(60));
    const next = nextBegun();
    commit();
    await Promise.all([first, next]);
    commit();
    await second;
  });

  it("accepts a request larger than its bound if it is empty", async () => {
    const { queue, nextBegun, commit } = controlledQueue({ charactersMax: 100 });
    const begun = nextBegun();
    const done = queue.append(sized(1_000));
    await begun;
    commit();
    await expect(done).resolves.toBeUndefined();
  });

  it("acknowledges nothing of a failed transaction, reports the reason, and continues", async () => {
    const commits: EventCommit[] = [];
    const { queue, nextBegun, commit, fail } = controlledQueue({
      onCommit: (commit) => commits.push(commit),
    });
    const failed = Promise.allSettled([queue.append(sized(1)), queue.append(sized(1))]);
    await nextBegun();
    fail("no space is left");
    const reason = new EventsUnavailableError("no space is left");
    expect(await failed).toEqual([
      { status: "rejected", reason },
      { status: "rejected", reason },
    ]);
    expect(commits).toEqual([]);
    const again = queue.append(sized(1));
    await nextBegun();
    commit();
    await again;
    expect(commits).toEqual([{ requests: 1, events: 0 }]);
  });

  it("closes its writer once, after all accepted requests", async () => {
    const { queue, nextBegun, commit, closes } = controlledQueue();
    const accepted = queue.append(sized(1));
    const closed = Promise.all([queue.close(), queue.close()]);
    await nextBegun();
    expect(closes()).toBe(0);
    commit();
    await Promise.all([accepted, closed]);
    expect(closes()).toBe(1);
  });
});
