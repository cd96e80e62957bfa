import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as limits from "../../src/base/limits.js";
import { rejectCodes } from "../../src/base/reject-codes.js";
import { cellKinds } from "../../src/batch/column.js";
import { outcomes } from "../../src/batch/event-batch.js";
import { textEntryLayout } from "../../src/batch/layouts.js";
import { nodeTypes } from "../../src/batch/nested-node.js";
import { pageFaults, valueForms } from "../../src/batch/page-cursor.js";
import { textChanges } from "../../src/batch/text-changes.js";
import { privacyActions } from "../../src/mapper/privacy.js";
import { epochOf } from "../../src/mapper/time-format.js";
import { FITTING_ROWS_MAX } from "../../src/profile/hash-counts.js";
import * as profile from "../../src/profile/profile-memory.js";
import { PICKS } from "../../src/profile/row-samples.js";
import { figureNames } from "../../src/profile/split-profile.js";
import { rowEndings, scanStates } from "../../src/readers/csv/record-scanner.js";
import { fieldKinds } from "../../src/sinks/text-layout.js";

const inflateStatuses = named(objectOf("sources/inflater", "inflateStatuses"));
/** The first of the statuses that stand for the faults, which are in the order of their texts. */
const damage = (inflateStatuses["TRUNCATED"] ?? -1) + 1;
const inflateFaults: readonly string[] = [
  "INVALID_BLOCK_TYPE",
  "INVALID_STORED_LENGTH",
  "TOO_MANY_SYMBOLS",
  "INVALID_CODE_LENGTHS",
  "INVALID_REPEAT",
  "NO_END_OF_BLOCK",
  "INVALID_LITERAL_CODES",
  "INVALID_DISTANCE_CODES",
  "UNKNOWN_LITERAL",
  "UNKNOWN_DISTANCE",
  "TOO_FAR_BACK",
];

const sameElsewhere = /[Tt]he same (?:names and )?numbers? as/;

/** Constants of files of src/kernels that TypeScript has, too; these have to be the same. */
const compared: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "nested/nested-node": named(nodeTypes),
  "nested/number-text": pick("parquet/value-type", "DECIMAL_BYTES_MAX"),
  column: named(cellKinds, "KIND_"),
  "csv/csv": named(scanStates, "STATE_"),
  "csv/csv-scan": named(rowEndings),
  "inflate/crc32": { LAST: constantsOf("sources/checksum")["REMAINDER_BYTES"] ?? -1 },
  "inflate/inflate-state": {
    ...inflateStatuses,
    DAMAGE: damage,
    ...Object.fromEntries(inflateFaults.map((name, place) => [name, damage + place])),
    CODE_LENGTHS_MAX: constantsOf("sources/inflater")["CODE_LENGTHS_BYTES"] ?? -1,
  },
  "json/json-shape": { MEMBERS_MAX: constantsOf("batch/field-table")["SHAPE_MEMBERS_MAX"] ?? -1 },
  "json/remembered-bytes": pick("batch/field-table", "REMEMBERED_BYTES_MAX"),
  "json/json-nested": { DEPTH_MAX: limits.JSON_DEPTH_MAX },
  "mapping/name-filter": { FILTERED: outcomes.filtered },
  "mapping/privacy": {
    DROP: privacyActions.indexOf("drop"),
    HASH: privacyActions.indexOf("hash"),
    ...pick("mapper/privacy", "HASH_BYTES", "QUOTED_HASH_BYTES"),
  },
  "mapping/text-forms": {
    FROM_JSON: textChanges.fromJson,
    TRIM: textChanges.trim,
    AS_INTEGER: textChanges.asInteger,
    TOKEN: textChanges.token,
  },
  "mapping/time": {
    ...named(objectOf("mapper/time-target", "timeStates")),
    AUTO: epochOf("auto")?.unit ?? -1,
    SECONDS: epochOf("s")?.unit ?? -1,
    TICKS: epochOf("100ns since 1970-01-01")?.unit ?? -1,
    FILTERED: outcomes.filtered,
    TEXTS_ARE_LOCAL: constantsOf("mapper/time-target")["textsAreLocal"] ?? -1,
    EPOCHS_ARE_LOCAL: constantsOf("mapper/time-target")["epochsAreLocal"] ?? -1,
  },
  "parquet/parquet-rows": {
    ...named(valueForms),
    SOUND: 0,
    LEVELS_END: faultOf("definition levels end"),
    VALUES_END: faultOf("values end"),
    LEVEL_TOO_HIGH: faultOf("higher than"),
    NO_SUCH_ENTRY: faultOf("refers to an entry"),
    VALUES_MISCOUNTED: faultOf("number of nulls"),
    REPEATS_WRONG: faultOf("repetition"),
    ...pick("batch/page-cursor", "VALUES_UNKNOWN"),
  },
  "profile/event-counts": { DELIVER: outcomes.deliver },
  "profile/figures": named(Object.fromEntries(figureNames.map((name, place) => [name, 8 * place]))),
  "profile/folded-ids": pick("profile/hash-counts", "LATE"),
  "profile/frequent": {
    TEXT_BYTES: profile.TEXT_BYTES,
    DISTINCT_BYTES: profile.VALUE_REGISTER_BYTES,
  },
  "profile/ids": {
    ID_SLOT_BITS: constantsOf("profile/id-counts")["SLOT_BITS"] ?? -1,
    ID_TEXT_BYTES: profile.TEXT_BYTES,
    ...pick("profile/id-counts", "TABLE_IDS_MAX"),
  },
  "profile/profile-properties": {
    VALUES_MAX: limits.PROFILE_VALUES_MAX,
    VALUE_BYTES: textEntryLayout.bytes + profile.TEXT_BYTES,
    ...pick("profile/profile-memory", "MEMBER_BYTES"),
  },
  "profile/profile-rows": {
    ...named(outcomes),
    UNIT_ID_MISSING: rejectCodes.unit_id_missing,
    EVENT_MISSING: rejectCodes.event_missing,
    EVENT_NOT_TEXT: rejectCodes.event_not_text,
    TIME_MISSING: rejectCodes.time_missing,
    TRANSFORM_FAILED: rejectCodes.transform_failed,
    NAME_USERS_BITS: Math.log2(profile.NAME_USERS_BYTES),
  },
  "profile/row-ids": {
    DELIVER: outcomes.deliver,
    ID_BITS: Math.log2(profile.ID_REGISTER_BYTES),
    INSERT_ID_BITS: Math.log2(profile.INSERT_ID_REGISTER_BYTES),
  },
  "profile/row-picks": {
    PICKS,
    LARGEST: profile.LARGEST_MAX,
    REJECTED_KINDS: profile.LACKING_KINDS,
    KINDS: profile.KINDS,
    ...pick("profile/row-samples", "PICKED_NAMES", "PICKED_GROUPS"),
  },
  "profile/taken-ids": { TAKEN_ROWS_MAX: FITTING_ROWS_MAX },
  "reject-codes": Object.fromEntries(
    Object.keys(constantsOf("kernels/reject-codes")).map((name) => [
      name,
      new Map<string, number>(Object.entries(rejectCodes)).get(name.toLowerCase()) ?? -1,
    ]),
  ),
  "sink/days": { DELIVER: outcomes.deliver, ...pick("sinks/day-order", "DIGIT_BITS") },
  "sink/jsonl": {
    FIELD_TIMESTAMP: fieldKinds.timestamp,
    FIELD_TEXT: fieldKinds.text,
    FIELD_JSON: fieldKinds.json,
    FIELD_NUMBER: fieldKinds.number,
  },
  "sink/row-buffer": { DELIVER: outcomes.deliver },
  "sink/spill": { ROW_BITS: Math.log2(limits.DESCRIBED_ROW_BYTES) },
  "sink/spill-merge": pick("sinks/spill/pack-groups", "DAYS_MAX"),
};

