import type { Report, ReportDay, ReportEvent } from "../../../profile/report.js";
import { type DayRange, type EventSeries, eventSeries } from "./event-series.js";
import { formatHash, nameInAddress, type PageAddress, parseHash } from "./location-hash.js";
import { partDays } from "./outlying-days.js";

/** What is looked at: the address says it, so that it can be kept, shared and gone back to. */
export class ViewState {
  /** Its days are those that charts are drawn of. */
  readonly report: Report;
  /** Days that charts leave out. */
  readonly outlying: readonly ReportDay[];
  readonly series: EventSeries;
  #range: DayRange | null = null;
  readonly #rangeListeners = new Set<() => void>();
  readonly #placeByDay: ReadonlyMap<string, number>;
  readonly #placeByName: ReadonlyMap<string, number>;

  constructor(report: Report) {
    const { days, outlying } = partDays(report.days);
    this.report = { ...report, days };
    this.outlying = outlying;
    this.series = eventSeries(this.report);
    this.#placeByDay = new Map(days.map(({ day }, place) => [day, place]));
    const names = report.events.map(({ event }, place) => [nameInAddress(event), place] as const);
    // Of two names that one address stands for, the first is meant.
    this.#placeByName = new Map(names.reverse());
    this.#takeRange(this.address);
  }

  /** Chosen days; all of them where none are chosen. */
  get range(): DayRange {
    return this.#range ?? { start: 0, end: this.report.days.length };
  }

  get isWhole(): boolean {
    return this.#range === null;
  }

  get address(): PageAddress {
    return parseHash(location.hash);
  }

  /** Place of the event whose page it is; -1 for a name that is not in the report. */
  get event(): number | undefined {
    const { event } = this.address;
    return event === undefined ? undefined : this.placeOf(event);
  }

  placeOf(name: string): number {
    return this.#placeByName.get(nameInAddress(name)) ?? -1;
  }

  linkTo({ event }: Pick<ReportEvent, "event">): string {
    return formatHash({ event });
  }

  /** `null` chooses all days. The range stands in the address; it makes no step to go back to. */
  choose(range: DayRange | null): void {
    const isAll = range === null || range.end - range.start >= this.report.days.length;
    this.#range = isAll ? null : range;
    this.keepRangeInAddress();
    for (const listener of this.#rangeListeners) listener();
  }

  /** Chooses one day by its name, if the report has it. */
  chooseDay(day: string): void {
    const place = this.#placeByDay.get(day);
    if (place !== undefined) this.choose({ start: place, end: place + 1 });
  }

  keepRangeInAddress(): void {
    const { event } = this.address;
    const chosen = this.#range;
    const [from, to] = [chosen?.start, chosen && chosen.end - 1].map(
      (place) => this.report.days[place ?? -1]?.day,
    );
    const days = from === undefined || to === undefined ? {} : { from, to };
    const hash = formatHash({ ...(event === undefined ? {} : { event }), ...days });
    if (hash !== location.hash && !(hash === "#" && location.hash === "")) {
      history.replaceState(null, "", hash);
    }
  }

  /**
   * The address has changed: takes the range that it names, and keeps the old one where it names none.
   */
  follow(): void {
    if (this.#takeRange(this.address)) for (const listener of this.#rangeListeners) listener();
    if (this.address.section === undefined) this.keepRangeInAddress();
  }

  /** Calls at once and after each change, until the signal aborts. */
  onRange(listener: () => void, signal?: AbortSignal): void {
    this.#rangeListeners.add(listener);
    signal?.addEventListener("abort", () => this.#rangeListeners.delete(listener));
    listener();
  }

  #takeRange({ from, to }: PageAddress): boolean {
    if (from === undefined || to === undefined) return false;
    const start = this.#placeByDay.get(from);
    const last = this.#placeByDay.get(to);
    if (start === undefined || last === undefined || start > last) return false;
    const isAll = start === 0 && last === this.report.days.length - 1;
    this.#range = isAll ? null : { start, end: last + 1 };
    return true;
  }
}
