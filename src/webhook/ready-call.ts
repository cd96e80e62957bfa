import { setTimeout as sleep } from "node:timers/promises";
import { backOffMs, serviceBackOff } from "../base/back-off.js";
import { judgeAnswer, judgeFailure, SendError, type Verdict } from "./judge-answer.js";
import { type Answer, NoAnswer } from "./post.js";
import { createPoster } from "./undici-post.js";

/** The call that tells a service that the events of a day are complete. */
export interface ReadyCall {
  readonly url: string;
  readonly authHeader: string;
  /** A secret: never printed, never written. */
  readonly secret: string;
  /** The member of the body with the day. */
  readonly day: string;
  /** Other members of the body. */
  readonly body: Readonly<Record<string, string>>;
  /** Seconds between two calls. */
  readonly secondsApart: number;
  /** Milliseconds for one attempt. */
  readonly timeoutMs: number;
}

/** Attempts of one call. */
const ATTEMPTS_MAX = 5;

/** Longer waits end the run: it can go on later. */
const WAIT_MS_MAX = 15 * 60_000;

/** Opens a connection for announcements. The caller closes it. */
export function openReadyCaller(call: ReadyCall, signal: AbortSignal) {
  const { url, authHeader, secret, timeoutMs } = call;
  const options = { url: new URL(url), secret, authHeader, concurrency: 1, timeoutMs };
  const poster = createPoster(options);
  const attempt = async (body: Uint8Array, key: string): Promise<Verdict> => {
    try {
      const answer: Answer = await poster.post(body, key, false);
      return judgeAnswer(answer, Date.now());
    } catch (error) {
      if (error instanceof NoAnswer) return judgeFailure(error, false);
      throw error;
    }
  };
  return {
    /** Announces a day. Throws `SendError` if the service does not take it. */
    async announce({ day, digest }: { readonly day: string; readonly digest: string }) {
      const body = Buffer.from(JSON.stringify({ ...call.body, [call.day]: day }));
      for (let attempts = 1; ; attempts++) {
        const verdict = await attempt(body, `ready-${day}-${digest.slice(0, 16)}`);
        if (verdict.kind === "delivered") return;
        if (verdict.kind === "stop") throw verdict.error;
        const waitMs = verdict.kind === "retry" ? verdict.waitMs : undefined;
        const isLast = attempts === ATTEMPTS_MAX || (waitMs ?? 0) > WAIT_MS_MAX;
        if (verdict.kind !== "retry" || isLast) {
          throw new SendError("ready_refused", `${url} did not take ${day}: ${verdict.reason}`);
        }
        const delayMs = waitMs ?? backOffMs(attempts, serviceBackOff, Math.random);
        await sleep(delayMs, undefined, { signal });
      }
    },
    close: () => poster.close(),
  };
}
