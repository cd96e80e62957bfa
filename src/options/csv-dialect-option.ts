import { z } from "zod";
import { SKIP_LINES_MAX } from "../base/limits.js";
import { omitUndefined } from "../base/omit-undefined.js";
import { once } from "../base/once.js";
import { mustBe } from "../base/schema.js";
import { completeDialect, csvDialectNames } from "../readers/csv/csv-dialects.js";
import type { GivenDialect } from "../sources/source.js";
import { isObject, type JsonObject, type JsonValue } from "./json-value.js";
import { wholeNumber } from "./option-schemas.js";
import { parseCharacter, parseDelimiter, parseEncoding, parseSwitch } from "./option-values.js";
import { type ListForm, listText, valueList } from "./value-list.js";

const validated = (parse: (text: string) => unknown, expected: string) =>
  z.string().refine((text) => parse(text) !== undefined, mustBe(expected));

const character = () =>
  validated(
    (text) => parseCharacter(text) || undefined,
    "one ASCII character, or one of tab, comma, semicolon, pipe, space, quote, apostrophe, backslash",
  ).transform((text) => parseCharacter(text) as string);

const members = () => ({
  name: z.enum(csvDialectNames).describe("Program that wrote the inputs"),
  delimiter: validated(
    parseDelimiter,
    "up to 16 characters without quotes and line ends, or one of tab, comma, semicolon, pipe, space",
  )
    .transform((text) => parseDelimiter(text) as string)
    .describe("Text between the cells, also by name: tab, comma, semicolon, pipe, space"),
  quote: validated(parseCharacter, "one ASCII character, quote, apostrophe, or none")
    .transform((text) => parseCharacter(text) as string)
    .describe("Character around cells; none if quotes have no meaning"),
  escape: character().describe("Character that makes a quote in a quoted cell a part of its text"),
  null: z
    .union([z.string().min(1), z.array(z.string().min(1))])
    .transform((texts) => [texts].flat())
    .describe("Texts that mean null, in addition to empty cells and the unquoted \\N"),
  comment: character().describe("Skip lines that begin with this character"),
  skip: wholeNumber()
    .min(0)
    .max(SKIP_LINES_MAX)
    .describe("Lines to skip at the start of each input"),
  columns: z.array(z.string().min(1)).describe("Names of the columns, in order"),
  header: z.boolean().describe("The first record of each input is its header"),
  encoding: validated(parseEncoding, "an encoding of the Encoding Standard, such as windows-1252")
    .transform((text) => parseEncoding(text) as string)
    .describe(
      "An encoding of the Encoding Standard, such as windows-1252; mixed if rows are UTF-8 or windows-1252",
    ),
});

type Members = ReturnType<typeof members>;
type MemberName = keyof Members;

const objectSchema = () =>
  z
    .strictObject(
      Object.fromEntries(
        Object.entries(members()).map(([name, schema]) => [name, schema.optional()]),
      ) as { [Name in MemberName]: z.ZodOptional<Members[Name]> },
    )
    .transform(({ name, null: nulls, skip: skipLines, ...others }, context) => {
      const given = omitUndefined({ ...others, nulls, skipLines }) as GivenDialect;
      const dialect = completeDialect(name, given);
      if (dialect.delimiter === (dialect.quote ?? '"')) {
        const message = `must differ from the quote, which is ${JSON.stringify(dialect.delimiter)} too`;
        context.addIssue({ code: "custom", path: ["delimiter"], message });
      }
      return dialect;
    });

const form: ListForm = {
  first: "name",
  lists: ["null", "columns"] satisfies readonly MemberName[],
  // Numbers and switches are texts on the command line.
  parse(name, text) {
    if (name === "skip" && /^\d+$/.test(text)) return Number(text);
    return name === "header" ? (parseSwitch(text) ?? text) : text;
  },
};

/** A dialect as text or as an object; becomes the members that are not detected. */
const schema = once(() => {
  const object = objectSchema();
  return z.union([listText(object, form), object]);
});

/** The type of `csvDialect`. */
export const csvDialect = {
  schema,
  placeholder: "<dialect>",
  fromText: (text: string): JsonValue => text,
};

/** Returns a dialect of the file, as text or object, with further texts that mean null. */
export function withNullTexts(given: JsonValue | undefined, texts: readonly string[]): JsonObject {
  const tree = isObject(given) ? given : given === undefined ? {} : valueList(String(given), form);
  return { ...tree, null: [...new Set([...[tree["null"] ?? []].flat(), ...texts])] };
}
