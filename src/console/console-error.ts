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

  constructor(
    call: FailedCall,
    {
      status,
      message,
      errors,
      requestId,
    }: {
      readonly status: number;
      readonly message: string;
      readonly errors: readonly CallFault[];
      readonly requestId: string | undefined;
    },
  ) {
    const faults = errors.map(({ property, errorMessage }) => `${property}: ${errorMessage}`);
    const words = [message, ...faults].join("; ");
    super("console_refused", `${call.method} ${call.url} answered ${status}: ${words}`);
    this.status = status;
    this.errors = errors;
    this.requestId = requestId;
  }
}

/** No answer came. A write may have been made, unless the message says that it was not. */
export class ConsoleUnreachableError extends SwitchyardError {
  constructor({ method, url }: FailedCall, cause: Error) {
    const reason = `${cause.message}; check the address, and whether the service runs`;
    super("console_unreachable", `${method} ${url} got no answer: ${reason}`, { cause });
  }
}
