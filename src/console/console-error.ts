import { SwitchyardError } from "../base/errors.js";
import type { Fault } from "../contract/faults.js";

/** Where a call went. */
export interface CallPlace {
  readonly method: string;
  /** Without the query. */
  readonly url: string;
}

/** The service refused a call, or failed at it. */
export class ConsoleError extends SwitchyardError {
  /** HTTP status. */
  readonly status: number;
  /** One entry per property that is at fault. */
  readonly errors: readonly Fault[];
  /** Id under which the service's log knows the call. */
  readonly requestId: string | undefined;

  constructor(
    place: CallPlace,
    {
      status,
      message,
      errors,
      requestId,
    }: {
      readonly status: number;
      readonly message: string;
      readonly errors: readonly Fault[];
      readonly requestId: string | undefined;
    },
  ) {
    const faults = errors.map(({ property, errorMessage }) => `${property}: ${errorMessage}`);
    const words = [message, ...faults].join("; ");
    super("console_refused", `${place.method} ${place.url} answered ${status}: ${words}`);
    this.status = status;
    this.errors = errors;
    this.requestId = requestId;
  }
}

/** No answer came. Whether a write was made is not known, unless the message says so. */
export class ConsoleUnreachableError extends SwitchyardError {
  constructor({ method, url }: CallPlace, cause: Error) {
    const reason = `${cause.message}; check the address, and whether the service runs`;
    super("console_unreachable", `${method} ${url} got no answer: ${reason}`, { cause });
  }
}
