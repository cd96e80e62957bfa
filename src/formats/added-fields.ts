import { hasListStep } from "../base/list-step.js";
import type { FieldRequest } from "../batch/batch.js";
import type { Kernel } from "../batch/kernel.js";
import type { Reader } from "../readers/reader.js";
import { isDirectoryField, isPathField } from "../sources/path-columns.js";
import type { Source } from "../sources/source.js";

type OpenFields = (fields: readonly FieldRequest[]) => Promise<Reader>;

/** Opens a reader, with the fields that the path of its source has if there are any. */
export async function openWithPath(
  kernel: Kernel,
  source: Pick<Source, "name" | "entry">,
  fields: readonly FieldRequest[],
  open: OpenFields,
): Promise<Reader> {
  const hasColumns = source.name.includes("=") ? fields.some(isPathField) : false;
  if (!hasColumns && !fields.some(isDirectoryField)) return open(fields);
  const { withPathFields } = await import("../readers/path-fields-reader.js");
  return withPathFields(kernel, source, fields, open);
}

/** Opens a reader, with the fields of objects that are chosen from lists if there are any. */
export async function openWithItems(
  kernel: Kernel,
  fields: readonly FieldRequest[],
  rowBytesMax: number,
  open: OpenFields,
): Promise<Reader> {
  if (!fields.some(hasListStep)) return open(fields);
  const { withListItems } = await import("../readers/list-items-reader.js");
  return withListItems(kernel, fields, rowBytesMax, open);
}
