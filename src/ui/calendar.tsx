import type { TargetedKeyboardEvent, TargetedPointerEvent } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { formatCount } from "../base/format-count.js";
import {
  type CalendarDay,
  DAY_LEVELS,
  type DayRange,
  dayLevel,
  stretchesOf,
} from "./calendar-days.js";
import { countOrNone, dayText } from "./text.js";
import { hideTooltip, showTooltip } from "./tooltip.js";

/** Most months for which days are large and have numbers. */
const LARGE_MONTHS_MAX = 18;

interface CalendarProps {
  readonly days: readonly CalendarDay[];
  /** The noun of the counts: `events`. */
  readonly noun: string;
  /** The chosen days; `null` if none are. */
  readonly range: DayRange | null;
  readonly onChoose: (range: DayRange | null) => void;
}

const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -7,
  ArrowDown: 7,
  PageUp: -28,
  PageDown: 28,
  Home: -Infinity,
  End: Infinity,
};

/**
 * Days as cells, by month, Monday first, with a legend. The calendar is one tab stop: arrow keys move by
 * days and weeks, Enter chooses a day, and Shift extends the chosen days to it.
 */
export function Calendar({ days, noun, range, onChoose }: CalendarProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { months, most } = useMemo(() => layout(days, noun), [days, noun]);
  const cells = useMemo(() => months.flatMap((month) => month.cells), [months]);
  const [stop, setStop] = useState(cells[0]?.index);
  const cellOf = ({ target }: Pick<Event, "target">) =>
    target instanceof HTMLElement
      ? cells.find(({ index }) => String(index) === target.dataset["day"])
      : undefined;
  const choose = (cell: Cell | undefined, isExtending: boolean) => {
    if (cell === undefined) return;
    const { index } = cell;
    const isAgain = range?.start === index && range.end === index + 1;
    const kept = isExtending ? range : null;
    const start = Math.min(kept?.start ?? index, index);
    const end = Math.max(kept?.end ?? 0, index + 1);
    onChoose(isAgain ? null : { start, end });
    setStop(index);
  };
  const walk = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const step = steps[event.key];
    const cell = cellOf(event);
    if (step === undefined || cell === undefined) return;
    const wanted = cells.indexOf(cell) + step;
    const next = cells[Math.min(cells.length - 1, Math.max(0, wanted))]?.index;
    setStop(next);
    frame.current?.querySelector<HTMLElement>(`[data-day="${next}"]`)?.focus();
    event.preventDefault();
  };
  const point = (event: TargetedPointerEvent<HTMLElement>) => {
    const cell = cellOf(event);
    if (cell === undefined) hideTooltip();
    else showTooltip(cell.lines, event.clientX, event.clientY);
  };
  const focus = ({ target }: FocusEvent) => {
    if (!(target instanceof Element) || !target.matches(":focus-visible")) return;
    const { right, bottom } = target.getBoundingClientRect();
    showTooltip(cellOf({ target })?.lines ?? [], right, bottom);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has borders and a legend. */}
      <div
        ref={frame}
        class={months.length > LARGE_MONTHS_MAX ? "calendar calendar-small" : "calendar"}
        role="group"
        aria-label={`${noun[0]?.toUpperCase()}${noun.slice(1)} by day: arrow keys move, Enter chooses a day`}
        onClick={(event) => choose(cellOf(event), event.shiftKey)}
        onKeyDown={walk}
        onPointerMove={point}
        onPointerLeave={hideTooltip}
        onFocusIn={focus}
        onFocusOut={hideTooltip}
      >
        {months.map(({ name, cells: own }) =>
          own.length === 0 ? (
            <p key={name} class="empty-months">
              {name}: no {noun}
            </p>
          ) : (
            <div class="month" key={name}>
              <div class="month-name" aria-hidden="true">
                {name}
              </div>
              <div class="month-days">
                {own.map((cell) => (
                  <DayCell
                    key={cell.index}
                    cell={cell}
                    chosen={range === null ? undefined : isInside(range, cell)}
                    isStop={cell.index === stop}
                  />
                ))}
              </div>
            </div>
          ),
        )}
      </div>
      <p class="calendar-legend" aria-hidden="true">
        0
        {Array.from({ length: DAY_LEVELS + 1 }, (_, level) => (
          <span key={level} class="day" data-level={level} style={levelStyle(level)} />
        ))}
        {`${formatCount(most)} ${noun}`}
      </p>
    </>
  );
}

interface Cell {
  readonly index: number;
  readonly number: number;
  readonly level: number;
  readonly isFlagged: boolean;
  readonly lines: readonly string[];
  /** Column of the weekday, for the first cell of a month. */
  readonly column: number | undefined;
}

/** Lays out months; one without cells stands for several without counts. */
function layout(days: readonly CalendarDay[], noun: string) {
  const most = Math.max(...days.map(({ count }) => count));
  const months = stretchesOf(days).map(({ start, end, isEmpty }) => {
    const [first, last] = [days[start]?.day ?? "", days[end - 1]?.day ?? ""];
    const name = dayText(first, "month");
    if (isEmpty) return { name: `${name} to ${dayText(last, "month")}`, cells: [] };
    const weekday = (new Date(`${first}T00:00:00Z`).getUTCDay() + 6) % 7;
    const cells = days.slice(start, end).map(
      (day, offset): Cell => ({
        index: start + offset,
        number: Number(day.day.slice(8)),
        level: dayLevel(day.count, most),
        isFlagged: day.note !== undefined,
        lines: cellLines(day, noun),
        column: offset === 0 ? weekday + 1 : undefined,
      }),
    );
    return { name, cells };
  });
  return { months, most };
}

function isInside({ start, end }: DayRange, { index }: Cell): boolean {
  return index >= start && index < end;
}

/** The colour of a day; one without events is crossed out instead. */
function levelStyle(level: number) {
  return level === 0 ? {} : { "--fill": `var(--day-${level})` };
}

function cellLines({ day, count, rejected = 0, note }: CalendarDay, noun: string) {
  return [
    dayText(day, "weekday"),
    countOrNone(count, noun),
    ...(rejected > 0 ? [`${formatCount(rejected)} rejected`] : []),
    ...(note === undefined ? [] : [note]),
  ];
}

interface DayCellProps {
  readonly cell: Cell;
  /** True or false where some days are chosen. */
  readonly chosen: boolean | undefined;
  readonly isStop: boolean;
}

/** A day. There may be thousands, and most do not change when the chosen days do. */
function DayCell({ cell, chosen, isStop }: DayCellProps) {
  return useMemo(() => {
    const { index, level, lines, column, isFlagged } = cell;
    return (
      <button
        type="button"
        class={`day${isFlagged ? " flagged" : ""}${chosen === false ? " outside" : ""}`}
        style={{ ...levelStyle(level), gridColumnStart: column }}
        tabIndex={isStop ? 0 : -1}
        data-day={index}
        data-level={level}
        aria-label={lines.join(", ")}
        aria-pressed={chosen === true}
      >
        {cell.number}
      </button>
    );
  }, [cell, chosen, isStop]);
}
