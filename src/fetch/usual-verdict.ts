import type { VendorAnswer } from "./http.js";
import type { Verdict } from "./vendor.js";

/** Returns how a status is to be taken that means the same of every vendor. */
export function usualVerdict(status: number, keyAdvice: string): Verdict {
  switch (status) {
    case 200:
      return { kind: "answer" };
    case 401:
    case 403:
      return { kind: "refused", isKey: true, advice: keyAdvice };
    case 504:
      return { kind: "timed_out" };
    case 408:
    case 500:
    case 502:
    case 503:
      return { kind: "later" };
  }
  const advice = "Check the address, the project and the time span; what was fetched is kept";
  return { kind: "refused", isKey: false, advice };
}

/** Returns how a 429 is to be taken: after the seconds of its `Retry-After`, or else `elseMs`. */
export function limitedVerdict(
  { headers }: Pick<VendorAnswer, "headers">,
  elseMs: number,
): Verdict {
  const seconds = Number(headers["retry-after"]);
  return { kind: "later", waitMs: seconds > 0 ? seconds * 1_000 : elseMs };
}
