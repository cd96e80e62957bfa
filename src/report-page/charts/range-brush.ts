import { dayText } from "../elements/display-text.js";
import { append, element, svgElement } from "../elements/element.js";
import type { ViewState } from "../elements/view-state.js";
import { dayAt, dayLeft, margin, type Plot } from "./plot.js";

const WEEK_DAYS = 7;

/**
 * Chooses a range of days on a timeline, by dragging or with two sliders: arrow keys move by a day, page
 * up and down by a week, and Escape chooses all days.
 */
export class RangeBrush {
  /** Covers the days that are not chosen; part of the drawing. */
  readonly shade = svgElement("path", { class: "shade" });
  readonly #view: ViewState;
  readonly #frame: HTMLElement;
  readonly #plot: () => Plot;
  readonly #first: HTMLElement;
  readonly #last: HTMLElement;

  constructor(view: ViewState, frame: HTMLElement, plot: () => Plot, signal?: AbortSignal) {
    this.#view = view;
    this.#frame = frame;
    this.#plot = plot;
    this.#first = this.#handle("First day", (day) => this.#choose(day, this.#lastDay));
    this.#last = this.#handle("Last day", (day) => this.#choose(this.#firstDay, day));
    append(frame, [this.#first, this.#last]);
    frame.addEventListener("pointerdown", (event) => this.#drag(event));
    view.onRange(() => this.place(), signal);
  }

  get #firstDay(): number {
    return this.#view.range.start;
  }

  get #lastDay(): number {
    return this.#view.range.end - 1;
  }

  /** Moves handles and shade to the range. */
  place(): void {
    const plot = this.#plot();
    const { start, end } = this.#view.range;
    const [left, right] = [dayLeft(plot, start), dayLeft(plot, end)];
    const [top, bottom] = [margin.top, plot.height - margin.bottom];
    const box = (from: number, to: number) =>
      to - from > 0.5 ? `M${from} ${top}H${to}V${bottom}H${from}z` : "";
    const edge = dayLeft(plot, plot.days.length);
    this.shade.setAttribute("d", box(margin.left, left) + box(right, edge));
    this.#placeHandle(this.#first, start, left);
    this.#placeHandle(this.#last, end - 1, right);
  }

  #placeHandle(handle: HTMLElement, day: number, x: number): void {
    const plot = this.#plot();
    handle.style.left = `${(x / Math.max(1, plot.width)) * 100}%`;
    handle.setAttribute("aria-valuenow", String(day + 1));
    handle.setAttribute("aria-valuetext", dayText(plot.days[day]?.day ?? ""));
  }

  #handle(label: string, move: (day: number) => void): HTMLElement {
    const days = this.#plot().days.length;
    const range = { "aria-valuemin": 1, "aria-valuemax": days, "aria-valuenow": 1 };
    const handle = element("div", {
      class: "brush-handle",
      role: "slider",
      tabindex: 0,
      "aria-label": label,
      ...range,
    });
    handle.addEventListener("keydown", (event) => {
      const day = Number(handle.getAttribute("aria-valuenow")) - 1;
      if (event.key === "Escape") this.#view.choose(null);
      else {
        const target = dayAfterKey(event.key, day, days);
        if (target === undefined) return;
        move(target);
      }
      event.preventDefault();
    });
    return handle;
  }

  /** Chooses the days between two, in any order, within the report. */
  #choose(one: number, other: number): void {
    const last = this.#plot().days.length - 1;
    const [low, high] = [Math.min(one, other), Math.max(one, other)];
    this.#view.choose({ start: Math.max(0, low), end: Math.min(last, high) + 1 });
  }

  #drag(event: PointerEvent): void {
    if (event.button !== 0) return;
    const dayUnder = ({ clientX }: PointerEvent) =>
      dayAt(this.#plot(), clientX - this.#frame.getBoundingClientRect().left);
    const anchor =
      event.target === this.#first
        ? this.#lastDay
        : event.target === this.#last
          ? this.#firstDay
          : dayUnder(event);
    const isHandle = event.target === this.#first || event.target === this.#last;
    const end = new AbortController();
    const { signal } = end;
    this.#frame.setPointerCapture(event.pointerId);
    this.#frame.addEventListener("pointermove", (move) => this.#choose(anchor, dayUnder(move)), {
      signal,
    });
    for (const name of ["pointerup", "pointercancel"] as const) {
      this.#frame.addEventListener(name, () => end.abort(), { signal });
    }
    if (!isHandle) this.#choose(anchor, anchor);
  }
}

function dayAfterKey(key: string, day: number, days: number): number | undefined {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(0, day - 1);
    case "ArrowRight":
    case "ArrowUp":
      return Math.min(days - 1, day + 1);
    case "PageDown":
      return Math.max(0, day - WEEK_DAYS);
    case "PageUp":
      return Math.min(days - 1, day + WEEK_DAYS);
    case "Home":
      return 0;
    case "End":
      return days - 1;
    default:
      return undefined;
  }
}
