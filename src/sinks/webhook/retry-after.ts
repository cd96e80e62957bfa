/**
 * Milliseconds that a `Retry-After` header asks to wait: seconds, or the date to wait for (RFC 9110,
 * 10.2.3). Undefined where it says neither.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // Date.parse takes a lone number or word for a date too.
  if (!/^[A-Za-z]{3,9},? .*\d/.test(text)) return undefined;
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? undefined : Math.max(0, timeMs - nowMs);
}
