import { z } from "zod";

/** A split in the queue. It holds no options, and no secrets. */
export const queuedSplitSchema = z.strictObject({
  /** Digest of the plan and the options; another plan of the same output is another run. */
  run: z.string(),
  /** Directory or address of the output. */
  output: z.string(),
  split: z.string(),
});

export type QueuedSplit = z.output<typeof queuedSplitSchema>;

/** The last words of a worker to its coordinators. */
export const workerBeatSchema = z.object({
  host: z.string(),
  pid: z.number(),
  version: z.string(),
  threads: z.number(),
  /** Grows with each beat. */
  beat: z.number(),
  run: z.string().optional(),
  /** Rows and bytes that it has read of the run, and splits that it has recorded. */
  rows: z.number(),
  bytes: z.number(),
  splits: z.number(),
  /** Splits at work, with the milliseconds since they were claimed. */
  working: z.array(z.object({ split: z.string(), ageMs: z.number() })),
  /** The last failure of a service that accepts no events at the moment. */
  waiting: z
    .object({ reason: z.string(), attempts: z.number(), leftMs: z.number() })
    .exactOptional(),
  /** The error that it ended with. */
  error: z.string().optional(),
});

export type WorkerBeat = z.output<typeof workerBeatSchema>;
