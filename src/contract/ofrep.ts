import { z } from "zod";
import { evaluationReasons } from "./evaluation.js";
import { text } from "./fields.js";
import { noParams, noQuery, type Route } from "./route.js";

const metadata = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .describe("`ruleID`, and `groupName` where the rule or group has a name.");

const evaluated = z.object({
  key: text("Key of the flag: the name ID of a gate, dynamic config or experiment."),
  value: z
    .union([z.boolean(), z.looseObject({})])
    .describe("True or false for a gate, an object for the others."),
  reason: z.enum(evaluationReasons).describe("Why."),
  variant: text("`on` or `off` for a gate, else the name of the rule or group."),
  metadata,
});

/** The errors of OpenFeature that this service answers. */
const ofrepErrorCodes = [
  "PARSE_ERROR",
  "INVALID_CONTEXT",
  "TARGETING_KEY_MISSING",
  "FLAG_NOT_FOUND",
  "GENERAL",
] as const;

export type OfrepErrorCode = (typeof ofrepErrorCodes)[number];

/** Refusals of keys have the form of the service: OpenFeature has none for them. */
export function hasOfrepError(status: number): boolean {
  return status >= 400 && status !== 401 && status !== 403;
}

/** The body of a refusal. */
export const ofrepError = z.looseObject({
  errorCode: z.enum(ofrepErrorCodes).describe("Kind of the error."),
  errorDetails: text("What is wrong."),
});

/**
 * Not checked by the schema: OpenFeature has its own form of errors. See the handler.
 * https://github.com/open-feature/protocol/blob/main/service/openapi.yaml
 */
const body = z.unknown().meta({
  type: "object",
  description:
    "`context`: `targetingKey` is the user, other members are fields of the user. `environment` is the environment.",
});

const ofrepRoute = {
  group: "Evaluation",
  query: noQuery,
  origin: "extension",
  method: "POST",
  access: "client",
  status: 200,
  message: "",
  sdk: true,
  ofrep: true,
  body,
} as const;

/** OpenFeature's protocol for remote evaluation, version 0.3. */
export const ofrepRoutes = {
  evaluateFlag: {
    ...ofrepRoute,
    path: "/ofrep/v1/evaluate/flags/{key}",
    params: z.object({ key: text("Key of the flag.") }),
    summary: "Evaluate a flag, as OpenFeature providers ask",
    response: evaluated,
  },
  evaluateFlags: {
    ...ofrepRoute,
    path: "/ofrep/v1/evaluate/flags",
    params: noParams,
    moreStatuses: [304],
    summary: "Evaluate all flags, as OpenFeature providers in browsers ask",
    response: z.object({ flags: z.array(evaluated).describe("One answer for each flag.") }),
  },
} as const satisfies Record<string, Route>;
