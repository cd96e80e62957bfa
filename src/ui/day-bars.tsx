import { useEffect, useRef } from "preact/hooks";
import { DAY_MS } from "../base/day.js";
import { formatCount } from "../base/format-count.js";

interface DayBarsProps {
  /** First day, `YYYY-MM-DD`. */
  readonly from: string;
  /** Day after the last one. */
  readonly until: string;
  readonly counts: ReadonlyMap<string, number>;
  readonly hrefOf: (day: string) => string;
  /** The noun of the counts. Default: `events`. */
  readonly noun?: string;
}

/**
 * A bar for each day, also for those without a count. Each bar is a link with its day and count. They
 * scroll where they would be too narrow to hit.
 */
export function DayBars({ from, until, counts, hrefOf, noun = "events" }: DayBarsProps) {
  const days: string[] = [];
  for (let time = Date.parse(from); time < Date.parse(until); time += DAY_MS) {
    days.push(new Date(time).toISOString().slice(0, 10));
  }
  const frame = useRef<HTMLElement>(null);
  // The newest days are at the end.
  useEffect(() => frame.current?.scrollTo(frame.current.scrollWidth, 0), [from]);
  const most = Math.max(1, ...counts.values());
  return (
    <figure class="day-bars" ref={frame}>
      <ol>
        {days.map((day) => {
          const count = counts.get(day) ?? 0;
          const text = `${day}: ${formatCount(count)} ${noun}`;
          return (
            <li key={day}>
              <a href={hrefOf(day)} title={text} aria-label={text}>
                <span
                  style={{ height: `${count === 0 ? 0 : Math.max(2, (count / most) * 100)}%` }}
                />
              </a>
            </li>
          );
        })}
      </ol>
      <figcaption>
        <span>{days[0]}</span>
        <span>at most {formatCount(most)} a day</span>
        <span>{days.at(-1)}</span>
      </figcaption>
    </figure>
  );
}
