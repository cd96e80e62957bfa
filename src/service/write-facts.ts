import type { CallFacts } from "../http/handler.js";
import type { Author } from "../storage/author.js";
import type { WriteOptions } from "../storage/store.js";

/** A call that writes. With `dryRun` in its query or body, it is answered alike and stores nothing. */
export interface WriteFacts extends Pick<CallFacts, "caller" | "requestID" | "ifMatch"> {
  readonly query?: { readonly dryRun?: boolean };
  readonly body?: unknown;
}

/** Returns how the store makes the writes of a call. */
export function writeOptionsOf(
  call: Omit<WriteFacts, "ifMatch">,
): Required<Pick<WriteOptions, "rehearse" | "author">> {
  return { rehearse: isDryRun(call), author: authorOf(call) };
}

/** Returns who makes the writes of a call. */
export function authorOf({ caller, requestID }: Pick<CallFacts, "caller" | "requestID">): Author {
  return { keyID: caller.id, keyName: caller.name, requestID };
}

/** Only schemas of qualifying events let a `dryRun` of the body pass. */
function isDryRun({ query, body }: Pick<WriteFacts, "query" | "body">): boolean {
  return query?.dryRun === true || (body as { readonly dryRun?: unknown } | null)?.dryRun === true;
}
