import type { z } from "zod";
import { option } from "../../base/option-text.js";
import { AnswerError } from "../answer-error.js";
import { WindowTooLarge } from "../fetch-error.js";
import type { VendorAnswer, VendorRequest } from "../http.js";
import { limitedVerdict, usualVerdict } from "../usual-verdict.js";
import type { Verdict } from "../vendor.js";

/** A project of PostHog and a key to it. */
export interface PosthogOptions {
  readonly key: string;
  readonly project: string;
  /** Such as `https://us.posthog.com`. */
  readonly origin: string;
}

/** The pause after a 429 without `Retry-After`. */
const LIMITED_MS = 60_000;

/** Returns a call to the API of a project: a POST if it has a body. */
export function projectRequest(
  { origin, project, key }: PosthogOptions,
  path: string,
  body?: object,
): VendorRequest {
  const url = new URL(`/api/projects/${encodeURIComponent(project)}/${path}`, origin);
  const headers = { authorization: `Bearer ${key}` };
  if (body === undefined) return { method: "GET", url, headers };
  const json = { ...headers, "content-type": "application/json" };
  return { method: "POST", url, headers: json, body: JSON.stringify(body) };
}

/** Returns the account of a project: projects of different servers have the same numbers. */
export function accountOf({ origin, project }: PosthogOptions): string {
  return `posthog-${new URL(origin).host.replaceAll(/[^\w.-]/g, "_")}-${project}`;
}

/** Returns how an answer is to be taken. `scopes`: those that the key needs. */
export function verdictOf(
  { status, headers }: Pick<VendorAnswer, "status" | "headers">,
  scopes: string,
): Verdict {
  if (status !== 429) {
    const advice = `Check POSTHOG_PERSONAL_API_KEY: it needs ${scopes} and access to the project`;
    return usualVerdict(
      status,
      `${advice}; and check ${option("project")} and ${option("region")}`,
    );
  }
  return limitedVerdict({ headers }, LIMITED_MS);
}

/** Reads an answer in JSON. Throws `WindowTooLarge` if it has more than `bytesMax` bytes. */
export function jsonOf<Result>(schema: z.ZodType<Result>, bytesMax: number) {
  return async ({ body }: VendorAnswer): Promise<Result> => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of body) {
        chunks.push(Uint8Array.from(chunk));
        bytes += chunk.length;
        if (bytes > bytesMax) break;
      }
      if (bytes <= bytesMax)
        return schema.parse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    } catch (cause) {
      throw new AnswerError("the answer is not what PostHog documents", { cause, isDamaged: true });
    }
    throw new WindowTooLarge();
  };
}

/** Calls that refuse what has nothing never return it. */
export function missing(): never {
  throw new Error("PostHog has answered nothing");
}
