import type { z } from "zod";
import type { Immutable } from "../base/immutable.js";
import type { targetSchema } from "./target-schema.js";

/**
 * What a platform does with the events that it gets, as far as its documentation says so: rules for names,
 * values, metadata and users, the zone of its days, its files, its APIs and their limits. Data of
 * `targets/*.json`, or of a user's own file. An absent part has no rule. Characters are UTF-16 units, the
 * largest of the usual counts.
 */
export type Target = Immutable<z.output<typeof targetSchema>>;

/** The part of a target that decides what it does with one event. Plain data for threads. */
export type EventRules = Pick<
  Target,
  "name" | "title" | "names" | "values" | "metadata" | "users" | "days" | "billing"
>;
