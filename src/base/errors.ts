/** Where in the input something went wrong; every part that is known is named in the message. */
export interface Place {
  readonly source?: string;
  /** 1-based. */
  readonly row?: number;
  /** 0-based offset in the decompressed source. */
  readonly byte?: number;
}

/** Exit codes of the command line, by what they mean. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  tooManyRejects: 3,
  interrupted: 130,
} as const;

/**
 * Base of every error that Switchyard raises on purpose. `code` is stable and listed in
 * docs/errors.md; the message says what failed, where, and what to do next.
 */
export class SwitchyardError extends Error {
  readonly code: string;
  readonly exitCode: number;

  constructor(code: string, message: string, options?: ErrorOptions & { exitCode?: number }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.exitCode = options?.exitCode ?? exitCodes.failed;
  }
}

/** Wrong flags or configuration: nothing was started. Exit code 2. */
export class UsageError extends SwitchyardError {
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(code, message, { ...options, exitCode: exitCodes.usage });
  }
}

/**
 * One source cannot be read (further). The run goes on with the other sources, ends with exit
 * code 1, and reads this source again when it is resumed.
 */
export class SourceError extends SwitchyardError {
  readonly place: Place;
  /** The message without the place. */
  readonly reason: string;

  constructor(code: string, place: Place, reason: string, options?: ErrorOptions) {
    super(code, `${describePlace(place)}${reason}`, options);
    this.place = place;
    this.reason = reason;
  }
}

function describePlace({ source, row, byte }: Place): string {
  const parts = [
    ...(source === undefined ? [] : [source]),
    ...(row === undefined ? [] : [`row ${row}`]),
    ...(byte === undefined ? [] : [`byte ${byte}`]),
  ];
  return parts.length === 0 ? "" : `${parts.join(", ")}: `;
}
