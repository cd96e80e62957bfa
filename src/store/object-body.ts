import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { MIB } from "../base/limits.js";
import type { ObjectContent } from "./object-store.js";

/** Bytes that are read at a time. Of many uploads, Node's 64 KiB cost a tenth of an export's processor time. */
const READ_BYTES = MIB;

/** Returns the bytes of a content, or what opens its file: each attempt to send it reads it again. */
export function bodyOf(content: ObjectContent): Uint8Array | (() => Readable) {
  if ("bytes" in content) return content.bytes;
  return () => createReadStream(content.path, { highWaterMark: READ_BYTES });
}
