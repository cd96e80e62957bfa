import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { LeaseLock } from "../../src/output/lease-lock.js";
import type { LeaseTimes } from "../../src/output/output.js";
import type { ObjectStore } from "../../src/store/object-store.js";
import { S3Store } from "../../src/store/s3-store.js";
import { startFaultProxy } from "../support/fault-proxy.js";
import { hasS3Server, type S3Server, useS3Server } from "../support/s3-server.js";

/** As for a process that is paused: it does not renew. */
const paused: LeaseTimes = { renewMs: 600_000, expireMs: 2_000, trustMs: 1_000 };

describe.runIf(hasS3Server())("the lock of an output in a store", () => {
  let server: S3Server;
  let store: ObjectStore;

  beforeAll(async () => {
    server = await useS3Server();
    await server.createBucket("locks");
    store = new S3Store("locks", server.options);
  });

  function take(key: string, times?: LeaseTimes, from = store): Promise<LeaseLock> {
    const options = { store: from, key, address: `s3://locks/${key}`, isUnsafe: false };
    return LeaseLock.take(times === undefined ? options : { ...options, times });
  }

  async function foreign(key: string, host: string, pid: number): Promise<void> {
    const lock = await take(key);
    const head = await store.head(key, new AbortController().signal);
    const metadata = Buffer.from(head?.metadata["switchyard-holder"] ?? "", "base64").toString();
    await lock.release();
    const holder = { ...(JSON.parse(metadata) as object), host, pid, token: "of-another" };
    const text = JSON.stringify(holder);
    await server.put("locks", key, text, { "switchyard-holder": btoa(text) });
  }

  it("has one of sixteen that begin at once", async () => {
    const taken = await Promise.allSettled(Array.from({ length: 16 }, () => take("race")));
    const won = taken.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const lost = taken.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(won.length).toBe(1);
    expect(lost).toEqual(
      Array(15).fill(expect.objectContaining({ code: "output_locked", exitCode: 4 })),
    );
    await won[0]?.release();
    await (await take("race")).release();
  });

  it("is refused if the store says both that it exists and that it does not", async () => {
    const contradicting: ObjectStore = Object.assign(Object.create(store), {
      put: async () => "occupied",
      head: async () => undefined,
    });
    await expect(take("nowhere", undefined, contradicting)).rejects.toMatchObject({
      code: "store_unconditional",
    });
  });

  it("is not taken from a process of another host before it has expired", async () => {
    await foreign("abroad", "elsewhere.example.com", 7);
    await expect(take("abroad")).rejects.toMatchObject({
      code: "output_locked",
      message: expect.stringContaining("process 7 on elsewhere.example.com"),
    });
  });

  it("is taken at once from a dead process of this host", async () => {
    const { hostname } = await import("node:os");
    await foreign("dead", hostname(), 999_999_999);
    const lock = await take("dead");
    expect(lock.takenOverFrom?.pid).toBe(999_999_999);
    await lock.release();
  });

  it("says when it was taken, however often it was renewed", async () => {
    const lock = await take("since");
    const { signal } = new AbortController();
    const taken = await LeaseLock.holderOf(store, "since", signal);
    await sleep(5);
    await lock.renew();
    expect(await LeaseLock.holderOf(store, "since", signal)).toEqual(taken);
    await lock.release();
  });

  it("is lost by a process that was paused, which finds out before it writes", async () => {
    const first = await take("paused", paused);
    // The clock of the store tells seconds.
    await sleep(paused.expireMs + 1_100);
    const second = await take("paused", paused);
    expect(second.takenOverFrom?.pid).toBe(process.pid);
    await expect(first.check()).rejects.toMatchObject({ code: "output_lock_lost", exitCode: 4 });
    expect(first.lost.aborted).toBe(true);
    await first.release();
    // It did not remove the lock of the other.
    await second.renew();
    await second.release();
  });

  it("of another process is not removed by one that was paused and gives up at once", async () => {
    const first = await take("late", paused);
    await sleep(paused.expireMs + 1_100);
    const second = await take("late", paused);
    await first.release();
    await second.renew();
    await second.release();
  });

  it("is kept although the answer to a renewal is lost", async () => {
    let isLost = false;
    const proxy = await startFaultProxy(server.options.endpoint ?? "", () => {
      if (!isLost) return undefined;
      isLost = false;
      return "lost";
    });
    const endpoint = { ...server.options, endpoint: proxy.endpoint };
    const lock = await take("answers", undefined, new S3Store("locks", endpoint));
    isLost = true;
    await lock.renew();
    await lock.renew();
    await lock.release();
    proxy.close();
  });

  it("is refused by a store that ignores conditions, unless that is accepted", async () => {
    const careless: ObjectStore = {
      list: (...given) => store.list(...given),
      get: (...given) => store.get(...given),
      head: (...given) => store.head(...given),
      remove: (...given) => store.remove(...given),
      async put(key, content, options) {
        await store.remove([key], options.signal);
        return store.put(key, content, { ...options, condition: "absent" });
      },
    };
    await expect(take("careless", undefined, careless)).rejects.toMatchObject({
      code: "store_unconditional",
      message: expect.stringContaining("--unsafe-lock"),
    });
    const options = { store: careless, key: "careless", address: "s3://locks", isUnsafe: true };
    await (await LeaseLock.take(options)).release();
  });
});
