import { z } from "zod";
import { MIB, ROW_BYTES_LIMIT } from "../base/limits.js";
import { isZone, refuseZone } from "../base/luxon-zone.js";
import { once } from "../base/once.js";
import { typedTargets } from "../batch/text-types.js";
import { isPrivacyPath, isPropertyPath, PROPERTY_PATHS } from "../mapper/privacy-path.js";
import { parseTemplate } from "../sinks/directory-names.js";
import { columnSources, formsOf, parseColumn, parseEventColumns } from "../sinks/output-columns.js";
import { faultOfObjectUrl, isObjectUrl } from "../store/object-url.js";
import { type Repair, repairs } from "../target/target-rules.js";
import { targetNames } from "../target/targets.js";
import type { JsonValue } from "./json-value.js";
import {
  fullText,
  parsable,
  parsed,
  parsedNumber,
  validText,
  wholeNumber,
} from "./option-schemas.js";
import {
  EVENTS_MAX,
  hasDays,
  isBaseUrl,
  isOrigin,
  LEAST_TIME,
  listFromText,
  PORT_MAX,
  parseAddress,
  parseRate,
  parseRejectLimit,
  parseShard,
  parseShare,
  parseSize,
  parseSwitch,
  parseTime,
  parseTimeLimits,
  parseWebhook,
  refuseScheme,
  schemeOf,
  type TimeLimits,
  takenHeaders,
  YEARS,
} from "./option-values.js";
import { type JsonOutput, jsonOutputs, STANDARD_OUTPUT } from "./options.js";

/** The type of an option's value: in the file, on the command line and in the engine. */
export interface OptionType<Schema extends z.ZodType = z.ZodType> {
  /**
   * Checks the value in the file and converts it to the value for the engine. Made at the first use: a
   * run uses few of all options.
   */
  readonly schema: () => Schema;
  /** Name of the value in help, `<count>`; empty for options that are on or off. */
  readonly placeholder: string;
  /** All values, if there are few. */
  readonly choices?: readonly string[];
  /** Set if the flag may be repeated. */
  readonly isRepeatable?: true;
  /** Set for paths: they are relative to the directory of the file, else to the current one. */
  readonly isPath?: true;
  /** Values of a path that name no file. */
  readonly words?: readonly string[];
  /** Converts the text of a flag or an environment variable to the value in the file. */
  fromText(text: string): JsonValue;
}

/** One option. Its flag, environment variable, schema and documentation come from this row. */
export interface OptionRow {
  /** Section of the configuration file; the root if absent. */
  readonly section?: Section;
  /** Key in the section, and flag of its command, if another section has the same key. */
  readonly key?: "to" | "fresh" | "from" | "until" | "host";
  /** Names of options that this one has replaced, to name it where they are given. */
  readonly replaces?: string;
  readonly type: OptionType;
  /** One sentence without a full stop at the end. */
  readonly description: string;
  /** The default value, in the form of the file. */
  readonly default?: JsonValue;
  /** Describes the default if it is not one value. */
  readonly otherwise?: string;
  /** Sections whose step can have its own value in the file, which flags and variables override. */
  readonly alsoIn?: readonly StepSection[];
  /** Set if the option has no flag. */
  readonly flag?: false;
  /** Name of the value in help, instead of the type's. */
  readonly placeholder?: string;
  /** Description of `--no-<flag>`, for switches that are not off by default. */
  readonly negation?: string;
}

/** Sections of the configuration file. */
export const sections = {
  fetch: "What `switchyard fetch` asks a vendor for, and where its files go",
  validate: "What `switchyard validate` reads, and where it writes its report",
  export: "What `switchyard export` writes, and how",
  send: "Where `switchyard send` sends events, and how",
  qualify: "The qualifying events that `switchyard qualify` creates, and where",
  ready: "How `switchyard ready` tells the target which days are complete",
  verify: "How `switchyard verify` compares an export with its manifest",
  serve: "Where `switchyard serve` listens, and where it stores its data",
} as const;

export type Section = keyof typeof sections;

/** Sections of steps that can have values of their own for options of the root. */
export type StepSection = "export" | "send";

const keep = (text: string): JsonValue => text;

/** Numbers become numbers; any other text is left to the schema. */
const numberOrText = (text: string): JsonValue =>
  /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;

export const textType = <Schema extends z.ZodType>(schema: () => Schema, placeholder: string) => ({
  schema: once(schema),
  placeholder,
  fromText: keep,
});

