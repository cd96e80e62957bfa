import { UsageError } from "../base/errors.js";
import { evenly } from "../base/evenly.js";
import { SURVEY_SOURCES_MAX } from "../base/limits.js";
import { flagText } from "../base/option-text.js";
import { sum } from "../base/sum.js";
import type { Mapping, WrittenChanges, WrittenMapping } from "../mapper/mapping.js";
import { type PresetName, presets } from "../mapper/presets.js";
import { resolveWritten } from "../mapper/resolve-mapping.js";
import type { RenamedField } from "../profile/renamed-fields.js";
import { withFurtherField } from "../profile/written-mapping.js";
import type { Source } from "../sources/source.js";
import type { Discovery, DiscoveryFailure } from "../sources/source-discovery.js";
import { choosePreset } from "./choose-preset.js";
import { type Fields, summarizeFields } from "./field-summary.js";
import { withKinds } from "./kind-columns.js";
import { doubtOfList, elementsOf, listsIn } from "./list-rows.js";
import { findNullTexts } from "./null-cells.js";
import { doubtOfPath, withPath } from "./path-rows.js";
import {
  findMissing,
  type MappingSkeleton,
  MappingUnknown,
  proposeMapping,
  proposeSkeleton,
} from "./propose-mapping.js";
import { doubtOfRename, renamedFieldsOf, tallyRows } from "./row-tally.js";
import { asSourceError, type SampledSource, type SampleTools, sampleRows } from "./sample-rows.js";
import { shapesOf } from "./source-shapes.js";
import type { FoundMapping, FoundTime, MappingTrial, Survey } from "./survey.js";
import { findTime } from "./time-form.js";
import { tryMapping } from "./try-mapping.js";
import { flattenedOf, unusedFields, variantOf } from "./unused-fields.js";

interface SurveyTask {
  readonly discovery: Discovery;
  /** The preset that the user names, if any. */
  readonly preset: PresetName | undefined;
  /** Events at or after this time are rejected; milliseconds since 1970 UTC. */
  readonly maxTimeMs: number;
}

/** Most shapes for which one source each is always sampled. */
const SHAPES_MAX = 8;

/** Most failures that are listed. */
const FAILURES_SHOWN = 5;

/** Most columns that a message names. */
const COLUMNS_SHOWN = 30;

/**
 * Counts all sources, and samples the first rows of some that are spread over all. Throws `UsageError` if
 * there are no rows, rows of several tools, or rows without the fields that an event needs.
 */
export async function surveySources(task: SurveyTask, tools: SampleTools): Promise<Survey> {
  const { discovery, maxTimeMs } = task;
  const { samples, failures } = await takeSamples(discovery, tools);
  const withRows = samples.filter(({ rows }) => rows.length > 0);
  if (withRows.length === 0) throw rowsMissing(samples, failures);
  const rows = withRows.flatMap((one) => one.rows);
  const { finding: found, samples: seen, fields } = findMapping(task, withRows);
  const attempt = (one: MappingFinding) => tryFinding(one, seen, fields, maxTimeMs, tools);
  const first = await attempt(found);
  const better = await findBetter(first, seen, fields, attempt);
  const { mapping, time, trial, kept, doubts } = better ?? first;
  if (mapping.kind === "guess" && trial.delivered === 0) throw mappingUnknown(seen, fields, []);
  const unused = unusedFields(fields, resolveFound(mapping));
  return {
    sources: discovery.sources.length,
    bytes: sum(discovery.sources, ({ size }) => size),
    shapes: shapesOf(discovery.sources),
    sample: {
      sources: samples.length,
      rows: rows.length,
      elements: sum(seen, (one) => one.rows.length),
      faults: sum(samples, ({ faults }) => faults),
    },
    mapping,
    unused,
    kept,
    nulls: findNullTexts(withRows),
    time,
    trial,
    failures: failures.slice(0, FAILURES_SHOWN),
    failuresTotal: failures.length,
    doubts: [...doubts, ...doubtsOfTrial(trial), ...doubtsOfFaults(samples)],
  };
}

function resolveFound(found: FoundMapping): Mapping {
  if (found.kind === "guess") return resolveWritten(found.changes);
  return resolveWritten({ ...presets[found.preset].mapping, ...found.changes });
}

