import { expect, test } from "vitest";
import type { z } from "zod";
import { commandOptions, configurationOf } from "../../src/library/library-configuration.js";
import type {
  ExportEventsOptions,
  ReadEventsOptions,
  SendEventsOptions,
  ValidateExportOptions,
  VerifyExportOptions,
} from "../../src/library/library-options.js";
import { localNameOf, type OptionName } from "../../src/options/option-names.js";
import type { optionTable } from "../../src/options/option-table.js";
import type { Section } from "../../src/options/option-types.js";
import { resolveRunOptions } from "../../src/options/run-options.js";

// The compiler compares the types of the library with the option table: `npm run check` fails for an
// option, or a choice of an option, that only one of them has.

type Table = typeof optionTable;
type Item<Value> = Value extends (infer One)[]
  ? readonly One[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Item<Value[Key]> }
    : Value;

/** The name within the section: `to` for `sendTo`. */
type LocalName<Name extends OptionName> = Table[Name] extends { readonly key: string }
  ? Name extends `${Section}${infer Rest}`
    ? Uncapitalize<Rest>
    : Name
  : Name;

/** The options of the root and of a section that a program can give. */
type OptionsOf<Of extends Section | "root"> = {
  [Name in Exclude<OptionName, keyof typeof commandOptions> as Table[Name] extends {
    readonly section: infer In;
  }
    ? In extends Of
      ? LocalName<Name>
      : never
    : "root" extends Of
      ? Name
      : never]: Item<z.input<Table[Name]["type"]["schema"]>>;
};

type Values<Options> = { [Key in keyof Options]-?: Exclude<Options[Key], undefined> };

/** Options that are not in the table. `inputs` may also be one text. */
type Own = "cwd" | "mapping" | "inputs" | "hashSalt" | "serverSecret";
type Control = "signal" | "onProgress" | "onNote" | "onReject" | "onFailure";
type FromTable<Options> = Values<Omit<Options, Own | Control>>;

type Root = Omit<OptionsOf<"root">, "inputs" | "authHeader">;
/** Only `sendEvents` sends a key. */
type Header = Pick<OptionsOf<"root">, "authHeader">;
/** `acceptFindings` is for dry runs. */
type RunRoot = Omit<Root, "acceptFindings">;
/** `readEvents` reads inputs once, and its rows have no format of a file. */
type ReadRoot = Omit<RunRoot, "dedupe" | "dedupeBy" | "requireFields">;
type Export = OptionsOf<"export">;
type Columns = Pick<Export, "columns" | "insertId">;
type Estimated = Pick<Export, "format" | "compression" | "csvSafe" | "dayZone"> &
  Pick<OptionsOf<"send">, "rate">;
type Machine = Pick<Export, "splitSize" | "memory">;
type Stores = Pick<Root, "s3Endpoint" | "s3Region" | "s3Checksums" | "maxRequestsPerSecond">;

type Writable<Options> = { -readonly [Key in keyof Options]: Options[Key] };
type Member<Options, Key> = Key extends keyof Options ? Options[Key] : "no such option";
type IsSame<One, Other> = [One, Other] extends [Other, One] ? true : false;

/** The options that only one side has, or that have other values. */
type Drifted<Library, FromRows> = {
  [Key in keyof FromTable<Library> | keyof FromRows]: IsSame<
    Member<Writable<FromTable<Library>>, Key>,
    Member<FromRows, Key>
  > extends true
    ? never
    : Key;
}[keyof FromTable<Library> | keyof FromRows];

/** Does not compile if an option has drifted; the compiler names it. */
function compareOptions<_Drifted extends never>(): void {}

compareOptions<Drifted<ExportEventsOptions, RunRoot & Export>>();
compareOptions<
  Drifted<
    ValidateExportOptions,
    Root & OptionsOf<"validate"> & Columns & Estimated & Machine & Pick<Export, "threads">
  >
>();
compareOptions<Drifted<SendEventsOptions, RunRoot & Header & OptionsOf<"send"> & Machine>>();
compareOptions<Drifted<ReadEventsOptions, ReadRoot & Columns>>();
compareOptions<Drifted<VerifyExportOptions, Stores & OptionsOf<"verify">>>();

test("the options of stores reach the run", async () => {
  const stores = {
    s3Endpoint: "http://127.0.0.1:9000",
    s3Region: "eu-1",
    s3Checksums: "supported",
    maxRequestsPerSecond: 50,
  } as const satisfies VerifyExportOptions;
  const options: ReadEventsOptions = stores;
  const configuration = await configurationOf({ ...options, inputs: "s3://days/" }, ["export"]);
  expect(resolveRunOptions(configuration).s3).toEqual({
    endpoint: stores.s3Endpoint,
    region: stores.s3Region,
    checksums: "supported",
    requestsPerSecond: 50,
  });
});

test.each(Object.entries(commandOptions))("%s of commands is refused", async (name, reason) => {
  const refused = configurationOf({ inputs: "in", [localNameOf(name as OptionName)]: "x" }, [
    "export",
    "validate",
    "send",
  ]);
  await expect(refused).rejects.toMatchObject({
    code: "configuration_invalid",
    message: expect.stringContaining(`an option of the command line; ${reason}`),
  });
});