const numberType = <Schema extends z.ZodType>(schema: () => Schema, placeholder: string) => ({
  schema: once(schema),
  placeholder,
  fromText: numberOrText,
});

export const text = textType(fullText, "<name>");

/** A path of this machine. `a:b` and `C://a` are paths too. */
const localPath = () =>
  fullText().refine((text) => !schemeOf(text), {
    error: ({ input }) => refuseScheme(String(input)),
  });

/** The same, or the address of objects. */
const storedPath = () =>
  fullText().refine(
    (text) => !schemeOf(text) || (isObjectUrl(text) && faultOfObjectUrl(text) === undefined),
    { error: ({ input }) => faultOfObjectUrl(String(input)) ?? refuseScheme(String(input)) },
  );

const path = (placeholder: string) =>
  ({ ...textType(localPath, placeholder), isPath: true }) as const;

export const file = path("<file>");

export const directory = path("<dir>");

/** A directory, the address of objects that are like one, or standard output. */
export const output = {
  ...textType(storedPath, "<dir>"),
  isPath: true,
  words: [STANDARD_OUTPUT],
} as const;

/** An http or https URL without secrets: it is printed and recorded. */
export const url = textType(
  () =>
    validText(
      isBaseUrl,
      "an http or https URL without a user, a query or a fragment, such as https://events.example.com",
    ),
  "<url>",
);

/** An address that a result is sent to; its path and query may be a secret. */
export const webhook = textType(
  () => parsable(parseWebhook, "an http or https URL, such as https://hooks.example.com/T0/B0"),
  "<url>",
);

/** A port, with the address to listen on before it or not. */
export const address = numberType(
  () =>
    parsedNumber(
      parseAddress,
      "a port up to 65535, or an address and a port: 9464, 0.0.0.0:9464, [::1]:9464",
      wholeNumber().min(0).max(PORT_MAX),
    ),
  "<address>",
);

