import { formatCount } from "../../base/format-count.js";
import type { TargetReport } from "../../profile/report.js";
import { ruleText } from "../../report/findings/target.js";
import { formatNumberOf } from "../../report/quantities.js";
import { Details } from "../../ui/blocks.js";
import {
  DataTable,
  numberColumn,
  PlainTable,
  type TableColumn,
  textColumn,
} from "../../ui/data-table.js";
import { Section } from "../../ui/section.js";
import { partText } from "../../ui/text.js";
import type { ReportProps } from "../elements/view-state.js";

type Rule = TargetReport["rules"][number];
type NameRow = Rule["names"][number];

const nameColumns: readonly TableColumn<NameRow>[] = [
  textColumn("Now", (row) => row.old, "name"),
  textColumn("Repaired", (row) => row.new, "name"),
  numberColumn("Events", (row) => row.events),
];

/** How the platform would take the events; nothing without a target that has rules. */
export function TargetSection({ report: { target } }: ReportProps) {
  if (target === undefined) return null;
  const { title, events, lost, changed, billed, reloaded = 0, rules } = target;
  const whole = formatNumberOf(events - lost - changed, "event");
  const rest = `${formatCount(lost)} would be dropped, and ${formatCount(changed)} changed`;
  const again = reloaded === 0 ? "" : `, and ${formatCount(reloaded)} of announced days again`;
  const bill = billed === null ? "" : ` It bills ${formatNumberOf(billed, "event")}${again}.`;
  return (
    <Section
      id="target"
      title="Target"
      lead={`${title} would take ${whole} of ${formatCount(events)} as they are; ${rest}.${bill}`}
    >
      {rules.length === 0 ? (
        <p class="none">No event breaks a rule of the target.</p>
      ) : (
        <PlainTable
          caption="Rules that events break"
          headings={["Events", "What happens", "Repaired", "Documented at"]}
          rows={rules.map((rule) => [
            `${formatCount(rule.events)} (${partText(rule.events, events)})`,
            ruleText(rule, target),
            rule.isRepaired ? "yes" : "no",
            <Sources key={rule} sources={rule.sources} />,
          ])}
          numbers={[0]}
        />
      )}
      {rules
        .filter(({ names }) => names.length > 0)
        .map((rule) => (
          <Names key={rule} rule={rule} target={target} />
        ))}
    </Section>
  );
}

function Sources({ sources }: Pick<Rule, "sources">) {
  return sources.map((source, index) => (
    <span key={source}>
      {index > 0 && ", "}
      <a href={source} rel="noreferrer">
        {new URL(source).pathname.slice(1) || source}
      </a>
    </span>
  ));
}

function Names({ rule, target }: { readonly rule: Rule; readonly target: TargetReport }) {
  const { names, otherNames, moreNames, events } = rule;
  const least = moreNames ? "at least " : "";
  const more = otherNames === 0 ? "" : ` of ${least}${formatCount(names.length + otherNames)}`;
  const summary = `${formatNumberOf(names.length, "name")}${more}: ${formatNumberOf(events, "event")} ${ruleText(rule, target)}`;
  return (
    <Details summary={summary} isScreenOnly>
      <DataTable<NameRow>
        caption={summary}
        nouns={["name", "names"]}
        rows={names}
        searchText={(row) => `${row.old} ${row.new}`.toLowerCase()}
        columns={nameColumns}
      />
    </Details>
  );
}
