import { z } from "zod";
import { mustBe } from "../base/schema.js";
import { validText, wholeNumber } from "./option-schemas.js";
import { textType } from "./option-types.js";

/** A century. */
const DAYS_MAX = 36_500;

const expected = `a number of days from 1d to ${DAYS_MAX}d`;

/** Returns the days of `90d` or `90`; NaN for any other text, and beyond the bounds. */
function parseDays(text: string): number {
  const days = Number(/^(\d{1,5})d?$/.exec(text.trim())?.[1] ?? Number.NaN);
  return days >= 1 && days <= DAYS_MAX ? days : Number.NaN;
}

/** `90d`, or a number of days. */
export const daysOption = textType(
  () =>
    z
      .union([
        validText((text) => !Number.isNaN(parseDays(text)), expected),
        wholeNumber().min(1, mustBe(expected)).max(DAYS_MAX, mustBe(expected)),
      ])
      .transform((value) => parseDays(String(value))),
  "<days>",
);
