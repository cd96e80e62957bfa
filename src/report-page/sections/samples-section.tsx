import { useMemo, useState } from "preact/hooks";
import type { Report, ReportSample } from "../../profile/report.js";
import { formatNumberOf } from "../../report/quantities.js";
import { harmless } from "../../report/terminal-text.js";
import { Details, Preformatted } from "../../ui/blocks.js";
import { Section } from "../../ui/section.js";
import { shown } from "../../ui/text.js";
import { toneStyle } from "../../ui/timeline.js";
import { positionText } from "../elements/display-text.js";
import type { ReportProps } from "../elements/view-state.js";
import { type RowMember, rowMembers, type TextToken } from "../mapping/text-tokens.js";
import { filterToken, type TraceLink, traceLinks } from "../mapping/trace-links.js";

const FIRST_SAMPLES = 3;
const MORE_SAMPLES = 10;

export function SamplesSection({ report: { samples } }: ReportProps) {
  const ordered = useMemo(() => inTurns(samples), [samples]);
  return (
    <Section
      id="samples"
      title="From row to event"
      none={samples.length === 0 && "No samples."}
      lead="Source rows beside the events that they become, one of each event name first."
    >
      <SampleList samples={ordered} />
    </Section>
  );
}

/** Orders samples: the first ones are of different events. */
function inTurns(samples: readonly ReportSample[]): readonly ReportSample[] {
  const seen = new Map<string, number>();
  const turns = samples.map((sample) => {
    const turn = seen.get(sample.event) ?? 0;
    seen.set(sample.event, turn + 1);
    return { sample, turn };
  });
  return turns.sort((one, other) => one.turn - other.turn).map(({ sample }) => sample);
}

/** Shows the first samples, and a button for more: there may be some for each event name. */
export function SampleList({ samples }: Pick<Report, "samples">) {
  const [count, setCount] = useState(FIRST_SAMPLES);
  return (
    <div>
      <MappingLegend />
      {samples.slice(0, count).map((sample) => (
        <MappingView key={sample} sample={sample} />
      ))}
      {count < samples.length && (
        <button type="button" class="quiet" onClick={() => setCount(count + MORE_SAMPLES)}>
          {`Show more (${samples.length} samples)`}
        </button>
      )}
    </div>
  );
}

/** Targets of a mapping in their order, with their colours. */
const tones: Readonly<Record<string, number>> = {
  event: 0,
  timestamp: 1,
  userID: 2,
  stableID: 3,
  value: 4,
  insertID: 7,
  user: 5,
  metadata: 6,
};
const fields = Object.keys(tones);

function MappingLegend() {
  return (
    <div class="legend">
      <ul>
        {fields.map((field) => (
          <li key={field}>
            <mark class="field" style={toneStyle(tones[field])}>
              {field}
            </mark>
          </li>
        ))}
      </ul>
      <p>
        Each value on the right comes from the value of the same colour on the left.{" "}
        <span class="converted">Dotted</span> values change their form.
      </p>
    </div>
  );
}

/** A source row beside its event. A value and its result have the same colour and light up together. */
function MappingView({ sample }: { readonly sample: ReportSample }) {
  const { used, unused, event, linkOf } = useMemo(() => layout(sample), [sample]);
  const [lit, setLit] = useState<number | undefined>(undefined);
  const text = (members: readonly RowMember[]) => (
    <Members members={members} linkOf={linkOf} lit={lit} />
  );
  const light = ({ target }: Event) => {
    const mark = target instanceof Element ? target.closest<HTMLElement>("[data-link]") : null;
    setLit(mark === null ? undefined : Number(mark.dataset["link"]));
  };
  const position = positionText(sample);
  const heading = `Source: ${position}`;
  const isSplit = used.length > 0 && unused.length > 0;
  return (
    <div class="mapping" onPointerOver={light}>
      <figure>
        <figcaption>{heading}</figcaption>
        <Preformatted label={heading}>{text(used.length === 0 ? unused : used)}</Preformatted>
        {isSplit && (
          <Details
            summary={`${formatNumberOf(unused.length, "source field")} that ${unused.length === 1 ? "is" : "are"} not in the event`}
            isScreenOnly
          >
            <Preformatted label={`Further fields of ${position}`}>{text(unused)}</Preformatted>
          </Details>
        )}
      </figure>
      <figure>
        <figcaption>{`Event: ${shown(sample.event)}`}</figcaption>
        <Preformatted label={`Event made of ${position}`}>{text(event)}</Preformatted>
      </figure>
    </div>
  );
}

interface TokenLink extends TraceLink {
  readonly index: number;
}

/** Splits a row into the members that the event has, in the order of `fields`, and the others. */
function layout(sample: ReportSample) {
  const source = rowMembers(sample.raw, sample.csv);
  const event = rowMembers(sample.result);
  const links = new Map<TextToken, TokenLink>();
  traceLinks(source, event, sample.trace).forEach((link, index) => {
    links.set(link.from, { ...link, index });
    links.set(link.to, { ...link, index });
  });
  const linkOf = (token: TextToken) => links.get(token);
  const filtered = filterToken(source, sample.trace);
  const rankOf = (token: TextToken) => {
    const target = linkOf(token)?.target;
    if (target !== undefined) return fields.indexOf(target);
    return token === filtered ? fields.length : Infinity;
  };
  const ranked = source.map((member) => ({
    member,
    rank: Math.min(...member.tokens.map(rankOf)),
  }));
  const [used, unused] = [true, false].map((isUsed) =>
    ranked.filter(({ rank }) => rank < Infinity === isUsed),
  );
  used?.sort((one, other) => one.rank - other.rank);
  const membersOf = (list: typeof ranked = []) => list.map(({ member }) => member);
  return { used: membersOf(used), unused: membersOf(unused), event, linkOf };
}

interface MembersProps {
  readonly members: readonly RowMember[];
  readonly linkOf: (token: TextToken) => TokenLink | undefined;
  /** Index of the link that is lit. */
  readonly lit: number | undefined;
}

/** Pieces of members, each member on a line of its own. */
function Members({ members, linkOf, lit }: MembersProps) {
  return members.map(({ tokens }, line) => [
    line > 0 && "\n",
    tokens.map((token, index) => {
      if (token.kind === "space") return token.text;
      const link = linkOf(token);
      const visible = harmless(token.text);
      if (link === undefined) {
        return (
          <span key={index} class={`token-${token.kind}`}>
            {visible}
          </span>
        );
      }
      return (
        <mark
          key={index}
          class={`field${link.isConverted ? " converted" : ""}${link.index === lit ? " lit" : ""}`}
          style={toneStyle(tones[link.target])}
          data-link={link.index}
          title={token === link.from ? `becomes ${link.target}` : undefined}
        >
          {visible}
        </mark>
      );
    }),
  ]);
}
