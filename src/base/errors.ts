import { type Naming, nameOptions } from "./option-text.js";

/** A position in the input; the message names every part that is known. */
interface Position {
  readonly source?: string;
  /** 1-based. */
  readonly row?: number;
  /** 0-based offset in the decompressed source. */
  readonly byte?: number;
}

/** Exit codes of the command line. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  tooManyRejects: 3,
  /** Another run holds the lock; nothing was started. */
  busy: 4,
  interrupted: 130,
} as const;

/**
 * Base of every error that Switchyard raises on purpose. `code` is stable and listed in
 * docs/errors.md. The message says what failed, where, and what to do next.
 */
export class SwitchyardError extends Error {
  readonly code: string;
  readonly exitCode: number;
  /** The message with options that are not named yet. */
  #text: string;

  /** `text` may name options by `option`; `message` has their flags. */
  constructor(code: string, text: string, options?: ErrorOptions & { exitCode?: number }) {
    super(nameOptions(text), options);
    this.#text = text;
    this.name = new.target.name;
    this.code = code;
    this.exitCode = options?.exitCode ?? exitCodes.failed;
  }

  /** Returns the message; without `naming`, for a message that is a part of another error. */
  toText(naming?: Naming): string {
    return naming === undefined ? this.#text : nameOptions(this.#text, naming);
  }

  /** Changes the message in all its forms. */
  reword(change: (text: string) => string): void {
    const { message, stack } = this;
    this.#text = change(this.#text);
    this.message = change(message);
    // The stack begins with the message, and is what Node prints.
    if (stack !== undefined) this.stack = stack.replace(message, () => this.message);
  }
}

/** Invalid flags or configuration; nothing was started. Exit code 2. */
export class UsageError extends SwitchyardError {
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(code, message, { ...options, exitCode: exitCodes.usage });
  }
}

interface SourceErrorOptions extends ErrorOptions {
  readonly alteredFrom?: number | undefined;
}

/**
 * A source cannot be read, or cannot be read to its end. The run continues with the other sources and ends
 * with exit code 1. A resumed run reads this source again.
 */
export class SourceError extends SwitchyardError {
  readonly position: Position;
  readonly #reason: string;
  /**
   * Decompressed byte after which the content may be wrong: a checksum or a decoder found the damage only
   * later. Absent if everything before the break is sound.
   */
  readonly alteredFrom: number | undefined;

  constructor(code: string, position: Position, reason: string, options: SourceErrorOptions = {}) {
    super(code, `${describePosition(position)}${reason}`, options);
    this.position = position;
    this.#reason = reason;
    this.alteredFrom = options.alteredFrom;
  }

  /** The message without the position. */
  get reason(): string {
    return nameOptions(this.#reason);
  }

  /** Returns the reason for another error, which may name its options otherwise. */
  toReason(): string {
    return this.#reason;
  }
}

/**
 * Throws `interrupted` (exit code 130) if the signal is aborted; the cause is its reason. Call it
 * before anything is read.
 */
export function throwIfInterrupted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new SwitchyardError("interrupted", "interrupted before anything was read", {
    cause: signal.reason,
    exitCode: exitCodes.interrupted,
  });
}

/** Returns true if an error has this code of the system or of Node, such as `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === code;
}

/** Returns the code of an error of the system or of Node, such as `ENOENT`, else its message. */
export function codeOrMessage(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

function describePosition({ source, row, byte }: Position): string {
  const parts: string[] = [];
  if (source !== undefined) parts.push(source);
  if (row !== undefined) parts.push(`row ${row}`);
  if (byte !== undefined) parts.push(`byte ${byte}`);
  return parts.length === 0 ? "" : `${parts.join(", ")}: `;
}
