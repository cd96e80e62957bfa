import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { codeOrMessage, UsageError } from "../base/errors.js";
import { rejectCodes } from "../base/reject-codes.js";
import { checkValue, faultLines, mustBe } from "../base/schema.js";
import type { JsonObject } from "./json-value.js";

const eventSchema = () => z.record(z.string(), z.unknown());

const expectationSchema = () =>
  z
    .strictObject({
      row: z
        .union([z.string().min(1), z.record(z.string(), z.unknown())])
        .describe(
          "A row as a JSON object, or the text of a file with this row, such as CSV with its header",
        ),
      event: z
        .union([eventSchema(), z.array(eventSchema()), z.null()])
        .optional()
        .describe(
          "Fields of the event that it must become; a list for several; null if it is left out",
        ),
      reject: z
        .string()
        .refine((code) => Object.hasOwn(rejectCodes, code), mustBe("a code of docs/rejects.md"))
        .optional()
        .describe("Code of the reject that it must become"),
    })
    .refine(({ event, reject }) => (event === undefined) !== (reject === undefined), {
      error: "needs either event or reject",
    });

const listSchema = () => z.array(expectationSchema());

/** Schema of `expect`: rows with what they must become, or the path of a JSON file with such a list. */
export const expectSchema = () =>
  z
    .union([z.string().min(1), listSchema()])
    .describe(
      "Rows and the events that they must become, or a file with them; `validate` checks them first",
    );

/** A row and what the mapping must make of it. */
export interface Expectation {
  readonly row: string | JsonObject;
  /** Fields that are not named are not compared. */
  readonly event?: JsonObject | readonly JsonObject[] | null | undefined;
  readonly reject?: string | undefined;
}

/** Returns the expectations of a configuration. Throws `UsageError` for a file that is not a list of them. */
export async function readExpectations(
  expected: string | readonly Expectation[] | undefined,
  directory: string,
): Promise<readonly Expectation[]> {
  if (typeof expected !== "string") return expected ?? [];
  const file = path.resolve(directory, expected);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(
      "configuration_unreadable",
      `${expected} of "expect" cannot be read (${codeOrMessage(error)}): correct the path.`,
    );
  }
  const { parseJsonText } = await import("./configuration-text.js");
  const { value, faults = [] } = checkValue(listSchema(), parseJsonText(text, expected).value);
  if (faults.length > 0) {
    const lines = faultLines(faults).join("\n  ");
    throw new UsageError("configuration_invalid", `${expected} is not valid:\n  ${lines}`);
  }
  return value as readonly Expectation[];
}
