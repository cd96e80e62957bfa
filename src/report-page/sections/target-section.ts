import type { Report, TargetReport } from "../../profile/report.js";
import { ruleText } from "../../report/findings/target.js";
import { formatCount, formatNumberOf } from "../../report/quantities.js";
import { lazyDisclosure, lead, none, section } from "../elements/blocks.js";
import { DataTable, numberColumn, plainTable, textColumn } from "../elements/data-table.js";
import { partText } from "../elements/display-text.js";
import { element } from "../elements/element.js";

type Rule = TargetReport["rules"][number];

/** Shows how the platform would take the events; nothing without a target that has rules. */
export function targetSection({ target }: Report): HTMLElement | null {
  if (target === undefined) return null;
  const { title, events, lost, changed, billed, reloaded = 0, rules } = target;
  const whole = formatNumberOf(events - lost - changed, "event");
  const rest = `${formatCount(lost)} would be dropped, and ${formatCount(changed)} changed`;
  const again = reloaded === 0 ? "" : `, and ${formatCount(reloaded)} of announced days again`;
  const bill = billed === null ? "" : ` It bills ${formatNumberOf(billed, "event")}${again}.`;
  return section(
    "target",
    "Target",
    lead(`${title} would take ${whole} of ${formatCount(events)} as they are; ${rest}.${bill}`),
    rules.length === 0
      ? none("No event breaks a rule of the target.")
      : plainTable(
          "Rules that events break",
          ["Events", "What happens", "Repaired", "Documented at"],
          rules.map((rule) => [
            `${formatCount(rule.events)} (${partText(rule.events, events)})`,
            ruleText(rule, target),
            rule.isRepaired ? "yes" : "no",
            element(
              "span",
              {},
              ...rule.sources.flatMap((source, index) => sourceLink(source, index)),
            ),
          ]),
          [0],
        ),
    ...rules.filter(({ names }) => names.length > 0).map((rule) => namesOf(rule, target)),
  );
}

function sourceLink(source: string, index: number) {
  const { pathname } = new URL(source);
  const link = element("a", { href: source, rel: "noreferrer" }, pathname.slice(1) || source);
  return index === 0 ? [link] : [", ", link];
}

function namesOf(rule: Rule, target: TargetReport): HTMLElement {
  const { names, otherNames, events } = rule;
  const more = otherNames === 0 ? "" : ` of ${formatCount(names.length + otherNames)}`;
  const summary = `${formatNumberOf(names.length, "name")}${more}: ${formatNumberOf(events, "event")} ${ruleText(rule, target)}`;
  type Row = Rule["names"][number];
  return lazyDisclosure(
    summary,
    () =>
      new DataTable<Row>({
        caption: summary,
        nouns: ["name", "names"],
        rows: names,
        searchText: (row) => `${row.old} ${row.new}`.toLowerCase(),
        columns: [
          textColumn<Row>("Now", (row) => row.old, "name"),
          textColumn<Row>("Repaired", (row) => row.new, "name"),
          numberColumn<Row>("Events", (row) => row.events),
        ],
      }).element,
  );
}
