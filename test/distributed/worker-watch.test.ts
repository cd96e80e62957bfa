import { expect, it } from "vitest";
import type { WorkerBeat } from "../../src/distributed/queue-records.js";
import { WorkerWatch } from "../../src/distributed/worker-watch.js";

const nothing: WorkerBeat = { beat: 0, rows: 0, rejects: 0, delivered: 0, working: [] };

it("the progress of a run has the counts of all its workers, also of those that left for another run and returned", async () => {
  const beats = new Map<string, WorkerBeat>();
  const queue = { beats: async () => beats, forget: async () => undefined };
  const watch = new WorkerWatch("july", { kind: "split", count: 2, bytes: 10, bytesOf: new Map() });
  const report = async (name: string, beat: Partial<WorkerBeat>) => {
    beats.set(name, { ...nothing, ...beat, beat: (beats.get(name)?.beat ?? 0) + 1 });
    await watch.poll(queue, [], [], "");
    const { rows, rejects, delivered } = watch.progress();
    return { rows, rejects, delivered };
  };
  await report("a", { run: "july", rows: 10, rejects: 2, delivered: 7 });
  const both = { rows: 15, rejects: 3, delivered: 11 };
  expect(await report("b", { run: "july", rows: 5, rejects: 1, delivered: 4 })).toEqual(both);
  expect(await report("a", { run: "august", rows: 1_000, rejects: 900 })).toEqual(both);
  expect(await report("a", { run: "july", rows: 100, rejects: 20, delivered: 80 })).toEqual({
    rows: 115,
    rejects: 23,
    delivered: 91,
  });
});
