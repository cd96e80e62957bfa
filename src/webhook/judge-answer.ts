import { SwitchyardError } from "../base/errors.js";
import { isObject } from "../base/is-object.js";
import { ANSWER_WORDS_MAX } from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { nameOptions, option } from "../base/option-text.js";
import { parseJson } from "../base/parse-json.js";
import type { Answer, FailureKind, NoAnswer } from "./post.js";

/** An event of a request that the service named as faulty. */
export interface RowFault {
  /** Index in the array of the request. */
  readonly row: number;
  readonly message: string;
}

/** The meaning of a response for the events of its request. */
export type Verdict =
  | { readonly kind: "delivered" }
  | {
      readonly kind: "retry";
      readonly reason: string;
      /** The events may be stored nevertheless. */
      readonly isPending: boolean;
      /** The pause that the service asks for. */
      readonly waitMs?: number;
      /** Absent if there was an answer. */
      readonly failure?: FailureKind;
    }
  | { readonly kind: "too_large"; readonly reason: string }
  | { readonly kind: "refused"; readonly reason: string; readonly faults: readonly RowFault[] }
  | { readonly kind: "stop"; readonly error: SendError };

const delivered: Verdict = { kind: "delivered" };

const retriedStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Statuses that mean that the service has stored nothing of the request. */
const undoneStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429, 503]);

/** Members that the answer of a target has if it accepted the events. */
export type Success = Readonly<Record<string, string | number | boolean>>;

/**
 * Decides what a response means. A service answers 409 while it is still working on a request with
 * the same key.
 */
export function judgeAnswer(answer: Answer, nowMs: number, success: Success = {}): Verdict {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return judgeSuccess(answer, success);
  const reason = `${status}${wordsOf(answer)}`;
  if (status >= 500 || retriedStatuses.has(status)) {
    const waitMs = parseRetryAfter(headers["retry-after"], nowMs);
    const isPending = !undoneStatuses.has(status);
    return { kind: "retry", reason, isPending, ...omitUndefined({ waitMs }) };
  }
  if (status === 413) return { kind: "too_large", reason };
  if (status === 400 || status === 422) {
    return { kind: "refused", reason, faults: faultsOf(answer) };
  }
  return { kind: "stop", error: errorOf(answer, reason) };
}

const HTML = /^\s*(<!--[\s\S]*?-->\s*|<\?xml[^>]*>\s*)*<(!doctype html|html|head|body)\b/i;

/** A status of success counts only if the body does not say the contrary, and has what the target's has. */
function judgeSuccess(answer: Answer, success: Success): Verdict {
  const { status, text } = answer;
  const said = `the service answered ${status}`;
  if (HTML.test(text)) {
    const title = /<title[^>]*>([^<]*)<\/title>/i.exec(text)?.[1]?.trim() ?? "";
    const page = title === "" ? "a page" : `the page ${JSON.stringify(cut(title))}`;
    const advice = `as a proxy or a login does, and nothing that takes events; check the address that ${option("to")} names`;
    return notAccepted(`${said} with ${page}, ${advice}`);
  }
  const needed = Object.entries(success);
  // Most answers are short and have no such word.
  if (needed.length === 0 && !DOUBT.test(text)) return delivered;
  const parsed = parseJson(text);
  if (parsed === false || parsed === 0) return notAccepted(`${said} and ${text.trim()}`);
  const results = Array.isArray(parsed) ? parsed.filter(isObject) : [];
  const body = isObject(parsed) ? parsed : {};
  const fault = [body, ...results]
    .flatMap((one) => Object.entries(one))
    .find(([name, value]) => saysFailure(name, value));
  if (fault !== undefined) {
    return notAccepted(`${said} and ${cut(memberText(fault))}${wordsOf(answer)}`);
  }
  const missing = needed.find(([name, value]) => body[name] !== value);
  if (missing === undefined) return delivered;
  const received = text.trim() === "" ? "an empty body" : cut(text.trim());
  return notAccepted(`${said} without ${memberText(missing)}: ${received}`);
}

/** Words of all members that can say that events were not accepted. */
const DOUBT = /false|err|fail|reject|invalid|dropped|^\s*0\s*$/i;

/** Members with which services tell failures, of all events or of some. */
const failureMember =
  /^(errors?|insert_?errors|(num(ber)?_?(of_?)?)?(fail(ed|ures?)|rejected|invalid|dropped)(_?(count|events?|records?|rows?))?|partial_?failures?)$/i;

function saysFailure(name: string, value: unknown): boolean {
  if (name === "success" || name === "ok") return value === false || value === "false";
  if (name === "status") return typeof value === "string" && /^(error|fail(ed|ure)?)$/i.test(value);
  if (!failureMember.test(name)) return false;
  return Array.isArray(value) || isObject(value)
    ? Object.keys(value).length > 0
    : !["", 0, "0", false, null].includes(value as string);
}

