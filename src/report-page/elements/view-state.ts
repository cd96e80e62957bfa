import { signal } from "@preact/signals";
import { omitUndefined } from "../../base/omit-undefined.js";
import type { Report, ReportDay, ReportEvent } from "../../profile/report.js";
import type { DayRange } from "../../ui/calendar-days.js";
import { type EventSeries, eventSeries, partDays } from "./day-series.js";
import { formatHash, nameInAddress, type PageAddress, parseHash } from "./location-hash.js";

/** The event and the days that the page shows. They are in the address, which can be shared. */
export class ViewState {
  /** The report, with the days that charts show. */
  readonly report: Report;
  /** Days that charts leave out. */
  readonly outlying: readonly ReportDay[];
  readonly series: EventSeries;
  /** The chosen days; `null` if all are. Components that read it follow it. */
  readonly #chosen = signal<DayRange | null>(null);
  readonly #indexByDay: ReadonlyMap<string, number>;
  readonly #indexByName: ReadonlyMap<string, number>;

  constructor(report: Report) {
    const { days, outlying } = partDays(report.days);
    this.report = { ...report, days };
    this.outlying = outlying;
    this.series = eventSeries(this.report);
    this.#indexByDay = new Map(days.map(({ day }, index) => [day, index]));
    const names = report.events.map(({ event }, index) => [nameInAddress(event), index] as const);
    // If two names have the same address, it means the first one.
    this.#indexByName = new Map(names.reverse());
    this.#takeRange(this.address);
  }

  get chosen(): DayRange | null {
    return this.#chosen.value;
  }

  /** The chosen days, or all days. */
  get range(): DayRange {
    return this.chosen ?? { start: 0, end: this.report.days.length };
  }

  get isWhole(): boolean {
    return this.chosen === null;
  }

  get address(): PageAddress {
    return parseHash(location.hash);
  }

  /** Index of the event whose page is shown; -1 for a name that is not in the report. */
  get event(): number | undefined {
    const { event } = this.address;
    return event === undefined ? undefined : this.indexOf(event);
  }

  indexOf(name: string): number {
    return this.#indexByName.get(nameInAddress(name)) ?? -1;
  }

  linkTo({ event }: Pick<ReportEvent, "event">): string {
    return formatHash({ event });
  }

  /** Chooses days; `null` chooses all. The range is in the address but adds no step to the history. */
  choose(range: DayRange | null): void {
    const isAll = range === null || range.end - range.start >= this.report.days.length;
    this.#chosen.value = isAll ? null : range;
    this.#keepRangeInAddress();
  }

  /** Chooses one day `YYYY-MM-DD`, if the report has it. */
  chooseDay(day: string): void {
    const index = this.#indexByDay.get(day);
    if (index !== undefined) this.choose({ start: index, end: index + 1 });
  }

  #keepRangeInAddress(): void {
    const { event } = this.address;
    const chosen = this.chosen;
    const [from, to] = [chosen?.start, chosen && chosen.end - 1].map(
      (index) => this.report.days[index ?? -1]?.day,
    );
    const days = from === undefined || to === undefined ? {} : { from, to };
    const hash = formatHash({ ...omitUndefined({ event }), ...days });
    if (hash !== location.hash && !(hash === "#" && location.hash === "")) {
      history.replaceState(null, "", hash);
    }
  }

  /** Follows a change of the address: uses the range that it names, or keeps the current one. */
  follow(): void {
    this.#takeRange(this.address);
    if (this.address.section === undefined) this.#keepRangeInAddress();
  }

  #takeRange({ from, to }: PageAddress): void {
    const start = this.#indexByDay.get(from ?? "");
    const last = this.#indexByDay.get(to ?? "");
    if (start === undefined || last === undefined || start > last) return;
    const isAll = start === 0 && last === this.report.days.length - 1;
    this.#chosen.value = isAll ? null : { start, end: last + 1 };
  }
}

export interface ViewProps {
  readonly view: ViewState;
}

export interface ReportProps {
  readonly report: Report;
}
