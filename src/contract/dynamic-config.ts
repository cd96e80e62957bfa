import { z } from "zod";
import {
  creatorEmail,
  creatorID,
  holdoutIDs,
  idType,
  owner,
  pageQuery,
  provenance,
  releasePipelineID,
  tags,
  targetApps,
  team,
  teamID,
  version,
} from "./common.js";
import { entityEnvelope, listEnvelope, messageEnvelope } from "./envelope.js";
import {
  descriptionText,
  flag,
  jsonObject,
  list,
  nameLike,
  queryFlag,
  type RuleFault,
  text,
  withRule,
} from "./fields.js";
import { Json5Reader } from "./json-text.js";
import { textPairFaults, valuePairFaults } from "./json5-pair.js";
import { idParams, noBody, noParams, noQuery, type Route } from "./route.js";
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
  pairFaults,
);

export const dynamicConfigReplace = withRule(
  updatable.extend({
    isEnabled: fields.isEnabled,
    description: fields.description,
    rules: fields.rules,
  }),
  pairFaults,
);

export const dynamicConfigPatch = withRule(updatable, pairFaults);

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
function pairFaults(body: unknown): readonly RuleFault[] {
  const reader = new Json5Reader();
  const ofRules = membersOf(body, "rules").flatMap((rule, place) =>
    below(
      ["rules", place],
      [
        ...valuePairFaults(rule, "returnValue", reader),
        ...membersOf(rule, "variants").flatMap((variant, place) =>
          below(["variants", place], valuePairFaults(variant, "returnValue", reader)),
        ),
      ],
    ),
  );
  return [
    ...valuePairFaults(body, "defaultValue", reader),
    ...textPairFaults(body, "schema", reader),
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

const path = "/console/v1/dynamic_configs";
const onConfigs = {
  access: "console",
  group: "Dynamic configs",
  params: noParams,
  query: noQuery,
} as const;
const onConfig = { ...onConfigs, params: idParams, status: 200, body: noBody } as const;
const specified = { origin: "specification" } as const;
const extension = { origin: "extension" } as const;
const query = z.object({
  dryRun: queryFlag("Whether the inputs are validated and nothing is kept."),
});
const updated = {
  message: "Dynamic config updated successfully.",
  response: entityEnvelope(dynamicConfig),
  query,
} as const;

/** Dynamic configs, in the order of the specification's table. */
export const dynamicConfigRoutes = {
  createDynamicConfig: {
    ...onConfigs,
    ...specified,
    method: "POST",
    path,
    summary: "Create a dynamic config",
    query,
    body: dynamicConfigCreate,
    status: 201,
    message: "Dynamic Config created successfully.",
    response: entityEnvelope(dynamicConfig),
  },
  replaceDynamicConfig: {
    ...onConfig,
    ...specified,
    ...updated,
    method: "POST",
    path: `${path}/{id}`,
    summary: "Update a dynamic config fully",
    body: dynamicConfigReplace,
  },
  patchDynamicConfig: {
    ...onConfig,
    ...specified,
    ...updated,
    method: "PATCH",
    path: `${path}/{id}`,
    summary: "Update some fields of a dynamic config",
    body: dynamicConfigPatch,
  },
  listDynamicConfigs: {
    ...onConfigs,
    ...extension,
    method: "GET",
    path,
    summary: "List dynamic configs, newest first",
    query: pageQuery,
    body: noBody,
    status: 200,
    message: "Dynamic Configs listed successfully.",
    response: listEnvelope(dynamicConfig),
  },
  readDynamicConfig: {
    ...onConfig,
    ...extension,
    method: "GET",
    path: `${path}/{id}`,
    summary: "Read a dynamic config",
    message: "Dynamic Config read successfully.",
    response: entityEnvelope(dynamicConfig),
  },
  deleteDynamicConfig: {
    ...onConfig,
    ...extension,
    method: "DELETE",
    path: `${path}/{id}`,
    summary: "Delete a dynamic config",
    message: "Dynamic Config deleted successfully.",
    response: messageEnvelope,
  },
} as const satisfies Record<string, Route>;