function withChanges(found: FoundMapping, changes: WrittenChanges | undefined): FoundMapping {
  if (changes === undefined) return found;
  if (found.kind === "guess") return { ...found, changes: { ...found.changes, ...changes } };
  return { ...found, changes: { ...found.changes, ...changes } };
}

/** Adds fields that some of the rows have instead of those of the mapping. */
function withFields(found: FoundMapping, renamed: readonly RenamedField[]): FoundMapping {
  return renamed
    .filter(({ isSure }) => isSure)
    .reduce((mapping, { target, path }) => {
      const record = { ...resolveFound(mapping) };
      return withChanges(mapping, { [target]: withFurtherField(record, target, path) });
    }, found);
}

interface Samples {
  readonly samples: readonly SampledSource[];
  readonly failures: readonly DiscoveryFailure[];
}

/** Reads the first rows of some sources, spread over all. Sources that cannot be read are failures. */
export async function takeSamples(
  discovery: Pick<Discovery, "sources" | "failures">,
  tools: SampleTools,
): Promise<Samples> {
  const failures: DiscoveryFailure[] = [...discovery.failures];
  const samples: SampledSource[] = [];
  for (const source of chooseSources(discovery.sources)) {
    try {
      samples.push(await sampleRows(source, tools));
    } catch (error) {
      const { code, message } = asSourceError(error);
      failures.push({ name: source.name, code, message });
    }
  }
  return { samples, failures };
}

/** Chooses sources spread over all, and one of each shape, because a rare shape may differ. */
function chooseSources(sources: readonly Source[]): readonly Source[] {
  const filled = sources.filter(({ size }) => size > 0);
  const names = new Set(shapesOf(filled).map(({ example }) => example));
  const examples = filled.filter(({ name }) => names.has(name));
  return [...new Set([...evenly(filled, SURVEY_SOURCES_MAX), ...evenly(examples, SHAPES_MAX)])];
}

interface MappingFinding {
  readonly mapping: FoundMapping;
  readonly doubts: readonly string[];
}

/** Rows with their fields. */
interface Seen {
  readonly samples: readonly SampledSource[];
  readonly fields: Fields;
}

function seenOf(samples: readonly SampledSource[]): Seen {
  return { samples, fields: summarizeFields(samples.flatMap(({ rows }) => rows)) };
}

/** Rows as a mapping sees them, which are elements of a list if it has one. */
function seenBy(found: FoundMapping, samples: readonly SampledSource[]): Seen {
  const { rows = [] } = resolveFound(found);
  return seenOf(samples.map((sample) => elementsOf(sample, rows)));
}

/** Finds the mapping, with the columns of paths among the fields if the rows alone lack a part of an event. */
function findMapping(
  { preset }: SurveyTask,
  samples: readonly SampledSource[],
): Seen & { readonly finding: MappingFinding } {
  const seen = seenOf(samples);
  if (preset !== undefined) {
    const mapping = { kind: "given", preset, reasons: ["as you said"] } as const;
    return { ...seenBy(mapping, samples), finding: { mapping, doubts: [] } };
  }
  const choice = choosePreset(samples);
  if (choice !== undefined) {
    const { doubts, ...found } = choice;
    const mapping = { kind: "preset", ...found } as const;
    return { ...seenBy(mapping, samples), finding: { mapping, doubts } };
  }
  const guess = guessMapping(seen);
  if (guess !== undefined) return { ...seen, finding: guess };
  const more = seenOf(samples.map(withPath));
  const further = guessMapping(more);
  if (further !== undefined) {
    const doubts = [...further.doubts, doubtOfPath(further.mapping.changes)];
    return { ...more, finding: { ...further, doubts } };
  }
  const inLists = findInLists(samples);
  if (inLists !== undefined) return inLists;
  const rows = sum(samples, (one) => one.rows.length);
  const missing = findMissing(more.fields, rows);
  throw mappingUnknown(samples, more.fields, missing, proposeSkeleton(more.fields, rows));
}

