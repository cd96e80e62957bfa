import { createHash } from "node:crypto";

export const bodyForms = ["object", "array"] as const;
/** One event as a JSON object, or several as an array of them. */
export type BodyForm = (typeof bodyForms)[number];

/** Events that go out together, each as JSON text. */
export interface Parcel {
  /** `Idempotency-Key` of the whole. */
  readonly key: string;
  readonly texts: readonly Uint8Array[];
}

const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;

/** Body of the events at the given places of a parcel. */
export function bodyOf({ texts }: Parcel, rows: readonly number[], form: BodyForm): Uint8Array {
  if (form === "object") return texts[rows[0] ?? 0] ?? new Uint8Array();
  const size = rows.reduce((sum, row) => sum + (texts[row]?.length ?? 0) + 1, 1);
  const body = Buffer.allocUnsafe(size);
  body[0] = OPEN;
  let end = 1;
  for (const row of rows) {
    const text = texts[row] ?? new Uint8Array();
    body.set(text, end);
    end += text.length;
    body[end++] = COMMA;
  }
  body[end - 1] = CLOSE;
  return body;
}

/**
 * The key of a part of a parcel. A function of the parcel's key and of the rows, so that whoever goes
 * on after a kill sends the same parts under the same keys.
 */
export function keyOf({ key, texts }: Parcel, rows: readonly number[]): string {
  if (rows.length === texts.length) return key;
  const digest = createHash("sha256").update(rows.join(",")).digest("hex");
  return `${key}-${digest.slice(0, 16)}`;
}
