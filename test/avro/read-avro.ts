import { AvroRows } from "../../src/avro/avro-rows.js";
import { type Delivery, deliverBytes } from "../readers/conformance.js";

export interface AvroReading extends Delivery {
  readonly rowBytesMax?: number;
}

/** Returns the rows of a file as JSON, and the error that it ends in. */
export async function readAvro(
  content: Uint8Array,
  { rowBytesMax = 1_000_000, ...delivery }: AvroReading = {},
): Promise<{ readonly rows: readonly string[]; readonly error: unknown }> {
  const bytes = new AvroRows(deliverBytes(content, 0, delivery), "events.avro", rowBytesMax);
  const parts: Buffer[] = [];
  let error: unknown;
  try {
    for (;;) {
      const target = Buffer.alloc(100_000);
      const read = await bytes.read(target);
      if (read === 0) break;
      parts.push(target.subarray(0, read));
    }
  } catch (thrown) {
    error = thrown;
  }
  await bytes.close();
  const text = Buffer.concat(parts).toString();
  return { rows: text.split("\n").slice(0, -1), error };
}
