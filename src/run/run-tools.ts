import { isDeepStrictEqual } from "node:util";
import { MIB, SNIFF_BYTES } from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { createFormatDetection, openRange } from "../formats/input-formats.js";
import { rowFieldsOf } from "../mapper/field-plan.js";
import type { MapperOptions } from "../mapper/mapper-options.js";
import { changesEvents } from "../mapper/privacy-path.js";
import { loadTransform } from "../mapper/transform.js";
import type { RunOptions } from "../options/options.js";
import type { OpenReader } from "../readers/reader.js";
import { InspectionBuffers } from "../sources/file-inspector.js";
import { identifyContainer } from "../sources/magic.js";
import { fetchObject } from "../sources/object-bytes.js";
import type { ReaderOptions } from "../sources/read-options.js";
import type { Source, SourceRange } from "../sources/source.js";
import { type DetectFormat, detectSource } from "../sources/source-discovery.js";
import { formatDiffers } from "../sources/source-errors.js";

/** Returns the options of a worker's mapper. Loads the transform module. */
export async function loadMapperOptions(
  options: RunOptions,
  maxTimeMs: number,
): Promise<MapperOptions> {
  const { minTimeMs, fromTimeMs, toTimeMs, includeEvents, excludeEvents, privacy } = options;
  const { transformPath, types, identity, target } = options;
  const transform = transformPath === undefined ? undefined : await loadTransform(transformPath);
  return {
    mapping: options.mapping,
    minTimeMs,
    maxTimeMs,
    includeEvents,
    excludeEvents,
    ...omitUndefined({ fromTimeMs, toTimeMs, transform, types, identity, target }),
    ...(changesEvents(privacy) ? { privacy } : {}),
  };
}

type DetectionOptions = Pick<RunOptions, "csv" | "inputFormat" | "mapping">;

/** Detects formats as a run with these options does. `rowFields`: names of members that rows may have. */
export function detectionOf(
  { csv, inputFormat, mapping }: DetectionOptions,
  rowFields = rowFieldsOf(mapping),
): DetectFormat {
  return createFormatDetection({ csv, kind: inputFormat, rowFields });
}

/**
 * Opens the sources that a run with these options has discovered. With `rowFields` the rows are those of the
 * sources, not the elements that the mapping makes rows.
 */
export function openSources(
  options: DetectionOptions,
  rowFields?: ReturnType<typeof rowFieldsOf>,
): OpenReader {
  const { rows } = options.mapping;
  const open: OpenReader =
    rows === undefined || rowFields !== undefined
      ? openRange
      : (kernel, range, fields, more) => openRange(kernel, range, fields, { ...more, rows });
  return openWith(detectionOf(options, rowFields), open);
}

/** Bytes of an object that is fetched as a whole when its format is detected. */
const WHOLE_BYTES = MIB;

/**
 * Opens ranges as `open` does. The format of a sampled object is detected first, from the bytes that are
 * read then. The reader has the source as it is. Throws `source_format_differs` for one that was cut as
 * what it is not, and for a zip.
 */
function openWith(detect: DetectFormat, open: OpenReader): OpenReader {
  let buffers: InspectionBuffers | undefined;
  return async (kernel, range, fields, options) => {
    if (range.source.sampled !== true) return open(kernel, range, fields, options);
    buffers ??= new InspectionBuffers();
    const given = options.fetched;
    const head = given?.start === 0 ? given.bytes : await fetchHead(range, options);
    const fetched = { start: 0, bytes: head };
    const { name, path, size, fingerprint } = range.source;
    if (identifyContainer(head)?.kind === "zip")
      throw formatDiffers(name, "is a zip", "Give it a name that ends in .zip.");
    const stored = { name, path, codecs: [], size, fingerprint };
    const source = await detectSource(stored, head, buffers, {
      ...options,
      kernel,
      detect,
      fetched,
    });
    refuseOtherCut(range, source);
    const known = { ...options, fetched: given ?? fetched };
    const reader = await open(kernel, { ...range, source }, fields, known);
    reader.source = source;
    return reader;
  };
}

async function fetchHead(
  { source, start }: SourceRange,
  options: ReaderOptions,
): Promise<Uint8Array> {
  const { size } = source;
  const end = size <= WHOLE_BYTES && start === 0 ? size : Math.min(size, SNIFF_BYTES);
  const head = Buffer.alloc(end);
  if (end === 0) return head;
  await fetchObject(source, { start: 0, end }, options, (bytes, position) => {
    head.set(bytes, position);
  });
  return head;
}

function refuseOtherCut({ source: planned, start, end }: SourceRange, source: Source): void {
  const isWhole = start === 0 && end === null;
  const formatOf = ({ codecs, format }: Source) => ({ codecs, format });
  if (isWhole || isDeepStrictEqual(formatOf(planned), formatOf(source))) return;
  const advice = "Move it below another prefix, so that it is opened before it is cut.";
  throw formatDiffers(source.name, `is not ${planned.format.kind} of the same form`, advice);
}
