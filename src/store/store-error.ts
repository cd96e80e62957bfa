import { SwitchyardError } from "../base/errors.js";

/** A call to an object store failed. The message names the object or bucket, and what to do. */
export class StoreError extends SwitchyardError {
  constructor(
    code: string,
    /** The message without the address. */
    readonly reason: string,
    address: string,
    /** The same call may succeed later. */
    readonly isTransient: boolean,
    options?: ErrorOptions,
  ) {
    super(code, `${address}: ${reason}`, options);
  }
}
