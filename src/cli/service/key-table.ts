import type { KeyRecord } from "../../storage/key-store.js";

const heads = ["ID", "KIND", "RIGHTS", "BEGINS WITH", "CREATED", "REVOKED"] as const;

/** Keys for people, one a line; never the key itself. */
export function keyTable(records: readonly KeyRecord[]): string {
  const rows = [heads, ...records.map(cellsOf)];
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return `${rows.map(line).join("\n")}\n`;
}

function cellsOf(record: KeyRecord): readonly string[] {
  const { id, kind, canWrite, prefix, createdTime, revokedTime } = record;
  const rights = canWrite ? "read, write" : "read";
  return [id, kind, rights, prefix, timeText(createdTime), timeText(revokedTime)];
}

/** To the second, UTC. */
function timeText(time: number | null): string {
  return time === null ? "-" : new Date(time).toISOString().replace(/\.\d+Z$/, "Z");
}