describe.each(Object.entries(compared))("the constants of src/kernels/%s", (file, expected) => {
  test("are those that TypeScript has", () => {
    expect(constantsOf(`kernels/${file}`)).toMatchObject(expected);
  });

  test("that are said to be the same elsewhere are all compared", () => {
    const text = sourceOf(`kernels/${file}`);
    const blocks = text.split(/\n\n+/).filter((block) => sameElsewhere.test(block));
    const names = blocks.flatMap((block) => Object.keys(constantsIn(block)));
    expect(Object.keys(expected)).toEqual(expect.arrayContaining(names));
  });
});

test("every file that says that its constants are the same elsewhere is looked at", () => {
  const kernels = new URL("../../src/kernels/", import.meta.url);
  const files = readdirSync(kernels, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => name.replaceAll("\\", "/").replace(/\.ts$/, ""))
    .filter((name) => sameElsewhere.test(sourceOf(`kernels/${name}`)));
  expect(Object.keys(compared)).toEqual(expect.arrayContaining(files));
});

test("each way in which a stream can be damaged has its words", () => {
  const list = /const faults = \[(.*?)\]/s.exec(sourceOf("sources/inflater"))?.[1] ?? "";
  expect(list.match(/"[^"]+"/g)).toHaveLength(inflateFaults.length);
});

/** `{ fixedHex: 11 }` as kernels call it: `{ FIXED_HEX: 11 }`. */
function named(values: Readonly<Record<string, number>>, prefix = ""): Record<string, number> {
  const nameOf = (name: string) => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase();
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [prefix + nameOf(name), value]),
  );
}

function faultOf(words: string): number {
  return pageFaults.findIndex((fault) => fault.includes(words));
}

/** Constants that a file keeps to itself. */
function pick(file: string, ...names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, constantsOf(file)[name] ?? -1]));
}

function constantsOf(file: string): Readonly<Record<string, number>> {
  return constantsIn(sourceOf(file));
}

function objectOf(file: string, name: string): Readonly<Record<string, number>> {
  const members = new RegExp(`const ${name} = \\{(.*?)\\}`, "s").exec(sourceOf(file))?.[1] ?? "";
  const pairs = [...members.matchAll(/(\w+): (\d+)/g)];
  return Object.fromEntries(pairs.map(([, key = "", value]) => [key, Number(value)]));
}

/** Numbers, products and sums of them, and shifts; others are left out. */
function constantsIn(text: string): Readonly<Record<string, number>> {
  const constants: Record<string, number> = { "u32.MAX_VALUE": 2 ** 32 - 1 };
  const pattern = /^(?:export )?const (\w+)(?:: \w+)? = ([\w.]+)(?: ([*+]) ([\w.]+))?;/gm;
  for (const [, name = "", left = "", operator, right = ""] of text.matchAll(pattern)) {
    const numberOf = (word: string) => constants[word] ?? Number(word.replaceAll("_", ""));
    const [first, second] = [numberOf(left), numberOf(right)];
    const value = operator === "*" ? first * second : operator === "+" ? first + second : first;
    if (!Number.isNaN(value)) constants[name] = value;
  }
  delete constants["u32.MAX_VALUE"];
  return constants;
}

function sourceOf(file: string): string {
  return readFileSync(new URL(`../../src/${file}.ts`, import.meta.url), "utf8");
}
