/** Three lines of JSON. */
export const ZSTD_SAMPLE_TEXT = [
  '{"event_type":"open","event_time":"2024-01-31 17:00:00.000000","user_id":"a"}',
  '{"event_type":"open","event_time":"2024-01-31 17:00:01.000000","user_id":"b"}',
  '{"event_type":"close","event_time":"2024-01-31 17:00:02.000000","user_id":"a"}',
  "",
].join("\n");

/** The same, compressed by the reference tool with `zstd -19 --check`. */
export const ZSTD_SAMPLE = Buffer.from(
  "KLUv/STr1QIAUkQQF4CrDtg8GN9y+Mpmagben0UiCgUycpnCayVUkEOByIaZE9eYlY2TL/zsZ4UGOii9ItbX4pLfRmjmjc9s862zhgIIACADhRQcBR4DWlQUzuoKAwE/YjIBmWxiNg==",
  "base64",
);

const BLOCK_BYTES_MAX = 128 * 1024;
const FRAME_HEADER = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50]);

/** A frame of stored blocks with a window of 1 MiB, without content size and checksum (RFC 8878). */
export function storedFrame(data: Uint8Array): Buffer {
  const blocks: Uint8Array[] = [];
  for (let start = 0; start === 0 || start < data.length; start += BLOCK_BYTES_MAX) {
    const content = data.subarray(start, start + BLOCK_BYTES_MAX);
    const last = start + BLOCK_BYTES_MAX >= data.length;
    blocks.push(blockHeader(last, 0, content.length), content);
  }
  return Buffer.concat([FRAME_HEADER, ...blocks]);
}

/** A frame that repeats one byte: four bytes for each 128 KiB. */
export function repeatedFrame(byte: number, blocks: number): Buffer {
  const block = Buffer.concat([blockHeader(false, 1, BLOCK_BYTES_MAX), Buffer.from([byte])]);
  return Buffer.concat([
    FRAME_HEADER,
    ...Array.from({ length: blocks }, () => block),
    blockHeader(true, 0, 0),
  ]);
}

/** A frame that decoders leave out. */
export function skippableFrame(data: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(0x184d2a53, 0);
  header.writeUInt32LE(data.length, 4);
  return Buffer.concat([header, data]);
}

function blockHeader(last: boolean, type: number, size: number): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((last ? 1 : 0) | (type << 1) | (size << 3), 0, 3);
  return header;
}