/** Finds a list in the rows whose elements have an event name and a time; undefined if there is none. */
function findInLists(
  samples: readonly SampledSource[],
): (Seen & { readonly finding: MappingFinding }) | undefined {
  // Lists in cells of CSV are not read.
  if (samples.some(({ source }) => source.format.kind === "csv")) return undefined;
  for (const path of listsIn(samples.flatMap(({ rows }) => rows))) {
    const seen = seenOf(samples.map((sample) => elementsOf(sample, path)));
    const choice = choosePreset(seen.samples.filter(({ rows }) => rows.length > 0));
    const found: MappingFinding | undefined =
      choice === undefined
        ? guessMapping(seen)
        : { mapping: { kind: "preset", ...choice }, doubts: choice.doubts };
    if (found === undefined) continue;
    const { mapping, doubts } = found;
    const { event, timestamp } = resolveFound(mapping);
    if ([...event, ...timestamp].some(({ path: [step] }) => step === "^")) continue;
    const rows = path.some((step) => step.includes(".")) ? [...path] : path.join(".");
    const finding = {
      mapping: withChanges(mapping, { rows }),
      doubts: [...doubts, doubtOfList(path)],
    };
    return { ...seen, finding };
  }
  return undefined;
}

/** Guesses the mapping; undefined if the fields lack a part of an event. */
function guessMapping({ samples, fields }: Seen): MappingFinding | undefined {
  const proposal = proposeMapping(
    fields,
    samples.flatMap(({ rows }) => rows),
  );
  if (proposal === undefined) return undefined;
  return {
    mapping: {
      kind: "guess",
      changes: proposal.mapping,
      reasons: ["by names and values of the fields"],
    },
    doubts: [
      "No preset fits these rows: the mapping is a guess by the names of their fields. Read it.",
      ...Object.entries(proposal.others).map(
        ([target, paths]) =>
          `${target} is taken from ${dotted(proposal.mapping, target)}, but could be ${paths.join(", ")}.`,
      ),
    ],
  };
}

/** A mapping with the changes that the rows need, and its outcome. */
interface Attempt extends MappingFinding {
  readonly time: FoundTime;
  readonly trial: MappingTrial;
  readonly kept: readonly string[];
}

async function tryFinding(
  { mapping: found, doubts }: MappingFinding,
  samples: readonly SampledSource[],
  fields: Fields,
  maxTimeMs: number,
  tools: SampleTools,
): Promise<Attempt> {
  const zone = found.kind === "guess" ? undefined : presets[found.preset].zone;
  const { time, ...finding } = findTime(fields, resolveFound(found), zone);
  const timed = withChanges(found, finding.changes);
  const before = resolveFound(timed);
  const more =
    flattenedOf(timed, fields, before) ??
    (await withKinds(timed, samples, tools)) ??
    variantOf(timed, unusedFields(fields, before), fields);
  const kept = withChanges(timed, more);
  const renamed = renamedFieldsOf(tallyRows(samples, resolveFound(kept)), resolveFound(kept));
  const mapping = withFields(kept, renamed);
  const sources = samples.map(({ source }) => source);
  const trial = await tryMapping(sources, resolveFound(mapping), maxTimeMs, tools);
  const all = [...doubts, ...finding.doubts, ...renamed.map(doubtOfRename)];
  return { mapping, time, trial, kept: keptColumns(more?.metadata), doubts: all };
}

/** Returns the fields of the last part of a merged object. */
function keptColumns(metadata: WrittenChanges["metadata"]): readonly string[] {
  const part = Array.isArray(metadata) ? metadata.at(-1) : undefined;
  const fields = typeof part === "object" && "fields" in part ? part.fields : [];
  return fields.map((one) => (typeof one === "string" ? one : [one.field].flat().join(".")));
}

/** A guess is better than a preset if it makes so many times more events of the same rows. */
const BETTER = 1.1;

/** Returns a guess that makes clearly more events than a preset that was found; undefined for none. */
async function findBetter(
  { mapping, trial }: Attempt,
  samples: readonly SampledSource[],
  fields: Fields,
  attempt: (finding: MappingFinding) => Promise<Attempt>,
): Promise<Attempt | undefined> {
  if (mapping.kind !== "preset" || rejectedIn(trial) === 0) return undefined;
  const guess = guessMapping({ samples, fields });
  const other = guess && (await attempt(guess));
  // A guess has no filter, and makes events of the rows that the preset leaves out.
  const accepted = trial.delivered + trial.filtered;
  if (other === undefined || other.trial.delivered <= accepted * BETTER) return undefined;
  const { vendor } = presets[mapping.preset];
  const why =
    `the preset of ${vendor}, whose columns the rows have, would reject ` +
    `${rejectedIn(trial)} of ${trial.rows} sampled rows (${rejectWords(trial)})`;
  const [, ...doubts] = other.doubts;
  return {
    ...other,
    mapping: { ...other.mapping, reasons: [...other.mapping.reasons, why] },
    doubts: [`The mapping is a guess: ${why}. Read it.`, ...doubts],
  };
}

