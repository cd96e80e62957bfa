import { z } from "zod";

/** A split or a merge of days in the queue. It holds no options, and no secrets. */
export const queuedWorkSchema = z.strictObject({
  /** Digest of the plan and the options; another plan of the same output is another run. */
  run: z.string(),
  /** Directory or address of the output. */
  output: z.string(),
  kind: z.enum(["split", "merge"]),
  epoch: z.number(),
  id: z.string(),
});

export type QueuedWork = z.output<typeof queuedWorkSchema>;

/** The part of a split or merge that names its record. */
export type RecordedWork = Pick<QueuedWork, "kind" | "epoch" | "id">;

/** The latest status that a worker has reported to its coordinators. */
export const workerBeatSchema = z.object({
  /** Grows with each beat. */
  beat: z.number(),
  run: z.string().optional(),
  /** Rows that it has read of the run, and how many of them were rejected or acknowledged by a service. */
  rows: z.number(),
  rejects: z.number(),
  delivered: z.number(),
  /** Paths of the records of its work, with the milliseconds since it was claimed. */
  working: z.array(z.object({ path: z.string(), ageMs: z.number() })),
  /** The last failure of a service that accepts no events at the moment. */
  waiting: z
    .object({ reason: z.string(), attempts: z.number(), leftMs: z.number() })
    .exactOptional(),
  /** The error that it ended with. */
  error: z.string().optional(),
});

export type WorkerBeat = z.output<typeof workerBeatSchema>;
