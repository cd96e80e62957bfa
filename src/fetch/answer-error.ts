/** An answer that was not usable, after which another attempt may succeed. The message says why. */
export class AnswerError extends Error {
  /** Pause before the next attempt; it grows with the attempts if absent. */
  readonly waitMs: number | undefined;
  /** Set if the answer came and was not whole. */
  readonly isDamaged: boolean;

  constructor(
    why: string,
    options: {
      readonly waitMs?: number;
      readonly isDamaged?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(why, { cause: options.cause });
    this.waitMs = options.waitMs;
    this.isDamaged = options.isDamaged ?? false;
  }
}
