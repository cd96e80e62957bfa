import { SwitchyardError } from "../base/errors.js";
import type { ErrorBody } from "../contract/common.js";
import { type Fault, toldFaults } from "../contract/faults.js";
import { hideKeys } from "./key-text.js";

interface ServiceErrorFacts {
  readonly status: number;
  readonly message: string;
  readonly faults?: readonly Fault[];
  /** Seconds until a retry makes sense: the `Retry-After` header. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** The refusal of a request: an answer with a status of at least 400. */
export class ServiceError extends SwitchyardError {
  readonly status: number;
  readonly faults: readonly Fault[];
  readonly retryAfterSeconds: number | undefined;

  constructor({ status, message, faults = [], retryAfterSeconds, cause }: ServiceErrorFacts) {
    super("request_refused", message, { cause });
    this.status = status;
    this.faults = faults;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The body of the answer. It may repeat parts of the request, but never a whole key. */
  get body(): ErrorBody {
    const errors = this.faults.map(({ property, errorMessage }) => ({
      property: hideKeys(property),
      errorMessage: hideKeys(errorMessage),
    }));
    return { status: this.status, message: hideKeys(this.message), errors };
  }
}

/** Returns a 400 for a body, query or path that breaks the contract, with its faults. */
export function invalid(faults: readonly Fault[], message = "Bad Request Exception"): ServiceError {
  return new ServiceError({ status: 400, message, faults: toldFaults(faults) });
}

/** Throws a 400 with the faults if there are any. */
export function refuseFaults(faults: readonly Fault[], message?: string): void {
  if (faults.length > 0) throw invalid(faults, message);
}

export function unauthorized(message: string): ServiceError {
  return new ServiceError({ status: 401, message });
}

/** Returns a 404. `title` is the name of the resource: `Gate not found.` */
export function notFound(title: string): ServiceError {
  return new ServiceError({ status: 404, message: `${title} not found.` });
}

export function taken(property: "id" | "name"): ServiceError {
  const message = "Name is already in use";
  return new ServiceError({ status: 400, message, faults: [{ property, errorMessage: message }] });
}

/** Throws a 400 if a body has another name: ignoring it would look like a successful rename. */
export function requireSameName(name: string, given: string | undefined): void {
  if (given === undefined || given === name) return;
  throw invalid([
    {
      property: "name",
      errorMessage: "Cannot be changed: leave it out, or send the name in the path",
    },
  ]);
}
