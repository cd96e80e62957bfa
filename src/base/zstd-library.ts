/**
 * The exports of the reference decoder's WebAssembly build. Addresses and sizes are bytes in its memory;
 * a buffer is three u32: address, size, position (ZSTD_inBuffer, ZSTD_outBuffer).
 */
export interface ZstdExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  malloc(size: number): number;
  free(address: number): void;
  ZSTD_createDCtx(): number;
  ZSTD_freeDCtx(context: number): number;
  /** Returns 0 at the end of a frame, else how many bytes to pass next; see `errorNumber`. */
  ZSTD_decompressStream(context: number, output: number, input: number): number;
}

let loading: Promise<ZstdExports> | undefined;

/**
 * Loads the reference decoder, one instance for each thread.
 *
 * It is used with all versions of Node: Node's own decoder (from 22.15) is not faster, and stops without an
 * error after the first of several frames in one write. The package's streaming function never ends on
 * damaged input, so we call its exports directly. That is why its version is pinned.
 */
export function loadZstd(): Promise<ZstdExports> {
  loading ??= load();
  return loading;
}

async function load(): Promise<ZstdExports> {
  const { ZSTDDecoder } = await import("zstddec/stream");
  const decoder = new ZSTDDecoder();
  const initialize = decoder._init;
  let exports: unknown;
  decoder._init = (result) => {
    initialize(result);
    exports = (result as unknown as { instance: { exports: unknown } }).instance.exports;
  };
  await withoutFetch(() => decoder.init());
  if (exports === undefined) throw new Error("other code has already initialized zstddec/stream");
  return exports as ZstdExports;
}

/**
 * Calls `start` while there is no global `fetch`. With it, the package decodes its base64 text by a request,
 * which loads Node's HTTP client: 40 ms of processor time in each thread, instead of 4.
 */
function withoutFetch<Result>(start: () => Result): Result {
  const property = Object.getOwnPropertyDescriptor(globalThis, "fetch");
  Reflect.deleteProperty(globalThis, "fetch");
  try {
    return start();
  } finally {
    if (property !== undefined) Object.defineProperty(globalThis, "fetch", property);
  }
}

/** The error number of a result, 0 for none (zstd_errors.h: results of -1 to -119). */
export function errorNumber(result: number): number {
  return result < 0 && result > -120 ? -result : 0;
}

/** Explains an error of data that is intact but not supported; null for damage. */
export function explainUnreadableZstd(
  error: number,
): { readonly what: string; readonly advice: string } | null {
  switch (error) {
    case 16:
      return {
        what: "the zstd data needs a window of more than 128 MiB",
        advice: "Compress it again without --long and --ultra.",
      };
    case 32:
      return {
        what: "the zstd data was compressed with a dictionary",
        advice: "Decompress it with that dictionary.",
      };
    default:
      return null;
  }
}

/** Describes an error by its number in zstd_errors.h. */
export function describeZstdError(error: number): string {
  switch (error) {
    case 10:
      return "not a zstd frame";
    case 20:
      return "a block is corrupt";
    case 22:
      return "the checksum is wrong";
    case 64:
      return "not enough memory for its window";
    default:
      return `zstd error ${error}`;
  }
}
