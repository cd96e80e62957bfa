// Inputs that grow: in rows, and in days.
import { closeSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { amplitudeTime } from "../../fixtures/make/amplitude-rows.mjs";
import { createRandom } from "../../fixtures/make/random.mjs";
import { benchDirectory } from "../command.mjs";
import { makeInputs, writeText } from "./inputs.mjs";

const DAY_MS = 86_400_000;
const firstMs = Date.UTC(2023, 0, 1);
const CHUNK_BYTES = 4_000_000;
const NEW_LINE = 0x0a;
const timeKey = Buffer.from('"event_time":"');
const names = ["page_view", "search", "add_to_cart", "checkout_completed", "session_start"];

/** Rows of 0.2 KB, in order of time. */
export function makeRowsInOrder(directory, rows, days) {
  mkdirSync(directory, { recursive: true });
  const stepMs = (days * DAY_MS) / rows;
  writeText(join(directory, "events.jsonl"), countTo(rows), (index) => smallRow(index, stepMs));
}

function* countTo(end) {
  for (let index = 0; index < end; index++) yield index;
}

function smallRow(index, stepMs) {
  const time = amplitudeTime(Math.floor(firstMs + index * stepMs));
  return (
    `{"event_type":"${names[index % names.length]}","event_time":"${time}",` +
    `"user_id":"customer-${index % 99_991}","device_id":"device-${index % 199_999}",` +
    `"event_properties":{"index":${index},"page":"/tea/${index % 17}"},` +
    `"user_properties":{"plan":"${index % 3 === 0 ? "free" : "yearly"}"}}\n`
  );
}

/** The usual rows of 1.3 KB, each put on one of `days` days by chance. */
export async function makeRowsOverDays(directory, rows, days) {
  const { ndjson } = await makeInputs(benchDirectory, rows, []);
  mkdirSync(directory, { recursive: true });
  const source = openSync(join(ndjson, "events.jsonl"));
  const target = openSync(join(directory, "events.jsonl"), "w");
  const dates = Array.from({ length: days }, (_, day) => dateOf(day));
  const random = createRandom(11);
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let held = 0;
  for (;;) {
    const read = readSync(source, buffer, held, buffer.length - held, null);
    if (read === 0) break;
    const lines = buffer.subarray(0, buffer.lastIndexOf(NEW_LINE, held + read - 1) + 1);
    moveRows(lines, dates, random);
    writeSync(target, lines);
    held = held + read - lines.length;
    buffer.copyWithin(0, lines.length, lines.length + held);
  }
  closeSync(source);
  closeSync(target);
}

function dateOf(day) {
  return Buffer.from(amplitudeTime(firstMs + day * DAY_MS).slice(0, "2023-01-01".length));
}

/** Writes another date over that of each row; the time of the day stays. */
function moveRows(lines, dates, random) {
  for (let at = lines.indexOf(timeKey); at >= 0; at = lines.indexOf(timeKey, at)) {
    at += timeKey.length;
    dates[Math.floor(random() * dates.length)].copy(lines, at);
  }
}
