import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { writeZip } from "../sources/zip-writer.js";
import { createRandom } from "./random.js";

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 5);
/** Hours of 29 days and four hours. */
const HOURS = 700;
/** No events on the 12th day. */
const OUTAGE_HOURS = [11 * 24, 12 * 24] as const;
/** A campaign on the 20th day. */
const CAMPAIGN_HOURS = [19 * 24, 20 * 24] as const;
const CAMPAIGN_FACTOR = 4;

const names = [
  ...Array<string>(8).fill("page_viewed"),
  ...Array<string>(4).fill("product_added"),
  "checkout_completed",
  "Checkout Completed",
  "検索した",
  'quote " and, comma',
];

/**
 * Writes an Amplitude export as people have them: hourly gzip files in a zip, with late uploads, retries,
 * an outage, a campaign, busy users, a shared device, properties as JSON text, blank lines, CRLF and
 * faulty rows. The same lines lie in `plain` for another reader. Returns the path of the zip.
 */
export function writeMessyExport(directory: string, rows: number): string {
  const random = createRandom(20_260_105);
  const plain = join(directory, "plain");
  mkdirSync(plain, { recursive: true });
  const weights = Array.from({ length: HOURS }, (_, hour) => weightOf(hour));
  const unit = rows / weights.reduce((sum, weight) => sum + weight, 0);
  let index = 0;
  const entries = weights.map((weight, hour) => {
    const lines: string[] = [];
    for (let left = Math.round(weight * unit); left > 0; left--) {
      lines.push(lineOf(index++, hour, random));
      // SDKs send a batch again when its answer is lost.
      if (random() < 0.01) lines.push(lines[Math.floor(random() * lines.length)] as string);
      if (random() < 0.002) lines.push("");
    }
    const end = hour % 3 === 0 ? "\r\n" : "\n";
    const text = lines.map((line) => line + end).join("");
    const name = `${100_000 + hour}_${new Date(START_MS + hour * HOUR_MS).toISOString().slice(0, 13)}`;
    writeFileSync(join(plain, `${name}.json`), text);
    return { name: `100000/${name}#0.json.gz`, data: gzipSync(text, { level: 1 }), method: 0 };
  });
  const file = join(directory, "export.zip");
  writeFileSync(file, writeZip(entries));
  return file;
}

function weightOf(hour: number): number {
  if (hour >= OUTAGE_HOURS[0] && hour < OUTAGE_HOURS[1]) return 0;
  const isCampaign = hour >= CAMPAIGN_HOURS[0] && hour < CAMPAIGN_HOURS[1];
  const ofDay = 1.2 + Math.sin(((hour % 24) - 9) / 4);
  const day = new Date(START_MS + hour * HOUR_MS).getUTCDay();
  return ofDay * (day === 0 || day === 6 ? 0.6 : 1) * (isCampaign ? CAMPAIGN_FACTOR : 1);
}

function lineOf(index: number, hour: number, random: () => number): string {
  const uploaded = START_MS + hour * HOUR_MS + Math.floor(random() * HOUR_MS);
  // Phones were offline for up to two days.
  const isLate =
    random() < 0.03 && hour > 48 && (hour < OUTAGE_HOURS[0] || hour > OUTAGE_HOURS[1] + 48);
  const event = isLate ? uploaded - Math.floor(random() * 48 * HOUR_MS) : uploaded;
  // Squared twice, so that few users have most events.
  const user = Math.floor(random() ** 4 * 4_000);
  const isAnonymous = random() < 0.2;
  const properties = {
    index,
    price: Math.round(random() * 10_000) / 100,
    plan: ["free", "monthly", "yearly"][Math.floor(random() * 3)],
    order: `#9007199254740993${index % 10}`,
    note: random() < 0.1 ? null : "é 🍵".repeat(index % 4),
    items: index % 7 === 0 ? [{ sku: `t-${index % 50}`, count: 2 }] : [],
  };
  const row: Record<string, unknown> = {
    $insert_id: `insert-${index}`,
    event_type: names[Math.floor(random() * names.length)],
    event_time: timeText(event, Math.floor(random() * 1_000)),
    server_upload_time: timeText(uploaded, 0),
    user_id: isAnonymous ? null : `customer-${user}`,
    // A till in a shop, on which many people sign in.
    device_id: random() < 0.01 ? "till-1" : `device-${user}-${Math.floor(random() * 2)}`,
    platform: random() < 0.5 ? "iOS" : "Web",
    country: ["Germany", "India", "Brazil"][user % 3],
    event_properties: index % 11 === 0 ? JSON.stringify(properties) : properties,
    user_properties: { plan: user % 2 === 0 ? "free" : "yearly", cohort: user % 17 },
  };
  const line = JSON.stringify(row)
    .replace(/"#(\d+)"/, "$1")
    .replace(/\\"#(\d+)\\"/, "$1");
  switch (index % 1_000) {
    case 101:
      return line.slice(0, line.length / 2);
    case 202:
      return JSON.stringify({ ...row, event_time: "yesterday" });
    case 303:
      return JSON.stringify({ ...row, event_type: null });
    case 404:
      return JSON.stringify({ ...row, event_properties: 7 });
    case 505:
      return JSON.stringify({ ...row, user_id: null, device_id: null });
    default:
      return line;
  }
}

function timeText(ms: number, microseconds: number): string {
  const text = new Date(ms).toISOString().replace("T", " ").replace("Z", "");
  return `${text}${`${microseconds}`.padStart(3, "0")}`;
}
