import { parentPort, workerData } from "node:worker_threads";
import { SourceError } from "../base/errors.js";
import { BESIDE_AHEAD_CHUNKS, BESIDE_CHUNK_BYTES } from "../base/limits.js";
import { Kernel } from "../batch/kernel.js";
import type { ByteSource } from "./byte-source.js";
import type { DecodeTask, FromDecoder } from "./decode-messages.js";
import { openBytes } from "./open-bytes.js";

// Entry file of a thread that decodes one source for the reader of another thread. It fills the buffers
// that it has, hands them over, and goes on when they come back.
const port = parentPort;
if (port === null) throw new Error("decode-thread runs in a worker thread only");

const free = Array.from({ length: BESIDE_AHEAD_CHUNKS }, () => new ArrayBuffer(BESIDE_CHUNK_BYTES));
let wake: (() => void) | undefined;
port.on("message", (buffer: ArrayBuffer) => {
  free.push(buffer);
  wake?.();
});

const answer = (message: FromDecoder, transfer: ArrayBuffer[] = []) =>
  port.postMessage(message, transfer);

async function takeFree(): Promise<ArrayBuffer> {
  for (;;) {
    const buffer = free.pop();
    if (buffer !== undefined) return buffer;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

async function decode({ source, ratioMax }: DecodeTask): Promise<void> {
  const { signal } = new AbortController();
  const bytes = await openBytes(source, 0, { kernel: new Kernel(), ratioMax, signal });
  for (;;) {
    const buffer = await takeFree();
    const { length, failure } = await fill(bytes, new Uint8Array(buffer));
    const { consumed } = bytes;
    if (length > 0) answer({ kind: "chunk", buffer, length, consumed }, [buffer]);
    if (failure !== undefined) throw failure;
    if (length === 0) break;
  }
  answer({ kind: "end", consumed: bytes.consumed });
  await bytes.close();
}

/** Fewer bytes than there is room for only before the end, and before the break that `failure` is. */
async function fill(
  bytes: ByteSource,
  target: Uint8Array,
): Promise<{ length: number; failure?: unknown }> {
  let length = 0;
  try {
    while (length < target.length) {
      const count = await bytes.read(target.subarray(length));
      if (count === 0) break;
      length += count;
    }
    return { length };
  } catch (failure) {
    return { length, failure };
  }
}

try {
  await decode(workerData as DecodeTask);
} catch (error) {
  // Anything else ends the thread, which the reader sees.
  if (!(error instanceof SourceError)) throw error;
  const { code, place, reason } = error;
  answer({ kind: "broken", error: { code, place, reason } });
} finally {
  port.close();
}
