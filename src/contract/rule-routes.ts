import { z } from "zod";
import { entityEnvelope, listEnvelope, pageQuery } from "./common.js";
import { list, type RuleFault, text, withRule } from "./fields.js";
import { namedSteps } from "./lifecycle-routes.js";
import { consoleRoutes, extension, idParams, type Route } from "./route.js";
import { rule, rulePatch, ruleRequest } from "./rule.js";

const ruleParams = idParams.extend({ ruleID: text("`id` or `baseID` of the rule.") });

interface RuledResource<Name extends string, Entity extends z.ZodType> {
  /** In names of operations. */
  readonly name: Name;
  /** In messages: `Gate` in `Gate rules read successfully.` */
  readonly title: string;
  /** In summaries: `a gate`. */
  readonly noun: string;
  readonly group: string;
  readonly path: Route["path"];
  readonly entity: Entity;
  /** Returns the faults of a rule, or of some fields of one, that no single field shows. */
  readonly faultsOf: (rule: unknown) => readonly RuleFault[];
}

/** Returns the routes that change single rules of an entity. The rest of it stays. */
export function ruleRoutes<const Name extends string, Entity extends z.ZodType>({
  name,
  title,
  noun,
  group,
  path,
  entity,
  faultsOf,
}: RuledResource<Name, Entity>) {
  const onRules = consoleRoutes(group, `${path}/{id}`, idParams);
  const onRule = consoleRoutes(group, `${path}/{id}/rules/{ruleID}`, ruleParams);
  const request = withRule(ruleRequest, faultsOf);
  const patch = withRule(rulePatch, faultsOf);
  const aliases = [`${path}/{id}/rule/{ruleID}`] as const;
  const answered = (done: string) => ({
    ...extension,
    message: `${title} ${done} successfully.`,
    response: entityEnvelope(entity),
  });
  return namedSteps(name, {
    "list*Rules": onRules("GET", "/rules", `List the rules of ${noun}, in order of evaluation`, {
      ...extension,
      message: `${title} rules read successfully.`,
      query: pageQuery,
      response: listEnvelope(rule),
    }),
    "add*Rule": onRules("POST", "/rule", `Add a rule to ${noun}, as the last one`, {
      ...answered("rules added"),
      body: request,
    }),
    "add*Rules": onRules("POST", "/rules", `Add rules to ${noun}, as the last ones`, {
      ...answered("rules added"),
      body: z.object({ rules: list(request).describe("Rules to add, in order of evaluation.") }),
    }),
    "patch*Rules": onRules("PATCH", "/rules", `Update some fields of some rules of ${noun}`, {
      ...answered("rules updated"),
      body: z.object({
        rules: list(patch).describe("Rules to update, each with its `id`, `baseID` or `name`."),
      }),
    }),
    "read*Rule": onRule("GET", "", `Read a rule of ${noun}`, {
      ...extension,
      aliases,
      message: `${title} rules read successfully.`,
      response: entityEnvelope(rule),
    }),
    "patch*Rule": onRule("PATCH", "", `Update some fields of a rule of ${noun}`, {
      ...answered("rules updated"),
      aliases,
      body: patch,
    }),
    "delete*Rule": onRule("DELETE", "", `Delete a rule of ${noun}`, {
      ...answered("rule deleted"),
      aliases,
    }),
  });
}
