import { z } from "zod";
import { SwitchyardError } from "../../base/errors.js";
import type { Immutable } from "../../base/immutable.js";
import { parseJson } from "../../base/parse-json.js";
import { checkValue } from "../../base/schema.js";
import type { Output } from "../../output/output.js";
import type { Announcement } from "../../target/target-rules.js";

const announcedDays = z.record(
  z.string(),
  z.object({
    rows: z.int(),
    digest: z.string(),
    /** ISO 8601. */
    at: z.string(),
  }),
);

/** The days that a target was told of, as they were then. */
export type AnnouncedDays = Immutable<z.infer<typeof announcedDays>>;

const recordSchema = z.object({ readyVersion: z.literal(1), days: announcedDays });

/** The record of what one target was told in one way, in the ledger of an output. */
export class ReadyRecord {
  readonly path: string;

  constructor(
    private readonly output: Output,
    target: string,
    by: Announcement,
  ) {
    this.path = `_switchyard/ready/${target}-${by}.json`;
  }

  /** Throws `ready_record_unreadable`: without it, days would be announced, and billed, again. */
  async read(signal: AbortSignal): Promise<AnnouncedDays> {
    const text = (await this.output.get(this.path, signal))?.toString();
    if (text === undefined) return {};
    const { value } = checkValue(recordSchema, parseJson(text));
    if (value !== undefined) return value.days;
    throw new SwitchyardError(
      "ready_record_unreadable",
      `${this.path} is damaged, so nothing says which days were announced. Restore it, or remove it to announce all days again.`,
    );
  }

  async write(days: AnnouncedDays, signal: AbortSignal): Promise<void> {
    const text = `${JSON.stringify({ readyVersion: 1, days })}\n`;
    await this.output.put(this.path, text, { signal });
  }
}
