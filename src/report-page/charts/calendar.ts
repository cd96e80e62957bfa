import type { ReportDay } from "../../profile/report.js";
import { formatCount } from "../../report/quantities.js";
import type { Tooltip } from "../elements/blocks.js";
import { DAY_LEVELS, dayLevel } from "../elements/day-series.js";
import { dayText } from "../elements/display-text.js";
import { element } from "../elements/element.js";
import type { ViewState } from "../elements/view-state.js";

/** Most months for which days are large and have numbers. */
const LARGE_MONTHS_MAX = 18;
/** Consecutive months without events from which on they become one line. */
const EMPTY_MONTHS_MIN = 3;

/**
 * Days as cells, by month, Monday first. The calendar is one tab stop: arrow keys move by days and weeks,
 * Enter chooses a day, and Shift extends the chosen days to it.
 */
export function calendar(view: ViewState, tooltip: Tooltip): HTMLElement {
  const { days, findings } = view.report;
  const most = Math.max(...days.map(({ events }) => events));
  const flagged = new Set(findings.flatMap(({ day }) => (day === undefined ? [] : [day])));
  const cells: HTMLElement[] = [];
  const stretches = stretchesOf(days);
  const blocks = stretches.map(({ start, end, isEmpty }) => {
    if (isEmpty) return emptyStretch(days[start], days[end - 1]);
    const own = days
      .slice(start, end)
      .map((day, index) => dayCell(day, start + index, dayLevel(day.events, most), flagged));
    cells.push(...own);
    return monthBlock(days[start], own);
  });
  const isSmall = stretches.length > LARGE_MONTHS_MAX;
  const label = "Events by day: arrow keys move, Enter chooses a day";
  const frame = element(
    "div",
    { class: isSmall ? "calendar calendar-small" : "calendar", role: "group", "aria-label": label },
    ...blocks,
  );
  cells[0]?.setAttribute("tabindex", "0");
  addChoosing(frame, cells, view);
  addWalking(frame, cells);
  addTooltip(frame, days, tooltip);
  view.onRange(() => {
    const { start, end } = view.range;
    for (const cell of cells) {
      const index = dayIndex(cell) ?? 0;
      const isInside = index >= start && index < end;
      cell.classList.toggle("outside", !isInside);
      cell.setAttribute("aria-pressed", String(!view.isWhole && isInside));
    }
  });
  return frame;
}

/** The colours with the numbers of events that they stand for. */
export function calendarLegend(days: readonly ReportDay[]): HTMLElement {
  const most = Math.max(...days.map(({ events }) => events));
  const levels = Array.from({ length: DAY_LEVELS + 1 }, (_, level) =>
    element("span", { class: "day", "data-level": level }),
  );
  const ends = ["0", `${formatCount(most)} events`];
  const legend = { class: "calendar-legend", "aria-hidden": "true" };
  return element("p", legend, ends[0], ...levels, ends[1]);
}

function dayCell(
  day: ReportDay,
  index: number,
  level: number,
  flagged: ReadonlySet<string>,
): HTMLButtonElement {
  const hasFinding = flagged.has(day.day);
  const attributes = { type: "button", tabindex: -1, "data-day": index, "data-level": level };
  const label = cellLines(day, hasFinding).join(", ");
  const flag = { class: hasFinding ? "day flagged" : "day", "aria-label": label };
  return element("button", { ...attributes, ...flag }, String(Number(day.day.slice(8))));
}

function cellLines({ day, events, rejected }: ReportDay, hasFinding: boolean): readonly string[] {
  return [
    dayText(day, "weekday"),
    events === 0 ? "no events" : `${formatCount(events)} events`,
    ...(rejected > 0 ? [`${formatCount(rejected)} rejected`] : []),
    ...(hasFinding ? ["has a finding"] : []),
  ];
}

/** The days of a month, or of several months without events. */
interface CalendarStretch {
  readonly start: number;
  readonly end: number;
  readonly isEmpty: boolean;
}

