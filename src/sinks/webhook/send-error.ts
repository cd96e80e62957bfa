import { SwitchyardError } from "../../base/errors.js";

/** Sending cannot go on. What was acknowledged is remembered; the same command goes on from there. */
export class SendError extends SwitchyardError {
  constructor(code: string, reason: string) {
    super(code, `${reason}. What was delivered is remembered: the same command goes on from there`);
  }
}
