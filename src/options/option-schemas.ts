import { z } from "zod";
import { mustBe } from "../base/schema.js";

/** A number without a fraction. */
export const wholeNumber = () =>
  z.int({
    error: (issue) =>
      issue.code === "invalid_type" ? mustBe("a whole number").error(issue) : undefined,
  });

export const fullText = () => z.string().min(1);

/** A text that `isValid` accepts. */
export const validText = (isValid: (text: string) => boolean, expected: string) =>
  z.string().refine(isValid, mustBe(expected));

/** A text that `parse` accepts. */
export const parsable = (parse: (text: string) => unknown, expected: string) =>
  validText((text) => parse(text) !== undefined, expected);

/** Converts a text or a number that the schema accepts with `parse`. */
export const parsed =
  <T>(parse: (text: string) => T | undefined) =>
  (value: string | number): T =>
    parse(String(value)) as T;

/** A text that `parse` accepts, or a number; converted with `parse`. */
export const parsedNumber = <T>(
  parse: (text: string) => T | undefined,
  expected: string,
  number: z.ZodNumber,
) => z.union([parsable(parse, expected), number]).transform(parsed(parse));
