import { z } from "zod";
import { omitUndefined } from "../base/omit-undefined.js";
import { once } from "../base/once.js";
import { type KeyTarget, keyTargets } from "../mapper/preset.js";
import { type DedupeRange, dedupeRanges } from "./dedupe-options.js";
import type { JsonValue } from "./json-value.js";
import { parseSwitch } from "./option-values.js";
import { listText } from "./value-list.js";

/** The range and the key of repeated events, as a user gives them. */
export interface DedupeChoice {
  readonly within: DedupeRange;
  /** Absent: the key of the preset. */
  readonly by?: readonly KeyTarget[];
}

const [usual] = dedupeRanges;

const members = () =>
  z
    .strictObject({
      within: z.enum(dedupeRanges).optional().describe("Range in which repeated events are found"),
      by: z
        .array(z.enum(keyTargets))
        .min(1)
        .optional()
        .describe("Targets that make the key of an event"),
    })
    .transform(({ within = usual, by }): DedupeChoice => ({ within, ...omitUndefined({ by }) }));

type DedupeText = DedupeRange | `${DedupeRange},by=${string}` | `by=${string}`;

/** Programs pass texts of this form; the file and the command line may have any. */
const text = () =>
  listText(members(), { first: "within", lists: ["by"] }) as unknown as z.ZodType<
    DedupeChoice,
    DedupeText
  >;

/** The type of `dedupe`. Switched on, it is the first of the ranges. */
export const dedupe = {
  schema: once(() =>
    z.union([
      z
        .boolean()
        .transform((isOn): DedupeChoice | undefined => (isOn ? { within: usual } : undefined)),
      text(),
      members(),
    ]),
  ),
  placeholder: "[range]",
  choices: dedupeRanges,
  fromText: (given: string): JsonValue => parseSwitch(given) ?? given,
} as const;
