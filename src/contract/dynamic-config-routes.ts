import { z } from "zod";
import { pageQuery } from "./common.js";
import {
  dynamicConfig,
  dynamicConfigCreate,
  dynamicConfigPatch,
  dynamicConfigReplace,
} from "./dynamic-config.js";
import { entityEnvelope, listEnvelope, messageEnvelope } from "./envelope.js";
import { queryFlag } from "./fields.js";
import { idParams, noBody, noParams, noQuery, type Route } from "./route.js";

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
