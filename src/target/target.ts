import type { z } from "zod";
import type { Immutable } from "../base/immutable.js";
import type { targetSchema } from "./target-schema.js";

/**
 * A platform, as far as its documentation says how it treats events: rules for names,
 * values, metadata and users, the zone of its days, its files, its APIs and their limits. Data of
 * `targets/*.json`, or of a user's own file. An absent part has no rule. Characters are UTF-16 units, the
 * largest of the usual counts.
 */
export type Target = Immutable<z.output<ReturnType<typeof targetSchema>>>;

/** The rules of a target that a dry run tells; threads need those for single events. Plain data. */
export type EventRules = Pick<
  Target,
  "name" | "title" | "names" | "values" | "metadata" | "users" | "days" | "billing"
>;
