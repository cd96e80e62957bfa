import type { Kernel } from "../batch/kernel.js";
import { placeRecord, writeWords } from "../batch/kernel-record.js";
import { textFieldLayout, textLayoutLayout } from "../batch/layouts.js";
import {
  type ColumnSource,
  columnsOf,
  isJson,
  type OutputColumn,
  type RowForm,
  type RowsOptions,
  textColumnsOf,
  timestampUnits,
} from "./output-columns.js";

// The same numbers as in src/kernels/sink/jsonl.ts.
export const fieldKinds = { timestamp: 0, text: 1, json: 2, number: 3 } as const;

/** Places the columns of lines or records in kernel memory and returns their address. */
export function placeTextLayout(kernel: Kernel, options: RowsOptions, form: RowForm): number {
  const texts: readonly ColumnSource[] = textColumnsOf(options);
  const columns = columnsOf(options, form);
  const { bytes } = textFieldLayout;
  const fields = kernel.allocate(columns.length * bytes);
  let keyBytes = 0;
  const unit = columns.find(({ source }) => source === "timestamp")?.unit ?? "ms";
  const isIso = unit === "timestamp";
  for (const [index, outputColumn] of columns.entries()) {
    const { name, source } = outputColumn;
    const kind = fieldKinds[kindOf(outputColumn)];
    const isText = kind === fieldKinds.text || (kind === fieldKinds.timestamp && isIso);
    const key = new TextEncoder().encode(`,"${name}":${isText ? '"' : ""}`);
    const address = kernel.allocate(key.length);
    kernel.bytes.set(key, address);
    const column = Math.max(0, texts.indexOf(source));
    const field = { kind, column, key: address, keyLength: key.length };
    writeWords(kernel, textFieldLayout, fields + index * bytes, field);
    keyBytes += key.length;
  }
  return placeRecord(kernel, textLayoutLayout, {
    fields,
    fieldsEnd: fields + columns.length * bytes,
    keyBytes,
    unitMs: isIso ? 0 : timestampUnits[unit],
  });
}

function kindOf({ source, type }: OutputColumn): keyof typeof fieldKinds {
  if (type !== undefined) return "number";
  if (source === "timestamp") return "timestamp";
  return source === "value" || isJson(source) ? "json" : "text";
}
