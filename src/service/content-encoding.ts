import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { ZstdDecoder } from "../base/zstd-decoder.js";
import { loadZstd } from "../base/zstd-library.js";
import { malformed } from "./request-body.js";
import { ServiceError } from "./service-error.js";

const inflate = promisify(gunzip);

let zstd: Promise<ZstdDecoder> | undefined;

/**
 * Decodes a body of at most `bytesMax` bytes. An empty body stays undefined with any encoding. Throws 415 for an
 * encoding other than gzip and zstd, 413 for a longer body and 400 for damage.
 */
export async function decodeContent(
  bytes: Buffer,
  encoding: string | undefined,
  bytesMax: number,
): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase();
  if (bytes.length === 0 || name === undefined || name === "" || name === "identity") return bytes;
  switch (name) {
    case "gzip":
    case "x-gzip":
      return ungzip(bytes, bytesMax);
    case "zstd":
      return unzstd(bytes, bytesMax);
    default:
      throw new ServiceError({
        status: 415,
        message: "Content-Encoding must be gzip or zstd, or absent",
      });
  }
}

async function ungzip(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    return await inflate(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(bytesMax);
    throw malformed("Body is not valid gzip");
  }
}

async function unzstd(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  zstd ??= loadZstd().then((library) => new ZstdDecoder(library));
  const decoder = await zstd;
  const parts: Buffer[] = [];
  let length = 0;
  const isWhole = decoder.decode(bytes, (part) => {
    length += part.length;
    if (length <= bytesMax) parts.push(Buffer.from(part));
    return length <= bytesMax;
  });
  if (length > bytesMax) throw tooLarge(bytesMax);
  if (!isWhole) throw malformed("Body is not valid zstd");
  return Buffer.concat(parts);
}

function tooLarge(bytesMax: number): ServiceError {
  return new ServiceError({
    status: 413,
    message: `Body has more than ${bytesMax} bytes after decoding; this route accepts at most ${bytesMax}`,
  });
}