function rejectedIn({ rows, delivered, filtered }: MappingTrial): number {
  return rows - delivered - filtered;
}

function rejectWords({ rejects }: MappingTrial): string {
  return Object.entries(rejects)
    .map(([code, count]) => `${code} ${count}`)
    .join(", ");
}

function dotted(mapping: WrittenMapping, target: string): string {
  const taken = mapping[target as keyof WrittenMapping] as
    | string
    | { readonly field: string | string[] };
  return [typeof taken === "string" ? taken : taken.field].flat().join(".");
}

function doubtsOfTrial(trial: MappingTrial): readonly string[] {
  const rejected = rejectedIn(trial);
  if (rejected === 0) return [];
  const isLate = trial.rejects.time_out_of_range !== undefined;
  return [
    `${rejected} of ${trial.rows} sampled rows would be rejected: ${rejectWords(trial)}.` +
      (isLate ? ' If times are in the future on purpose, set "timeLimits".' : ""),
  ];
}

/** Describes sources without a readable row. */
function doubtsOfFaults(samples: readonly SampledSource[]): readonly string[] {
  const unread = samples.filter(({ rows, faults }) => rows.length === 0 && faults > 0);
  const [first] = unread;
  if (first === undefined) return [];
  const more = unread.length === 1 ? "" : ` and ${unread.length - 1} more`;
  return [
    `None of the first rows of ${first.source.name}${more} can be read; leave out inputs that are not exports, or pass ${flagText("inputFormat")}.`,
  ];
}

function rowsMissing(
  samples: readonly SampledSource[],
  failures: readonly DiscoveryFailure[],
): UsageError {
  const faults = sum(samples, (one) => one.faults);
  const facts = [
    ...(faults === 0 ? [] : [`${faults} rows cannot be read`]),
    ...failures.slice(0, FAILURES_SHOWN).map(({ message }) => message),
    ...(failures.length > FAILURES_SHOWN
      ? [`and ${failures.length - FAILURES_SHOWN} more inputs that cannot be read`]
      : []),
  ];
  const words = facts.length === 0 ? "" : `:\n  ${facts.join("\n  ")}`;
  return new UsageError(
    "rows_missing",
    `The inputs have no readable rows${words}${words === "" ? "." : ""}`,
  );
}

/** `missing` lists the parts that no field has; it is empty if no row becomes an event by the guess. */
function mappingUnknown(
  samples: readonly SampledSource[],
  fields: Fields,
  missing: readonly string[],
  skeleton?: MappingSkeleton,
): MappingUnknown {
  const columns = [...fields.values()].map(({ path }) => path.join("."));
  const shown = columns.slice(0, COLUMNS_SHOWN).join(", ");
  const more = columns.length > COLUMNS_SHOWN ? ` and ${columns.length - COLUMNS_SHOWN} more` : "";
  const why =
    missing.length > 0
      ? `no field looks like ${missing.join(", or like ")}`
      : "a mapping guessed by the names of their fields makes no event from them";
  return new MappingUnknown(
    `No preset fits these rows, and ${why}. They have: ${shown}${more}.${describeHeader(samples, columns)}`,
    skeleton && { mapping: skeleton, missing, columns: `${shown}${more}` },
  );
}

/** Says how to name the columns of CSV, if they have no names or if a first row may be taken for them. */
function describeHeader(samples: readonly SampledSource[], columns: readonly string[]): string {
  if (!samples.every(({ source }) => source.format.kind === "csv")) return "";
  const names = `${flagText("csvDialect")} columns= with ${formatNames(columns.length)} in their order, such as ${flagText("csvDialect")} columns=time,user,event`;
  return columns.every((column) => /^column_\d+$/.test(column))
    ? ` The CSV has no header: pass ${names}.`
    : ` If these are values of a first row instead of names, the CSV has no header: pass ${names}.`;
}

function formatNames(columns: number): string {
  return columns === 1 ? "the name of the column" : `the names of the ${columns} columns`;
}
