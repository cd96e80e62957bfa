import { z } from "zod";
import {
  entityEnvelope,
  holdoutIDs,
  idType,
  owner,
  ownershipDefaults,
  provenance,
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
  kindOf,
  list,
  nameLike,
  type RuleFault,
  text,
  withRule,
} from "./fields.js";
import { jsonFault, VALUE_DEPTH_MAX } from "./json-text.js";
import { archivable, lifecycleRoutes } from "./lifecycle-routes.js";
import { listQuery } from "./list-query.js";
import { consoleRoutes, extension, idParams, noParams, type Route } from "./route.js";

const parameterTypes = ["string", "number", "boolean", "object", "array"] as const;

const parameter = z.object({
  name: text("Name of the parameter.").min(1),
  type: z.enum(parameterTypes).describe("Type of its values."),
  defaultValue: z
    .union([z.string(), z.number(), z.boolean(), z.array(z.unknown()), jsonObject("An object.")], {
      error: () => "Expected string, number, boolean, array or object",
    })
    .describe("Value for units that no experiment of the layer has; of the type."),
});

/** The fields that clients write. */
const fields = {
  id: nameLike(/^[a-zA-Z0-9_-]*$/, "Name ID; derived from the name by default."),
  name: nameLike(/^[a-zA-Z0-9_\- ]*$/, "Display name."),
  description: descriptionText,
  idType,
  parameters: list(parameter).describe("Parameters that the experiments of the layer share."),
  tags,
  targetApps,
  holdoutIDs,
  team,
  teamID,
};

const writable = z.object(fields);

/** Defaults of the optional fields of a create and a full update. */
export const layerDefaults: Omit<z.output<typeof writable>, "id" | "name"> = {
  description: "",
  idType: "userID",
  parameters: [],
  ...ownershipDefaults,
};

const patch = writable.omit({ id: true, idType: true }).exactPartial();

const layerCreate = withRule(
  writable.exactPartial().extend({ name: fields.name }),
  parameterFaults,
);
const layerPatch = withRule(patch, parameterFaults);
const layerReplace = withRule(
  patch.extend({ description: fields.description, parameters: fields.parameters }),
  parameterFaults,
);

const layer = z
  .object({
    ...fields,
    ...provenance,
    defaultValue: jsonObject("The default values of the parameters, by name."),
    isImplicitLayer: flag("True for a layer of a single experiment; always false here."),
    owner,
    version,
    ...archivable,
  })
  .describe("A layer: experiments in it share its units and its parameters.");

/** Returns the faults of values that are not of their type, and of names that another parameter has. */
function parameterFaults(body: unknown): readonly RuleFault[] {
  const { parameters } = (body ?? {}) as { readonly parameters?: unknown };
  if (!Array.isArray(parameters)) return [];
  const seen = new Set<unknown>();
  return parameters.flatMap((one, index): RuleFault[] => {
    const { name, type, defaultValue } = (one ?? {}) as Readonly<Record<string, unknown>>;
    const path = ["parameters", index];
    const faults: RuleFault[] = [];
    if (seen.has(name)) faults.push({ path: [...path, "name"], message: "Duplicate name given" });
    seen.add(name);
    const isTyped = parameterTypes.some((known) => known === type) && defaultValue !== undefined;
    const fault =
      isTyped && kindOf(defaultValue) !== type
        ? `Expected ${type}, received ${kindOf(defaultValue)}`
        : jsonFault(defaultValue, VALUE_DEPTH_MAX);
    if (fault !== undefined) faults.push({ path: [...path, "defaultValue"], message: fault });
    return faults;
  });
}

export type LayerCreate = z.output<typeof layerCreate>;
export type LayerReplace = z.output<typeof layerReplace>;
export type LayerPatch = z.output<typeof layerPatch>;
export type Layer = z.output<typeof layer>;

const path = "/console/v1/layers";
const onLayers = consoleRoutes("Layers", path, noParams);
const onLayer = consoleRoutes("Layers", `${path}/{id}`, idParams);
const response = entityEnvelope(layer);
const updated = { ...extension, message: "Layer updated successfully.", response };

export const layerRoutes = {
  createLayer: onLayers("POST", "", "Create a layer", {
    ...extension,
    status: 201,
    message: "Layer created successfully.",
    body: layerCreate,
    response,
  }),
  replaceLayer: onLayer("POST", "", "Update a layer fully", { ...updated, body: layerReplace }),
  patchLayer: onLayer("PATCH", "", "Update some fields of a layer", {
    ...updated,
    body: layerPatch,
  }),
  ...lifecycleRoutes({
    name: "Layer",
    title: "Layer",
    noun: "a layer",
    onMany: onLayers,
    onOne: onLayer,
    updated: updated.message,
    entity: layer,
    query: listQuery.omit({ type: true, layerID: true }),
  }),
} satisfies Record<string, Route>;
