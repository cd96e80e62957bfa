import { expect, test } from "vitest";
import { checkValue } from "../../src/base/schema.js";
import { csvDialect, withNullTexts } from "../../src/options/csv-dialect-option.js";

const read = (value: unknown) => checkValue(csvDialect.schema(), value);

test.each([
  ["standard", { backslashes: false }],
  ["snowflake", { delimiter: ",", quote: "", backslashes: true }],
  ["snowflake,delimiter=tab", { delimiter: "\t", quote: "", backslashes: true }],
  ["null=NULL,None", { nulls: ["NULL", "None"] }],
  ["null=NULL,skip=3,null=-", { nulls: ["NULL", "-"], skipLines: 3 }],
  ["columns=time,user,event,header=no", { columns: ["time", "user", "event"], header: false }],
  ["encoding=latin1, comment=#", { encoding: "windows-1252", comment: "#" }],
  ['columns="a=b","c, d","e ""f"""', { columns: ["a=b", "c, d", 'e "f"'] }],
  ["null=a=b,\\N", { nulls: ["a=b", "\\N"] }],
  ["null=constructor", { nulls: ["constructor"] }],
] as const)("%s has its members, and the others are detected", (text, expected) => {
  expect(read(text)).toEqual({ value: expected });
});

test.each([
  ["delimiter=,", undefined],
  ['delimiter=","', { delimiter: "," }],
  ["delimiter=comma", { delimiter: "," }],
  ["delimiter=\t,quote='", { delimiter: "\t", quote: "'" }],
  ['quote=",escape=\\', { quote: '"', escape: "\\" }],
  ["quote=quote,escape=backslash", { quote: '"', escape: "\\" }],
  ['quote="""",comment=;', { quote: '"', comment: ";" }],
  ["delimiter==", { delimiter: "=" }],
  ["delimiter=||", { delimiter: "||" }],
  ['delimiter=", "', { delimiter: ", " }],
  ["delimiter=|,quote=none", { delimiter: "|", quote: "" }],
] as const)("characters that the text itself uses can be said: %j", (text, expected) => {
  expect(read(text).value).toEqual(expected);
});

test("an object has the same members as a text", () => {
  const members = { name: "redshift", null: "NULL", skip: 2, columns: ["a,b"], header: true };
  expect(read(members)).toEqual(read('redshift,null=NULL,skip=2,columns="a,b",header=yes'));
});

test.each([
  [
    "snowflak",
    'must be one of standard, postgresql, mysql, snowflake, redshift, adobe, snowplow (got "snowflak"); did you mean snowflake?',
  ],
  ["nul=NULL", "nul: unknown key; did you mean null?"],
  ["quote=ab", 'quote: must be one ASCII character, quote, apostrophe, or none (got "ab")'],
  ["skip=many", 'skip: must be a whole number (got "many")'],
  ["header=perhaps", 'header: must be true or false (got "perhaps")'],
  ["null=", "null: must not be empty"],
  ["delimiter=quote", 'delimiter: must differ from the quote, which is "\\"" too'],
  ["delimiter=|,quote=|", 'delimiter: must differ from the quote, which is "|" too'],
])("%s is refused by member", (text, message) => {
  expect(read(text).faults).toEqual([{ path: [], message }]);
});

test("a delimiter that is no quote is accepted, and so is the usual quote if there is another", () => {
  expect(read("delimiter=apostrophe").faults).toBeUndefined();
  expect(read("delimiter=quote,quote=apostrophe").faults).toBeUndefined();
});

test("all faults of a text are told", () => {
  expect(read("skip=x,quote=ab").faults).toHaveLength(2);
});

test("further texts for null keep what a text or an object says", () => {
  expect(withNullTexts(undefined, ["NULL"])).toEqual({ null: ["NULL"] });
  expect(withNullTexts("mysql,null=-", ["NULL", "-"])).toEqual({
    name: "mysql",
    null: ["-", "NULL"],
  });
  expect(withNullTexts({ null: "x", skip: 1 }, ["y"])).toEqual({ null: ["x", "y"], skip: 1 });
});