function memberText([name, value]: readonly [string, unknown]): string {
  return `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
}

function notAccepted(reason: string): Verdict {
  return { kind: "stop", error: new SendError("send_not_accepted", reason) };
}

/** Advice for addresses that no retry can reach. */
const addressAdvice: Partial<Record<FailureKind, string>> = {
  host_unknown: `check the host that ${option("to")} names`,
  certificate_untrusted: "check the address, or pass the authority in NODE_EXTRA_CA_CERTS",
  certificate_of_other_host: `pass a host that the certificate names with ${option("to")}`,
  certificate_out_of_date: "have it renewed, or check the clock of this machine",
  no_tls: `pass http:// with ${option("to")} if the service does not use TLS, or check the port`,
};

/**
 * Decides what a missing response means. `isReached`: the service has answered before, so its
 * address and certificate are right.
 */
export function judgeFailure({ kind, message }: NoAnswer, isReached: boolean): Verdict {
  const advice = addressAdvice[kind];
  if (!isReached && advice !== undefined) {
    const isUnknown = kind === "host_unknown";
    const error = new SendError(
      isUnknown ? "send_host_unknown" : "send_certificate",
      `${message}; ${advice}`,
    );
    return { kind: "stop", error };
  }
  return {
    kind: "retry",
    reason: message,
    isPending: kind === "lost" || kind === "timed_out",
    failure: kind,
  };
}

/** Returns the error for a response that a retry cannot fix. */
function errorOf({ status, headers }: Answer, reason: string): SendError {
  const said = `the service answered ${reason}`;
  if (status < 400) {
    const target = headers["location"] ?? "an unnamed address";
    return new SendError(
      "send_redirected",
      `${said}, to go to ${target}. The secret is not sent there; if the address is right, pass it with ${option("to")}`,
    );
  }
  switch (status) {
    case 401:
      return new SendError(
        "send_unauthorized",
        `${said}; check the server secret, and the header that carries it`,
      );
    case 403:
      return new SendError("send_forbidden", `${said}; check what the server secret may do`);
    case 404:
      return new SendError(
        "send_not_found",
        `${said}; check the address that ${option("to")} names: a base URL without /v1/webhooks/event_webhook, or with the path of the target`,
      );
    default:
      return new SendError(
        "send_unsupported",
        `${said}; check that this is an address that takes events`,
      );
  }
}

type ErrorAnswer = Readonly<Record<string, unknown>>;

/** Returns `: ` and the message of the service, or nothing. */
function wordsOf({ text }: Answer): string {
  const body = parseObject(text);
  const message =
    typeof body?.["message"] === "string" ? body["message"] : body === undefined ? text : "";
  const faults = faultEntries(body).map(({ property, errorMessage }) =>
    property === "" ? errorMessage : `${property}: ${errorMessage}`,
  );
  const words = [message.trim(), ...faults].filter((part) => part !== "").join("; ");
  return words === "" ? "" : `: ${cut(words)}`;
}

/** Returns the faults that name an event of the array: `[3].timestamp`. */
function faultsOf({ text }: Answer): readonly RowFault[] {
  const byRow = new Map<number, string[]>();
  for (const { property, errorMessage } of faultEntries(parseObject(text))) {
    const match = /^\[(\d+)\](?:\.(.*))?$/s.exec(property);
    if (match === null) continue;
    const row = Number(match[1]);
    const words = match[2] === undefined ? errorMessage : `${match[2]}: ${errorMessage}`;
    byRow.set(row, [...(byRow.get(row) ?? []), words]);
  }
  return [...byRow].map(([row, words]) => ({ row, message: cut(words.join("; ")) }));
}

function faultEntries(body: ErrorAnswer | undefined) {
  const errors = Array.isArray(body?.["errors"]) ? (body["errors"] as readonly unknown[]) : [];
  return errors.flatMap((entry) => {
    const { property, errorMessage } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof errorMessage !== "string") return [];
    return [{ property: typeof property === "string" ? property : "", errorMessage }];
  });
}

function parseObject(text: string): ErrorAnswer | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

function cut(words: string): string {
  return words.length > ANSWER_WORDS_MAX ? `${words.slice(0, ANSWER_WORDS_MAX - 1)}…` : words;
}

/**
 * Returns the milliseconds that a `Retry-After` header asks to wait: seconds, or a date (RFC 9110,
 * 10.2.3). Returns undefined for anything else.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // Date.parse also accepts a single number or word as a date.
  if (!/^[A-Za-z]{3,9},? .*\d/.test(text)) return undefined;
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? undefined : Math.max(0, timeMs - nowMs);
}

/** Sending cannot continue. What was acknowledged is recorded: the same command resumes it. */
export class SendError extends SwitchyardError {
  /** The message without the way to resume. */
  readonly reason: string;

  constructor(code: string, reason: string) {
    super(code, `${reason}. What was delivered is recorded: run the same command again to resume`);
    this.reason = nameOptions(reason);
  }
}
