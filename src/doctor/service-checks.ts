import { randomUUID } from "node:crypto";
import { flagText } from "../base/option-text.js";
import { parseJson } from "../base/parse-json.js";
import type { ConsoleAccess } from "../options/console-options.js";
import type { SendRequest } from "../options/options.js";
import { judgeAnswer, judgeFailure, type SendError } from "../webhook/judge-answer.js";
import { type Answer, NoAnswer } from "../webhook/post.js";
import { createPoster } from "../webhook/undici-post.js";
import { type Check, ok, warning } from "./check.js";
import { checkClock } from "./machine-checks.js";
import { harmlessAddress } from "./option-origins.js";
import type { SystemFacts } from "./system-facts.js";

/** A run waits longer, but a check ends in seconds. */
const ANSWER_MS_MAX = 10_000;

const NO_EVENTS = Buffer.from("[]");

/**
 * Sends a list without events to a webhook. A service checks the secret before it refuses or accepts the
 * list; there is nothing that it could store.
 */
export async function checkWebhook(
  { eventUrl, serverSecret: secret, authHeader, timeoutMs }: SendRequest,
  system: SystemFacts,
): Promise<readonly Check[]> {
  const url = new URL(eventUrl);
  const limitMs = Math.min(timeoutMs, ANSWER_MS_MAX);
  const poster = createPoster({ url, secret, authHeader, concurrency: 1, timeoutMs: limitMs });
  try {
    const answer = await poster.post(NO_EVENTS, randomUUID(), false);
    const clock = checkClock(url.origin, Date.parse(answer.headers["date"] ?? ""), system);
    return [describeAnswer(url, answer, system), ...clock];
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return [describeSilence(url, error)];
  } finally {
    await poster.close();
  }
}

function describeAnswer({ href }: URL, answer: Answer, { now }: SystemFacts): Check {
  const verdict = judgeAnswer(answer, now());
  switch (verdict.kind) {
    case "delivered":
      return ok("webhook", `${href} takes the secret, and an empty list`);
    case "stop":
      return refused(href, verdict.error);
    case "refused":
      if (typeof parseJson(answer.text) === "object")
        return ok("webhook", `${href} takes the secret; it refuses an empty list, as it may`);
      return unsure(href, `it answered ${verdict.reason}, which is not JSON`);
    default:
      return unsure(href, `it answered ${verdict.reason} to an empty list`);
  }
}

function describeSilence({ href, protocol }: URL, silence: NoAnswer): Check {
  const verdict = judgeFailure(silence, false);
  if (verdict.kind === "stop") return refused(href, verdict.error);
  const { kind, message } = silence;
  const isPlain = protocol === "http:" && (kind === "lost" || kind === "not_connected");
  const tls = isPlain ? ", or write https:// if it needs TLS" : "";
  const advice = `start the service, or check the address${tls}`;
  return {
    name: "webhook",
    state: "failed",
    message: `${href}: no answer (${message}); ${advice}`,
    code: "send_unreachable",
  };
}

function refused(href: string, { code, reason }: SendError): Check {
  return { name: "webhook", state: "failed", message: `${href}: ${reason}`, code };
}

function unsure(href: string, reason: string): Check {
  return warning("webhook", `${href}: ${reason}; check that it is an event webhook`);
}

/** Reads the qualifying events of a console. */
export async function checkConsole(access: ConsoleAccess, signal: AbortSignal): Promise<Check> {
  const { createConsoleClient } = await import("../console/client.js");
  const { readQualifyingEvents } = await import("../console/qualify.js");
  const limits = { timeoutMs: ANSWER_MS_MAX, retriesMax: 0 };
  const client = createConsoleClient({ ...access, ...limits });
  const { length } = await readQualifyingEvents(client, signal);
  const message = `the key can read ${length} qualifying events; only qualify ${flagText("dryRun")} shows whether it may write`;
  return ok("console", `${harmlessAddress(access.baseUrl)}: ${message}`);
}

/** Connects to the Redis of a queue. */
export async function checkQueue(url: string): Promise<Check> {
  const { harmlessUrl, WorkQueue } = await import("../distributed/work-queue.js");
  await WorkQueue.check(url);
  return ok("queue", `${harmlessUrl(url)} answers`);
}
