import { JsonReader } from "../readers/json/json-reader.js";
import type { OpenedRange, Reader } from "../readers/reader.js";
import { AvroRows } from "./avro-rows.js";

/** Opens the rows of an Avro file. Byte offsets of rows count the bytes of their JSON. */
export function openAvroReader({ kernel, range, fields, bytes, options }: OpenedRange): Reader {
  const rows = new AvroRows(bytes, range.source.name, options.rowBytesMax);
  return new JsonReader(kernel, range, fields, rows, "lines", options);
}