export const header = textType(
  () =>
    validText(
      (name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !takenHeaders.has(name.toLowerCase()),
      "the name of a header that has no other meaning, such as SERVICE-API-KEY",
    ),
  "<header>",
);

export const layout = textType(
  () =>
    parsable(
      parseTemplate,
      "{day} or <key>={day}, with the directory of the dataset before it or not, and /event={event} after it or not: {day}, day={day}/event={event}, events/{day}; not with a name that outputs have for other files, such as rejects or manifest.json",
    ).transform(parsed(parseTemplate)),
  "<path>",
);

export const zone = textType(
  () => z.string().refine(isZone, { error: ({ input }) => refuseZone(String(input)) }),
  "<zone>",
);

export const choice = <const T extends readonly string[]>(choices: T) =>
  ({ ...textType(() => z.enum(choices), "<name>"), choices }) as const;

export const listOf = <Item extends z.ZodType>(item: () => Item, placeholder: string) =>
  ({
    schema: once(() => z.array(item())),
    placeholder,
    isRepeatable: true,
    fromText: listFromText,
  }) as const;

export const list = listOf(fullText, "<text>");

/** Files of this machine, or objects of a store. */
export const paths = listOf(storedPath, "<path>");
export const names = listOf(fullText, "<name>");
export const origins = listOf(
  () => validText(isOrigin, "https://app.example.com or *"),
  "<origin>",
);

export const privacyPaths = listOf(
  () =>
    validText(
      isPrivacyPath,
      "userID, stableID, value, or a path such as user.email or metadata.card.number",
    ),
  "<path>",
);

export const propertyPaths = listOf(() => validText(isPropertyPath, PROPERTY_PATHS), "<path>");

const outputColumn = () =>
  parsable(
    (text) => parseEventColumns(text) ?? parseColumn(text),
    `event, such as event:s, or <name>=<source>, such as event_name=event, time=timestamp:s or price=value:double; sources are ${columnSources.join(", ")}; forms of timestamp are ${formsOf("timestamp").join(", ")}; ${typedTargets.join(", ")} can be ${formsOf("value").join(" or ")}`,
  );

/** The columns of the event, or a list. */
export const outputColumns = {
  schema: once(() =>
    z
      .union([outputColumn(), z.array(outputColumn())])
      .transform((columns): readonly string[] => [columns].flat()),
  ),
  placeholder: "<columns>",
  fromText: listFromText,
};

export const onOff = {
  schema: once(() => z.boolean()),
  placeholder: "",
  fromText: (text: string): JsonValue => parseSwitch(text) ?? text,
};

/** A part of an export, or the end of all parts. */
export const shard = textType(
  () =>
    parsable(parseShard, "a number below a count, such as 0/20 or /20, or finish").transform(
      parsed(parseShard),
    ),
  "<i/n>",
);

/** Switched on, it is the first of the choices. The value of the flag follows `=`. */
export const jsonOutput = {
  schema: once(() =>
    z
      .union([z.boolean(), z.enum(jsonOutputs)])
      .transform((form): JsonOutput | false =>
        typeof form === "string" ? form : form && jsonOutputs[0],
      ),
  ),
  placeholder: "[form]",
  fromText: (text: string): JsonValue => parseSwitch(text) ?? text,
};

/** The name of a target, or a file that holds one. */
export const target = {
  ...textType(localPath, "<name>"),
  isPath: true,
  words: targetNames,
} as const;

const repairNames = () => z.enum(repairs);

/** All repairs, or some of them. The value of the flag follows `=`. */
export const repair = {
  schema: once(() =>
    z
      .union([z.boolean(), repairNames(), z.array(repairNames())])
      .transform((chosen): readonly Repair[] =>
        typeof chosen === "boolean" ? (chosen ? repairs : []) : [chosen].flat(),
      ),
  ),
  placeholder: "[names]",
  fromText: (text: string): JsonValue => parseSwitch(text) ?? listFromText(text),
};

export const count = (minimum: number, maximum: number) =>
  numberType(() => wholeNumber().min(minimum).max(maximum), "<count>");

export const seconds = (maximum: number) =>
  numberType(() => wholeNumber().min(1).max(maximum), "<seconds>");

export const events = numberType(() => wholeNumber().min(1).max(EVENTS_MAX), "<events>");

export const rate = numberType(
  () =>
    parsedNumber(
      parseRate,
      "a number of events from 1 to 10000000, with the burst after it or not: 500 or 500,burst=2000",
      wholeNumber().min(1).max(EVENTS_MAX),
    ),
  "<events>",
);

export const size = numberType(
  () =>
    parsedNumber(
      parseSize,
      "a size such as 512MB, 2GiB or a number of bytes",
      wholeNumber().min(1),
    ),
  "<size>",
);

export const rowSize = numberType(
  () =>
    z
      .union([
        validText(
          (text) => (parseSize(text) ?? Number.POSITIVE_INFINITY) <= ROW_BYTES_LIMIT,
          `a size of at most ${ROW_BYTES_LIMIT / MIB}MiB, such as 16MiB or a number of bytes`,
        ),
        wholeNumber().min(1).max(ROW_BYTES_LIMIT),
      ])
      .transform(parsed(parseSize)),
  "<size>",
);

export const time = numberType(
  () =>
    parsedNumber(
      parseTime,
      "a date that exists (2026-01-31), a date-time (2026-01-31T17:00:00Z) or epoch milliseconds",
      wholeNumber(),
    ),
  "<time>",
);

export const timeLimits = textType(
  () =>
    validText(
      (text) => parseTimeLimits(text) !== undefined,
      `two times with .. between them, of which one may be left out: ${LEAST_TIME}..2027-01-01`,
    )
      .refine((text) => !isEmptyRange(parseTimeLimits(text)), {
        error: ({ input }) =>
          `must start before it ends (got ${JSON.stringify(input)}); the default start is ${LEAST_TIME}`,
      })
      .refine((text) => hasDays(parseTimeLimits(text)), {
        error: `must be within ${YEARS}, so that a time has a day in every zone`,
      })
      .transform(parsed(parseTimeLimits)),
  "<times>",
);

function isEmptyRange({ minTimeMs, maxTimeMs }: TimeLimits = { minTimeMs: 0 }): boolean {
  return maxTimeMs !== undefined && minTimeMs >= maxTimeMs;
}

export const rejectLimit = numberType(
  () =>
    parsedNumber(
      parseRejectLimit,
      "a number of rows such as 100, or a share such as 1%",
      wholeNumber().min(0),
    ),
  "<limit>",
);

export const share = numberType(
  () =>
    parsedNumber(
      parseShare,
      "a share above 0 and up to 100 %, such as 1% or 0.01",
      z.number().gt(0).max(1),
    ),
  "<share>",
);

/** The type and default of a switch. */
export const off = { type: onOff, default: false };
