import { z } from "zod";
import { entityEnvelope } from "./common.js";
import { dynamicConfigRoutes } from "./dynamic-config.js";
import { evaluationReasons, user } from "./evaluation.js";
import { flag, jsonObject, text } from "./fields.js";
import { gateRoutes } from "./gate.js";
import { consoleRoutes, extension, idParams, noQuery, type Route } from "./route.js";

const askedFields = {
  user,
  environment: text("Name of the environment of the user.").exactOptional(),
};

const condition = z.object({
  type: text("Type of the condition, as SDKs name it."),
  operator: z.string().nullable().describe("How the values are compared."),
  field: z.string().nullable().describe("Field of the user that is compared."),
  targetValue: z.unknown().describe("The value that it is compared with."),
  value: z.unknown().describe("The value that the user has; absent without one.").optional(),
  holds: flag("True if the condition holds."),
});

const triedRule = z.object({
  id: text("Identifier of the rule."),
  name: text("Name of the rule."),
  kind: z
    .enum(["override", "holdout", "group", "rule"])
    .describe("`rule` is a rule of the entity; overrides and holdouts come before."),
  tried: flag("True if it was looked at: none before it held."),
  holds: z.boolean().nullable().describe("True if all conditions hold; null if it was not tried."),
  conditions: z.array(condition).describe("Its conditions; empty if it was not tried."),
  percentage: z
    .object({
      bucket: z.int().nullable().describe("0 to 9,999; null where the percentage is 0 or 100."),
      limit: z.number().describe("Buckets below it pass."),
      passes: flag("True if the unit passes."),
    })
    .nullable()
    .describe("The percentage of the rule that decided; null for the others."),
});

const answer = z
  .object({
    passes: flag("The answer of a gate; for others, true if a rule gave the value."),
    value: jsonObject("The value of a dynamic config or experiment; empty for a gate."),
    ruleID: text("The rule that decided: `default` if none held, `disabled`."),
    ruleName: z.string().nullable().describe("Its name; null without a rule."),
    group: z.string().nullable().describe("Name of the group; null without one."),
    reason: z
      .enum(evaluationReasons)
      .describe("Why: `ERROR` for a condition that is not supported."),
    isEnabled: flag("False if the entity is disabled or archived: it has no rules then."),
    rules: z.array(triedRule).describe("All rules, in the order in which they are tried."),
  })
  .describe("The answer for a user, and why.");

const side = z.object({
  passes: flag("The answer."),
  value: jsonObject("The value; empty for a gate."),
  ruleID: text("The rule that decided."),
});

const impact = z
  .object({
    users: z.int().describe("Users that were asked: those of the newest events."),
    changed: z.int().describe("Users whose answer would change."),
    examples: z
      .array(
        z.object({
          user: jsonObject("The user, as the newest event has it."),
          before: side.describe("The answer now."),
          after: side.describe("The answer with the change."),
        }),
      )
      .describe(
        "The first users whose answer would change, at most 20; none for a key that may not read events.",
      ),
  })
  .nullable()
  .describe("What a change would do; null without a user of an event.");

/** Users that one call asks. */
const IMPACT_USERS_MAX = 10_000;

function onEntity(part: string, group: string) {
  return consoleRoutes(group, `/console/v1/${part}/{id}`, idParams);
}

const evaluated = {
  ...extension,
  right: "read",
  message: "Evaluated successfully.",
  query: noQuery,
  response: entityEnvelope(answer),
} as const;

const impacted = {
  ...extension,
  right: "read",
  message: "Impact computed successfully.",
  query: noQuery,
  response: entityEnvelope(impact),
} as const;

const proposal = <Patch extends z.ZodType>(patch: Patch) => {
  const described = patch.describe("The fields of an update that is not stored.");
  const users = z.int().min(1).max(IMPACT_USERS_MAX);
  return {
    evaluate: z.object({ ...askedFields, proposed: described.exactOptional() }),
    impact: z.object({
      proposed: described,
      users: users.describe("Users to ask, 2,000 by default.").exactOptional(),
    }),
  };
};

const ofGate = proposal(gateRoutes.patchGate.body);
const ofConfig = proposal(dynamicConfigRoutes.patchDynamicConfig.body);
const onGate = onEntity("gates", "Gates");
const onConfig = onEntity("dynamic_configs", "Dynamic configs");
const onExperiment = onEntity("experiments", "Experiments");

/** Questions that store nothing, also about changes that are not stored. */
export const whatIfRoutes = {
  evaluateGate: onGate("POST", "/evaluate", "Evaluate a gate for a user, and tell why", {
    ...evaluated,
    body: ofGate.evaluate,
  }),
  evaluateDynamicConfig: onConfig(
    "POST",
    "/evaluate",
    "Evaluate a dynamic config for a user, and tell why",
    { ...evaluated, body: ofConfig.evaluate },
  ),
  evaluateExperiment: onExperiment(
    "POST",
    "/evaluate",
    "Evaluate an experiment for a user, and tell why",
    { ...evaluated, body: z.object(askedFields) },
  ),
  assessGateChange: onGate("POST", "/impact", "Count recent users that a change would affect", {
    ...impacted,
    body: ofGate.impact,
  }),
  assessDynamicConfigChange: onConfig(
    "POST",
    "/impact",
    "Count recent users that a change would affect",
    { ...impacted, body: ofConfig.impact },
  ),
} satisfies Record<string, Route>;

export type TriedRule = z.output<typeof triedRule>;
export type ImpactSide = z.output<typeof side>;
export type Impact = z.output<typeof impact>;
export type Answer = z.output<typeof answer>;
