import type { ReportDay } from "../../../../profile/report.js";
import { formatCount } from "../../../quantities.js";
import { element } from "../element.js";
import type { Tooltip } from "../tooltip.js";
import type { ViewState } from "../view-state.js";
import { dayText } from "../words.js";

/** Strengths of colour for days that have events. */
const LEVELS = 5;
const BUSY_QUANTILE = 0.97;
/** With more months than that, the days are small and bear no numbers. */
const LARGE_MONTHS_MAX = 18;

/**
 * Days as cells, by month, Monday first. One stop of the tab key: arrows walk over days and weeks,
 * Enter chooses a day, and with Shift everything from the chosen ones to it.
 */
export function calendar(view: ViewState, tooltip: Tooltip): HTMLElement {
  const { days, findings } = view.report;
  const busy = busyDay(days);
  const flagged = new Set(findings.flatMap(({ day }) => (day === undefined ? [] : [day])));
  const cells = days.map((day, place) => dayCell(day, place, levelOf(day.events, busy), flagged));
  const months = byMonth(days).map(({ month, start, end }) =>
    monthBlock(month, days[start], cells.slice(start, end)),
  );
  const isSmall = months.length > LARGE_MONTHS_MAX;
  const label = `Events by day: arrow keys move, Enter chooses a day`;
  const frame = element(
    "div",
    { class: isSmall ? "calendar calendar-small" : "calendar", role: "group", "aria-label": label },
    ...months,
  );
  cells[0]?.setAttribute("tabindex", "0");
  addChoosing(frame, cells, view);
  addWalking(frame, cells);
  addTooltip(frame, days, tooltip);
  view.onRange(() => {
    const { start, end } = view.range;
    cells.forEach((cell, place) => {
      cell.classList.toggle("outside", place < start || place >= end);
      cell.setAttribute("aria-pressed", String(!view.isWhole && place >= start && place < end));
    });
  });
  return frame;
}

/** Events of a busy day; not of the busiest, or one spike would make all other days look empty. */
function busyDay(days: readonly ReportDay[]): number {
  const sorted = days.map(({ events }) => events).sort((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) * BUSY_QUANTILE)] ?? 0;
}

function levelOf(events: number, busy: number): number {
  if (events === 0) return 0;
  return 1 + Math.min(LEVELS - 1, Math.floor((events / Math.max(1, busy)) * LEVELS));
}

function dayCell(
  day: ReportDay,
  place: number,
  level: number,
  flagged: ReadonlySet<string>,
): HTMLButtonElement {
  const hasFinding = flagged.has(day.day);
  const attributes = { type: "button", tabindex: -1, "data-day": place, "data-level": level };
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

interface Month {
  readonly month: string;
  readonly start: number;
  readonly end: number;
}

function byMonth(days: readonly ReportDay[]): readonly Month[] {
  const months: Month[] = [];
  let start = 0;
  for (let place = 1; place <= days.length; place++) {
    const month = days[start]?.day.slice(0, 7) ?? "";
    if (days[place]?.day.slice(0, 7) === month) continue;
    months.push({ month, start, end: place });
    start = place;
  }
  return months;
}

function monthBlock(month: string, first: ReportDay | undefined, cells: readonly HTMLElement[]) {
  const weekday = new Date(`${first?.day}T00:00:00Z`).getUTCDay();
  const grid = element("div", { class: "month-days" }, ...cells);
  const firstCell = cells[0];
  if (firstCell) firstCell.style.gridColumnStart = String(((weekday + 6) % 7) + 1);
  const name = dayText(`${month}-01`, "month");
  return element(
    "div",
    { class: "month" },
    element("div", { class: "month-name", "aria-hidden": "true" }, name),
    grid,
  );
}

function placeOf(target: EventTarget | null): number | undefined {
  const cell = target instanceof Element ? target.closest("[data-day]") : null;
  return cell === null ? undefined : Number(cell.getAttribute("data-day"));
}

function addChoosing(frame: HTMLElement, cells: readonly HTMLElement[], view: ViewState): void {
  frame.addEventListener("click", (event) => {
    const place = placeOf(event.target);
    if (place === undefined) return;
    const { start, end } = view.range;
    const isAgain = !view.isWhole && start === place && end === place + 1;
    if (isAgain) view.choose(null);
    else if (event.shiftKey && !view.isWhole) {
      view.choose({ start: Math.min(start, place), end: Math.max(end, place + 1) });
    } else view.choose({ start: place, end: place + 1 });
    stopAt(cells, place);
  });
}

const steps: Readonly<Record<string, number>> = {
  ...{ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 },
  ...{ PageUp: -28, PageDown: 28, Home: -Infinity, End: Infinity },
};

function addWalking(frame: HTMLElement, cells: readonly HTMLElement[]): void {
  frame.addEventListener("keydown", (event) => {
    const place = placeOf(event.target);
    const step = steps[event.key];
    if (place === undefined || step === undefined) return;
    const next = Math.min(cells.length - 1, Math.max(0, place + step));
    stopAt(cells, next);
    cells[next]?.focus();
    event.preventDefault();
  });
}

/** The tab key stops at one day only. */
function stopAt(cells: readonly HTMLElement[], place: number): void {
  for (const cell of cells) if (cell.tabIndex === 0) cell.tabIndex = -1;
  cells[place]?.setAttribute("tabindex", "0");
}

function addTooltip(frame: HTMLElement, days: readonly ReportDay[], tooltip: Tooltip): void {
  const show = (event: Event, x: number, y: number) => {
    const place = placeOf(event.target);
    const day = place === undefined ? undefined : days[place];
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
