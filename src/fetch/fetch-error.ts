import { SwitchyardError } from "../base/errors.js";

/** Codes of what ends a fetch, or a window of it. */
type FetchCode =
  | "vendor_key_refused"
  | "vendor_refused"
  | "vendor_unavailable"
  | "vendor_answer_damaged"
  | "window_too_large"
  | "window_files_missing";

/** A window that could not be fetched. The message has the window, the vendor's words, and what to do. */
export class FetchError extends SwitchyardError {
  constructor(
    code: FetchCode,
    { what, why, advice }: { readonly what: string; readonly why: string; readonly advice: string },
    options?: ErrorOptions,
  ) {
    super(code, `${what}: ${why}. ${advice}`, options);
  }
}

/** The server does not have the API that was asked. */
export class ApiAbsent extends FetchError {}

/** A window that the vendor cannot answer for at once. */
export class WindowTooLarge extends Error {}