function stretchesOf(days: readonly ReportDay[]): readonly CalendarStretch[] {
  const stretches: CalendarStretch[] = [];
  let emptyMonths = 0;
  let start = 0;
  for (let end = 1; end <= days.length; end++) {
    if (days[end]?.day.slice(0, 7) === days[start]?.day.slice(0, 7)) continue;
    const isQuiet = days.slice(start, end).every(({ events, rejected }) => events + rejected === 0);
    emptyMonths = isQuiet ? emptyMonths + 1 : 0;
    if (emptyMonths < EMPTY_MONTHS_MIN) stretches.push({ start, end, isEmpty: false });
    else {
      const before = stretches.splice(emptyMonths === EMPTY_MONTHS_MIN ? 1 - EMPTY_MONTHS_MIN : -1);
      stretches.push({ start: before[0]?.start ?? start, end, isEmpty: true });
    }
    start = end;
  }
  return stretches;
}

function emptyStretch(first: ReportDay | undefined, last: ReportDay | undefined): HTMLElement {
  const [from, to] = [first, last].map((day) => dayText(day?.day ?? "", "month"));
  return element("p", { class: "empty-months" }, `${from} to ${to}: no events`);
}

function monthBlock(first: ReportDay | undefined, cells: readonly HTMLElement[]): HTMLElement {
  const day = first?.day ?? "";
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  const firstCell = cells[0];
  if (firstCell) firstCell.style.gridColumnStart = String(((weekday + 6) % 7) + 1);
  return element(
    "div",
    { class: "month" },
    element("div", { class: "month-name", "aria-hidden": "true" }, dayText(day, "month")),
    element("div", { class: "month-days" }, ...cells),
  );
}

function dayIndex(target: EventTarget | null): number | undefined {
  const cell = target instanceof Element ? target.closest("[data-day]") : null;
  return cell === null ? undefined : Number(cell.getAttribute("data-day"));
}

function addChoosing(frame: HTMLElement, cells: readonly HTMLElement[], view: ViewState): void {
  frame.addEventListener("click", (event) => {
    const index = dayIndex(event.target);
    if (index === undefined) return;
    const { start, end } = view.range;
    const isAgain = !view.isWhole && start === index && end === index + 1;
    if (isAgain) view.choose(null);
    else if (event.shiftKey && !view.isWhole) {
      view.choose({ start: Math.min(start, index), end: Math.max(end, index + 1) });
    } else view.choose({ start: index, end: index + 1 });
    stopAt(cells, cellIndex(cells, index));
  });
}

/** Finds the cell of a day: cells are in order, but some days have none. */
function cellIndex(cells: readonly HTMLElement[], index: number): number {
  return cells.findIndex((cell) => dayIndex(cell) === index);
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

function addWalking(frame: HTMLElement, cells: readonly HTMLElement[]): void {
  frame.addEventListener("keydown", (event) => {
    const index = dayIndex(event.target);
    const step = steps[event.key];
    if (index === undefined || step === undefined) return;
    const next = Math.min(cells.length - 1, Math.max(0, cellIndex(cells, index) + step));
    stopAt(cells, next);
    cells[next]?.focus();
    event.preventDefault();
  });
}

/** Makes one day the tab stop. */
function stopAt(cells: readonly HTMLElement[], index: number): void {
  for (const cell of cells) if (cell.tabIndex === 0) cell.tabIndex = -1;
  cells[index]?.setAttribute("tabindex", "0");
}

function addTooltip(frame: HTMLElement, days: readonly ReportDay[], tooltip: Tooltip): void {
  const show = (event: Event, x: number, y: number) => {
    const index = dayIndex(event.target);
    const day = index === undefined ? undefined : days[index];
    if (day === undefined) return tooltip.hide();
    const hasFinding = event.target instanceof Element && event.target.matches(".flagged");
    tooltip.show(cellLines(day, hasFinding), x, y);
  };
  frame.addEventListener("pointermove", (event) => show(event, event.clientX, event.clientY));
  frame.addEventListener("pointerleave", () => tooltip.hide());
  frame.addEventListener("focusin", (event) => {
    if (!(event.target instanceof Element) || !event.target.matches(":focus-visible")) return;
    const { right, bottom } = event.target.getBoundingClientRect();
    show(event, right, bottom);
  });
  frame.addEventListener("focusout", () => tooltip.hide());
}
