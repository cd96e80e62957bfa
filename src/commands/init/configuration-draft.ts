import { wrapAnsi } from "fast-wrap-ansi";
import { version } from "../../base/package-files.js";
import { outputFormatNames } from "../../formats/output-formats.js";
import { withNullTexts } from "../../options/csv-dialect-option.js";
import type { JsonObject, JsonValue } from "../../options/json-value.js";
import { describeOption } from "../../options/option-names.js";
import { formatBytes, formatNumberOf } from "../../report/quantities.js";
import { describeUnused } from "../../report/summary-parts.js";
import { harmless } from "../../report/terminal-text.js";
import type { SkeletonFacts } from "../../survey/propose-mapping.js";
import type { Survey } from "../../survey/survey.js";
import {
  describeNulls,
  describeShapes,
  describeTime,
  describeTrial,
  sharesOf,
} from "./survey-summary.js";

/** The facts from which a configuration is written. */
interface DraftFacts {
  readonly survey: Survey;
  /** Inputs as written in the file. */
  readonly inputs: readonly string[];
  /** Directory of the export as written in the file. */
  readonly output: string;
  /** Options about the inputs that the user gave. */
  readonly given: JsonObject;
  /** Path of the schema; undefined to omit `$schema`. */
  readonly schema: string | undefined;
}

const COLUMNS = 100;

/** Most fields without a target that are named. */
const UNUSED_SHOWN = 100;

/** Returns the text of a configuration file: JSON with a comment on every choice. */
export function draftConfiguration(facts: DraftFacts): string {
  const { survey, inputs, output, given, schema } = facts;
  const { mapping } = survey;
  const about = [
    `Written by \`switchyard init\` (${version}) after inspecting ${formatNumberOf(survey.sources, "source")}.`,
    "Every other option: docs/configuration.md in the package.",
  ];
  const doubts = survey.doubts.map((doubt) => `- ${doubt}`);
  const blocks = [
    schema === undefined ? [] : [member("$schema", schema)],
    [
      ...comment(["Steps of `switchyard migrate`, in this order."]),
      member("steps", ["validate", "export", "verify"]),
    ],
    [
      ...comment([`${describeShapes(survey)}, ${formatBytes(survey.bytes)}.`]),
      member("inputs", inputs),
      ...Object.entries(given)
        .filter(([name]) => name !== "csvDialect" || survey.nulls.length === 0)
        .map(([name, value]) => member(name, value)),
      ...nullLines(survey, given),
    ],
    [
      ...comment(mappingWords(survey)),
      ...(mapping.kind === "guess" ? [] : [member("preset", mapping.preset)]),
      ...(mapping.changes === undefined
        ? []
        : [member("mapping", mapping.changes as unknown as JsonValue)]),
      ...unusedLines(survey),
    ],
    [
      ...comment([`One directory per day. Other formats: "format": ${otherFormats()}.`]),
      member("export", { to: output }),
    ],
  ];
  return [
    "{",
    ...comment(about),
    ...(doubts.length === 0 ? [] : ["", ...comment(["Uncertain:", ...doubts])]),
    ...blocks.filter((block) => block.length > 0).flatMap((block) => ["", ...block]),
    "}",
    "",
  ].join("\n");
}

/** Returns a configuration file whose mapping has empty targets to fill in. */
export function draftSkeleton({
  skeleton: { mapping, missing, columns },
  inputs,
  output,
  given,
  schema,
}: Omit<DraftFacts, "survey"> & { readonly skeleton: SkeletonFacts }): string {
  return [
    "{",
    ...(schema === undefined ? [] : [member("$schema", schema), ""]),
    member("steps", ["validate", "export", "verify"]),
    member("inputs", inputs),
    ...Object.entries(given).map(([name, value]) => member(name, value)),
    "",
    ...comment([
      `No field looks like ${missing.join(", or like ")}: fill in the empty text (docs/mapping.md).`,
      `Fields: ${columns}.`,
    ]),
    `  "mapping": {`,
    ...Object.entries(mapping).map(
      ([target, value]) => `    ${inline(target)}: ${inline(value as JsonValue)},`,
    ),
    "  },",
    "",
    member("export", { to: output }),
    "}",
    "",
  ].join("\n");
}

/** Names the output formats apart from the default one. */
function otherFormats(): string {
  const { default: usual } = describeOption("format");
  const others = outputFormatNames.filter((name) => name !== usual).map((name) => inline(name));
  return `${others.slice(0, -1).join(", ")} or ${others.at(-1)}`;
}

/** Names the texts that mean null, in addition to those that the user gave. */
function nullLines({ nulls }: Survey, { csvDialect }: JsonObject): readonly string[] {
  if (nulls.length === 0) return [];
  const texts = nulls.map(({ text }) => text);
  return [
    ...comment([`Taken for null: ${describeNulls(nulls)}. Remove those that are text.`]),
    member("csvDialect", withNullTexts(csvDialect, texts)),
  ];
}

function mappingWords(survey: Survey): readonly string[] {
  const { kind, reasons } = survey.mapping;
  const choice =
    kind === "guess"
      ? `A guess, ${reasons.join("; ")}; every target is named, so none comes from the default preset.`
      : `${reasons.join("; ")}.`;
  return [choice, `Times: ${describeTime(survey)}.`, `${describeTrial(survey)}.`];
}

/** Lists the unused fields, and those that are kept beside the properties. */
function unusedLines(survey: Survey): readonly string[] {
  const { unused, kept } = survey;
  return comment([
    ...(kept.length === 0
      ? []
      : ["Columns beside the properties are kept in them; remove those that you do not need."]),
    ...(unused.length === 0
      ? []
      : [
          `Not mapped, with the share of sampled rows that have a value: ${describeUnused(sharesOf(survey), UNUSED_SHOWN)}.`,
        ]),
  ]);
}

/** Returns a member on one line if it fits, else with one line per item or member. */
function member(name: string, value: JsonValue): string {
  const line = `  ${JSON.stringify(name)}: ${inline(value)},`;
  if (line.length <= COLUMNS || typeof value !== "object" || value === null) return line;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const parts = Array.isArray(value)
    ? value.map(inline)
    : Object.entries(value as JsonObject).map(([key, inner]) => `${inline(key)}: ${inline(inner)}`);
  const lines = parts.map((part) => `    ${part},`);
  return [`  ${JSON.stringify(name)}: ${open}`, ...lines, `  ${close},`].join("\n");
}

function inline(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return visible(JSON.stringify(value));
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  const members = Object.entries(value as JsonObject).map(
    ([name, inner]) => `${inline(name)}: ${inline(inner)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** Escapes invisible characters in JSON. */
function visible(json: string): string {
  return json.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** Returns comment lines. Line ends are escaped, so text of inputs cannot leave its comment. */
function comment(paragraphs: readonly string[]): readonly string[] {
  return paragraphs
    .flatMap((text) => wrapAnsi(harmless(text), COLUMNS - 5).split("\n"))
    .map((line) => `  // ${line}`);
}
