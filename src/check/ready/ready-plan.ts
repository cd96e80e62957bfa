import { createHash } from "node:crypto";
import { DAY_MS, parseDay } from "../../base/day.js";
import { createZone } from "../../base/luxon-zone.js";
import { sum } from "../../base/sum.js";
import type { Manifest } from "../../ledger/manifest.js";
import type { AnnouncedDays } from "./ready-record.js";

/** A day to announce. */
export interface PlannedDay {
  /** YYYY-MM-DD in the zone of the target. */
  readonly day: string;
  /** All its events. */
  readonly rows: number;
  /** Digest of its events by name; `compact` does not change it. */
  readonly digest: string;
  /** It was announced with other events before, so the target loads all of them again. */
  readonly isReload: boolean;
}

export interface ReadyPlan {
  /** Oldest first. */
  readonly announce: readonly PlannedDay[];
  /** Days that were announced as they are now. */
  readonly unchanged: number;
  /** Days that were not over when the inputs were read; they hold back all days after them. */
  readonly held: readonly string[];
  /** Events of the days that the target loads again. */
  readonly reloadRows: number;
}

/** Returns the days of a complete export that a target does not know as they are. Pure. */
export function planReady(
  manifest: Manifest,
  eventsByDay: string,
  announced: AnnouncedDays,
): ReadyPlan {
  const lines = new Map(
    eventsByDay
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => [(JSON.parse(line) as { readonly day: string }).day, line]),
  );
  const overBeforeMs = readUntilMs(manifest);
  const zone = createZone(manifest.dayZone);
  const isOver = (day: string) => zone.utcMs((parseDay(day) + 1) * DAY_MS) <= overBeforeMs;
  const days = manifest.days.filter(({ rows }) => rows > 0);
  const firstHeld = days.findIndex(({ day }) => !isOver(day));
  const finished = firstHeld === -1 ? days : days.slice(0, firstHeld);
  const held = firstHeld === -1 ? [] : days.slice(firstHeld).map(({ day }) => day);
  const announce = finished.flatMap(({ day, rows }): readonly PlannedDay[] => {
    const digest = createHash("sha256")
      .update(`${rows} ${lines.get(day)}`)
      .digest("hex");
    const before = announced[day];
    if (before?.digest === digest) return [];
    return [{ day, rows, digest, isReload: before !== undefined }];
  });
  return {
    announce,
    unchanged: finished.length - announce.length,
    held,
    reloadRows: sum(announce, ({ rows, isReload }) => (isReload ? rows : 0)),
  };
}

/** Returns the time until which the inputs of an export can hold all events, in ms since the epoch. */
function readUntilMs({ run, configuration }: Manifest): number {
  const lastReadMs = Math.max(...run.epochs.map((start) => Date.parse(start)));
  const { toTime } = configuration;
  return typeof toTime === "string" ? Math.min(lastReadMs, Date.parse(toTime)) : lastReadMs;
}
