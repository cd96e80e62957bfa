import { SwitchyardError } from "../base/errors.js";

/** The method and URL of a call. */
export interface FailedCall {
  readonly method: string;
  /** Without the query. */
  readonly url: string;
}

/** One fault that the service found in a request. */
interface CallFault {
  /** Path of the property: `rules[0].conditions[1].operator`; `""` is the whole body. */
  readonly property: string;
  readonly errorMessage: string;
}

/** The service refused a call, or failed to answer it. */
export class ConsoleError extends SwitchyardError {
  /** HTTP status. */
  readonly status: number;
  /** One entry for each fault. */
  readonly errors: readonly CallFault[];
  /** Id of the call in the log of the service. */
  readonly requestId: string | undefined;
  /**
   * True for a write that the service may have made: a gateway answered (502, 504), or an earlier attempt got
   * no answer, which may be why the next one is refused.
   */
  readonly mayBeMade: boolean;

  constructor(
    call: FailedCall,
    {
      status,
      message,
      errors,
      requestId,
      mayBeMade = false,
    }: {
      readonly status: number;
      readonly message: string;
      readonly errors: readonly CallFault[];
      readonly requestId: string | undefined;
      readonly mayBeMade?: boolean;
    },
  ) {
    const faults = errors.map(({ property, errorMessage }) => `${property}: ${errorMessage}`);
    const words = [message, ...faults].join("; ");
    const lost = mayBeMade ? " (the write may have been made)" : "";
    super("console_refused", `${call.method} ${call.url} answered ${status}: ${words}${lost}`);
    this.status = status;
    this.errors = errors;
    this.requestId = requestId;
    this.mayBeMade = mayBeMade;
  }
}

/** Returns true for the error of a write that the service may have made. */
export function mayBeMade(error: unknown): boolean {
  const isOfCall = error instanceof ConsoleError || error instanceof ConsoleUnreachableError;
  return isOfCall && error.mayBeMade;
}

/** No answer came. */
export class ConsoleUnreachableError extends SwitchyardError {
  /** True for a write that the service may have received and made. */
  readonly mayBeMade: boolean;

  constructor({ method, url }: FailedCall, cause: Error, mayBeMade: boolean) {
    const reason = `${cause.message}; check the address, and whether the service runs`;
    super("console_unreachable", `${method} ${url} got no answer: ${reason}`, { cause });
    this.mayBeMade = mayBeMade;
  }
}
