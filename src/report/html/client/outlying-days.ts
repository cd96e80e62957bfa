import type { ReportDay } from "../../../profile/report.js";

/** Days without events that part what belongs together from what does not. */
const GAP_DAYS_MIN = 60;
/** Share of all events up to which days far from all others are taken for wrong times. */
const OUTLYING_SHARE_MAX = 0.01;

export interface DayParts {
  /** What charts are drawn of: without gaps, as in a report. */
  readonly days: readonly ReportDay[];
  /** Days with events far before or after, which a chart of all days would show and nothing else. */
  readonly outlying: readonly ReportDay[];
}

/**
 * A few events of 1970 or 2099 would stretch a chart until all others are one bar. Days that lie far
 * from the rest and hold next to nothing are set apart.
 */
export function partDays(days: readonly ReportDay[]): DayParts {
  const total = eventsOf(days);
  const groups = groupsOf(days);
  const isSmall = ({ events }: Group) => events <= total * OUTLYING_SHARE_MAX;
  const first = groups.findIndex((group) => !isSmall(group));
  const last = groups.findLastIndex((group) => !isSmall(group));
  const [start, end] = [groups[first]?.start ?? 0, groups[last]?.end ?? days.length];
  const outlying = [...days.slice(0, start), ...days.slice(end)];
  if (eventsOf(outlying) > total * OUTLYING_SHARE_MAX) return { days, outlying: [] };
  return {
    days: days.slice(start, end),
    outlying: outlying.filter(({ events, rejected }) => events > 0 || rejected > 0),
  };
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly events: number;
}

/** Days with events, together as long as no gap parts them. */
function groupsOf(days: readonly ReportDay[]): readonly Group[] {
  const groups: Group[] = [];
  days.forEach(({ events }, day) => {
    if (events === 0) return;
    const open = groups.at(-1);
    if (open !== undefined && day - open.end < GAP_DAYS_MIN) {
      groups[groups.length - 1] = { ...open, end: day + 1, events: open.events + events };
    } else groups.push({ start: day, end: day + 1, events });
  });
  return groups;
}

function eventsOf(days: readonly ReportDay[]): number {
  return days.reduce((sum, { events }) => sum + events, 0);
}
