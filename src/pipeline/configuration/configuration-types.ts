import { ROW_BYTES_LIMIT } from "../../base/limits.js";
import type { MaxRejects } from "../options.js";
import {
  parseCharacter,
  parseRejectLimit,
  parseShare,
  parseSize,
  parseTime,
} from "./configuration-values.js";

/** A value of the configuration file, as JSON. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

export type Environment = Readonly<Record<string, string | undefined>>;

/** The kind of value that an option takes: in the file, as a word of the command line, and inside. */
export interface OptionType<T> {
  /** How help calls the value, `<count>`; empty for options that are on or off. */
  readonly placeholder: string;
  /** May be given several times. */
  readonly repeatable?: boolean;
  /** JSON Schema of the value in the file; formats are those of configuration-formats.ts. */
  readonly schema: JsonObject;
  /** What would stand in the file, from the word of a flag or an environment variable. */
  fromText(text: string): JsonValue;
  /** What the engine takes, from a value that the schema and its formats have accepted. */
  read(value: JsonValue, pathOf: (text: string) => string): T;
}

const keep = (text: string): JsonValue => text;

/** Whole numbers stay what they are when they come as text; anything else is left to the schema. */
const numberOrText = (text: string): JsonValue =>
  /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;

export const textType: OptionType<string> = {
  placeholder: "<name>",
  schema: { type: "string", minLength: 1 },
  fromText: keep,
  read: String,
};

export const pathType: OptionType<string> = {
  placeholder: "<path>",
  schema: { type: "string", minLength: 1 },
  fromText: keep,
  read: (value, pathOf) => pathOf(String(value)),
};

export const urlType: OptionType<string> = {
  placeholder: "<url>",
  schema: { type: "string", format: "http-url" },
  fromText: keep,
  read: String,
};

/** A directory, or `:memory:`. */
export const dataType: OptionType<string> = {
  ...pathType,
  read: (value, pathOf) => (value === ":memory:" ? value : pathOf(String(value))),
};

export const listType: OptionType<readonly string[]> = {
  placeholder: "<text>",
  repeatable: true,
  schema: { type: "array", items: { type: "string", minLength: 1 } },
  fromText: listFromText,
  read: (value) => (value as readonly string[]).map(String),
};

export const privacyPathsType: OptionType<readonly string[]> = {
  ...listType,
  placeholder: "<path>",
  schema: { type: "array", items: { type: "string", format: "privacy-path" } },
};

export const switchType: OptionType<boolean> = {
  placeholder: "",
  schema: { type: "boolean" },
  fromText: (text) => switchWords[text.toLowerCase()] ?? text,
  read: Boolean,
};

const switchWords: Readonly<Record<string, boolean>> = {
  true: true,
  "1": true,
  yes: true,
  on: true,
  false: false,
  "0": false,
  no: false,
  off: false,
};

export const sizeType: OptionType<number> = {
  placeholder: "<size>",
  schema: { type: ["string", "integer"], format: "size", minimum: 1 },
  fromText: numberOrText,
  read: (value) => known(parseSize(String(value))),
};

export const rowSizeType: OptionType<number> = {
  ...sizeType,
  schema: { ...sizeType.schema, format: "row-size", maximum: ROW_BYTES_LIMIT },
};

export const timeType: OptionType<number> = {
  placeholder: "<time>",
  schema: { type: ["string", "integer"], format: "instant" },
  fromText: numberOrText,
  read: (value) => known(parseTime(String(value))),
};

export const zoneType: OptionType<string> = {
  placeholder: "<zone>",
  schema: { type: "string", format: "zone" },
  fromText: keep,
  read: String,
};

export const rejectLimitType: OptionType<MaxRejects> = {
  placeholder: "<number|share>",
  schema: { type: ["string", "integer"], format: "reject-limit", minimum: 0 },
  fromText: numberOrText,
  read: (value) => known(parseRejectLimit(String(value))),
};

/** A part of a whole, as a share above 0 and up to 1. */
export const shareType: OptionType<number> = {
  placeholder: "<share>",
  schema: { type: ["string", "number"], format: "share", exclusiveMinimum: 0, maximum: 1 },
  fromText: numberOrText,
  read: (value) => known(parseShare(String(value))),
};

/** `format` is `character` or, where none is allowed too, `character-or-none`. */
export function characterType(format: "character" | "character-or-none"): OptionType<string> {
  return {
    placeholder: "<character>",
    schema: { type: "string", format },
    fromText: keep,
    read: (value) => known(parseCharacter(String(value))),
  };
}

export function countType(minimum: number, maximum: number): OptionType<number> {
  return {
    placeholder: "<count>",
    schema: { type: "integer", minimum, maximum },
    fromText: numberOrText,
    read: Number,
  };
}

export function choiceType<T extends string>(choices: readonly T[]): OptionType<T> {
  return {
    placeholder: `<${choices.join("|")}>`,
    schema: { type: "string", enum: choices },
    fromText: keep,
    read: (value) => value as T,
  };
}

/** Text of an environment variable: a JSON array, or words between commas. */
function listFromText(text: string): JsonValue {
  if (text.trimStart().startsWith("[")) {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      return text;
    }
  }
  return text.split(",").map((word) => word.trim());
}

function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("a value was read that its format refuses");
  return value;
}
