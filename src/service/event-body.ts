import { setImmediate } from "node:timers/promises";
import { eventTexts } from "./event-text.js";
import {
  checkDepth,
  malformed,
  parseText,
  type RequestBody,
  shapeOf,
  textOf,
} from "./request-body.js";
import { invalid } from "./service-error.js";
import type { ServiceLimits } from "./service-limits.js";

/** Characters of a body that is parsed at once, which takes at most about 30 ms. */
const PARSED_AT_ONCE_CHARACTERS_MAX = 256 * 1_024;

/** Milliseconds of parsing until other requests get their turn. */
const SLICE_MS = 10;

/**
 * Parses a body of the event route. Names of properties are data, so all of them are allowed. An event
 * has a bounded number of values, and the events of a large body are parsed one by one, as other requests
 * wait meanwhile. Throws like `readBody`.
 */
export async function readEventBody(
  bytes: Buffer,
  contentType: string | undefined,
  { bodyDepthMax, eventValuesMax }: ServiceLimits,
): Promise<RequestBody> {
  const text = textOf(bytes, contentType);
  if (text === undefined) return { text, value: undefined };
  const shape = shapeOf(bytes);
  checkDepth(shape, bodyDepthMax);
  // A property has a comma and a colon, a list element a comma.
  if (shape.separators > 2 * eventValuesMax) {
    const errorMessage =
      `An event has too many values: at most ${eventValuesMax} properties, or ` +
      `${2 * eventValuesMax} list elements`;
    throw invalid([{ property: "", errorMessage }]);
  }
  const isLarge = text.length > PARSED_AT_ONCE_CHARACTERS_MAX;
  return { text, value: isLarge ? await parseInSlices(text) : parseText(text) };
}

async function parseInSlices(text: string): Promise<unknown> {
  const values: unknown[] = [];
  let sliceStart = performance.now();
  const texts = eventTexts(text);
  if (texts === undefined) return parseText(text);
  try {
    for (const one of texts) {
      values.push(JSON.parse(one));
      if (performance.now() - sliceStart < SLICE_MS) continue;
      await setImmediate();
      sliceStart = performance.now();
    }
  } catch (cause) {
    throw malformed(`Body is not valid JSON: [${values.length}]: ${(cause as Error).message}`);
  }
  return values;
}
