import type { FetchClock } from "../../src/fetch/fetch-clock.js";
import type { Send, VendorAnswer } from "../../src/fetch/http.js";

type Sleeper = Pick<FetchClock, "sleep">;

/** Passes requests to a vendor, and disturbs some of them as networks and proxies do. */
export function faultyNetwork(
  send: Send,
  { clock, random, share }: { clock: Sleeper; random: () => number; share: number },
): Send {
  const chance = () => random() < share;
  const below = (count: number) => Math.floor(random() * count);
  return async (request, signal) => {
    await clock.sleep(50 + below(200), signal);
    if (chance()) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const answer = await send(request, signal);
    if (chance()) {
      for await (const _ of answer.body);
      const status = [408, 429, 500, 502, 503, 504][below(6)] ?? 500;
      return { status, headers: {}, body: once("busy") };
    }
    if (answer.status !== 200 || !chance())
      return { ...answer, body: slow(answer.body, clock, signal) };
    return { ...answer, body: disturbed(answer.body, below(4), random) };
  };
}

async function* once(text: string): VendorAnswer["body"] {
  yield Buffer.from(text);
}

async function* slow(
  body: VendorAnswer["body"],
  clock: Sleeper,
  signal: AbortSignal,
): VendorAnswer["body"] {
  for await (const chunk of body) {
    await clock.sleep(1_000, signal);
    yield chunk;
  }
}

/** A reset, an end that looks whole, an altered byte, or the page of a proxy. */
async function* disturbed(
  body: VendorAnswer["body"],
  how: number,
  random: () => number,
): VendorAnswer["body"] {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Uint8Array.from(chunk));
  const bytes = Buffer.concat(chunks);
  const at = Math.floor(random() * bytes.length);
  // Small answers come without a checksum: that of the connection is all that they have.
  const hasChecksum = ["PK", "\x1f\x8b"].includes(bytes.toString("latin1", 0, 2));
  if (how === 3) yield* once("<html>Please sign in</html>");
  else if (how === 2 && hasChecksum) {
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    yield bytes;
  } else {
    yield bytes.subarray(0, at);
    if (how === 0 || !hasChecksum)
      throw Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
  }
}
