import { z } from "zod";
import { list } from "./bounded-list.js";
import {
  creatorEmail,
  creatorID,
  holdoutIDs,
  idType,
  owner,
  provenance,
  releasePipelineID,
  tags,
  targetApps,
  team,
  teamID,
  version,
} from "./common.js";
import {
  descriptionText,
  flag,
  jsonObject,
  nameLike,
  type RuleFault,
  text,
  withRule,
} from "./fields.js";
import { Json5Reader } from "./json-text.js";
import { textTwinFaults, valueTwinFaults } from "./json5-twins.js";
import { rule, ruleRequest } from "./rule.js";

/** The fields that clients write, each once. */
const fields = {
  id: nameLike(/^[a-zA-Z0-9_\-.]*$/, "Name ID; made from the name when it is left out."),
  name: nameLike(/^[a-zA-Z0-9_\-. ]*$/, "Display name."),
  description: descriptionText,
  idType,
  isEnabled: flag("Whether the rules are looked at."),
  rules: list(ruleRequest).describe("Rules, in the order in which they are tried."),
  defaultValue: jsonObject("Value where no rule applies."),
  defaultValueJson5: text("Same as `defaultValue`, with comments; both must mean the same JSON."),
  schema: text(
    "JSON Schema (2020-12) as JSON text, which the values of the rules have to fit.",
  ).nullable(),
  schemaJson5: text("Same as `schema`, with comments; both must mean the same JSON.").nullable(),
  tags,
  targetApps,
  holdoutIDs,
  team,
  teamID,
  creatorID,
  creatorEmail,
  releasePipelineID,
  isTemplate: flag("Whether the dynamic config is a template."),
};

const writable = z.object(fields);

/** Values of the fields that a create or a full update leaves out. */
export const dynamicConfigDefaults: Omit<
  z.output<typeof writable>,
  "id" | "name" | "creatorID" | "creatorEmail"
> = {
  description: "",
  idType: "userID",
  isEnabled: true,
  rules: [],
  defaultValue: {},
  defaultValueJson5: "{}",
  schema: null,
  schemaJson5: null,
  tags: [],
  targetApps: [],
  holdoutIDs: [],
  team: null,
  teamID: null,
  releasePipelineID: null,
  isTemplate: false,
};

const updatable = writable.omit({ id: true, isTemplate: true }).exactPartial();

export const dynamicConfigCreate = withRule(
  writable.exactPartial().extend({ name: fields.name }),
  twinFaults,
);

export const dynamicConfigReplace = withRule(
  updatable.extend({
    isEnabled: fields.isEnabled,
    description: fields.description,
    rules: fields.rules,
  }),
  twinFaults,
);

export const dynamicConfigPatch = withRule(updatable, twinFaults);

export const dynamicConfig = z
  .object({
    ...fields,
    ...provenance,
    rules: list(rule),
    owner,
    version,
  })
  .describe("A dynamic config, as answers show it.");

/** What is wrong with the values and their JSON5 texts, wherever in the body they stand. */
function twinFaults(body: unknown): readonly RuleFault[] {
  const reader = new Json5Reader();
  const ofRules = membersOf(body, "rules").flatMap((rule, place) =>
    below(
      ["rules", place],
      [
        ...valueTwinFaults(rule, "returnValue", reader),
        ...membersOf(rule, "variants").flatMap((variant, place) =>
          below(["variants", place], valueTwinFaults(variant, "returnValue", reader)),
        ),
      ],
    ),
  );
  return [
    ...valueTwinFaults(body, "defaultValue", reader),
    ...textTwinFaults(body, "schema", reader),
    ...ofRules,
  ];
}

function below(parent: RuleFault["path"], faults: readonly RuleFault[]): RuleFault[] {
  return faults.map(({ path, message }) => ({ path: [...parent, ...path], message }));
}

function membersOf(holder: unknown, name: string): readonly unknown[] {
  const list = (holder as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  return Array.isArray(list) ? list : [];
}

export type DynamicConfigCreate = z.output<typeof dynamicConfigCreate>;
export type DynamicConfigReplace = z.output<typeof dynamicConfigReplace>;
export type DynamicConfigPatch = z.output<typeof dynamicConfigPatch>;
export type DynamicConfig = z.output<typeof dynamicConfig>;
