import { useLocation } from "preact-iso";
import { DAY_MS } from "../../base/day.js";
import { formatCount } from "../../base/format-count.js";
import type { Experiment } from "../../contract/experiment.js";
import type { PulseResults, ResultGroup } from "../../contract/experiment-results.js";
import { Empty, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { FilterField, Filters } from "../../ui/filters.js";
import { Section } from "../../ui/section.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";

const NAMES_SUGGESTED_MAX = 1_000;
/** Days that are searched for names of events. */
const NAME_DAYS = 90;

/** The results of an experiment, once it has started. */
export function ExperimentResults({ experiment }: { experiment: Experiment }) {
  if (experiment.startTime !== null) return <StartedResults experiment={experiment} />;
  return (
    <Empty title="It has not started yet">
      <p>Results appear here once it runs and applications ask for it.</p>
    </Empty>
  );
}

/** The results as the service computes them. The event and the window stand in the address. */
function StartedResults({ experiment }: { experiment: Experiment }) {
  const { query, route, path } = useLocation();
  const { event = "", days = "" } = query;
  const { id } = experiment;
  const hrefOf = (changed: Readonly<Record<string, string>>) => {
    const all = Object.entries({ event, days, ...changed }).filter(([, value]) => value !== "");
    return `${path}?${new URLSearchParams(all)}`;
  };
  const names = useLoad("event names", async (signal) => {
    const from = new Date(Date.now() - NAME_DAYS * DAY_MS).toISOString().slice(0, 10);
    const { data } = await api.countEventNames({ from, limit: NAMES_SUGGESTED_MAX, signal });
    return data.map((one) => one.event).sort();
  });
  const { value, error, reload } = useLoad(`${id} ${event} ${days}`, (signal) =>
    api.readPulseResults({
      id,
      ...(event !== "" && { event }),
      ...(event !== "" && days !== "" && { windowDays: days }),
      signal,
    }),
  );
  return (
    <Section title="Results">
      <Filters>
        <FilterField
          label="Conversion"
          value={event}
          placeholder="Name of an event"
          suggestions={names.value ?? []}
          onCommit={(name) => route(hrefOf({ event: name }))}
        />
        <FilterField
          label="within days"
          type="number"
          value={days}
          disabled={event === ""}
          onCommit={(text) => route(hrefOf({ days: text }))}
        />
      </Filters>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Skeleton lines={6} />}
      {value !== undefined && <Results results={value.data} />}
    </Section>
  );
}

function Results({ results }: { results: PulseResults }) {
  const { groups, sampleRatio, reasons, crossoverUnits, event } = results;
  if (groups.every(({ units }) => units === 0)) {
    return (
      <Empty title="Nobody has seen it yet">
        <p>Units appear here once an application asks for the experiment.</p>
      </Empty>
    );
  }
  return (
    <>
      {sampleRatio?.isMismatch === true && (
        <p class="notice notice-error" role="alert">
          The sizes of the groups are not what they should be (p ={" "}
          {sampleRatio.pValue.toPrecision(2)}
          ). Do not trust the comparison: find out why first.
        </p>
      )}
      <div class="table-frame">
        <table>
          <thead>
            <tr>
              <th scope="col">Group</th>
              <th scope="col">Units</th>
              {event !== null && (
                <>
                  <th scope="col">Converted</th>
                  <th scope="col">Rate (95 %)</th>
                  <th scope="col">Against control (95 %)</th>
                  <th scope="col">p</th>
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {groups.map((group) => (
              <GroupRow key={group.groupID} group={group} hasEvent={event !== null} />
            ))}
          </tbody>
        </table>
      </div>
      {crossoverUnits > 0 && (
        <p class="soft">{formatCount(crossoverUnits)} units saw several groups and are in none.</p>
      )}
      {reasons.map(({ property, message }) => (
        <p class="soft" key={property}>
          {message}
        </p>
      ))}
    </>
  );
}

function GroupRow({ group, hasEvent }: { group: ResultGroup; hasEvent: boolean }) {
  const { groupName, size, units, conversion, comparison } = group;
  return (
    <tr>
      <th scope="row">
        {groupName} <small>{size} %</small>
      </th>
      <td>{formatCount(units)}</td>
      {hasEvent && (
        <>
          <td>{conversion === null ? "–" : formatCount(conversion.units)}</td>
          <td>
            {rangeText(conversion?.rate ?? null, conversion?.confidenceInterval ?? null, "%")}
          </td>
          <td>
            {rangeText(
              comparison?.absoluteChange ?? null,
              comparison?.confidenceInterval ?? null,
              "points",
            )}
          </td>
          <td>{comparison?.pValue?.toPrecision(2) ?? "–"}</td>
        </>
      )}
    </tr>
  );
}

/** `12.3 % (11.1 to 13.6)`; a dash for a value that cannot be computed. */
function rangeText(
  value: number | null,
  interval: { readonly lower: number; readonly upper: number } | null,
  unit: "%" | "points",
): string {
  if (value === null) return "–";
  const text = (share: number) =>
    `${unit === "points" && share > 0 ? "+" : ""}${(share * 100).toFixed(1)}`;
  const range = interval === null ? "" : ` (${text(interval.lower)} to ${text(interval.upper)})`;
  return `${text(value)} ${unit}${range}`;
}
