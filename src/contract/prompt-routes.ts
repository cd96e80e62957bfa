import { pageQuery } from "./common.js";
import { entityEnvelope, listEnvelope, messageEnvelope } from "./envelope.js";
import { prompt, promptCreate } from "./prompt.js";
import { idParams, noBody, noParams, noQuery, type Route } from "./route.js";

const path = "/console/v1/prompts";
const onPrompts = {
  access: "console",
  group: "Prompts",
  params: noParams,
  query: noQuery,
  status: 200,
} as const;
const onPrompt = { ...onPrompts, params: idParams, body: noBody } as const;
const extension = { origin: "extension" } as const;

/** Prompts: the specification's row, then the extensions. The id of a prompt is its name. */
export const promptRoutes = {
  createPrompt: {
    ...onPrompts,
    origin: "specification",
    method: "POST",
    path,
    summary: "Create a prompt",
    body: promptCreate,
    message: "Prompt created successfully.",
    response: entityEnvelope(prompt),
  },
  listPrompts: {
    ...onPrompts,
    ...extension,
    method: "GET",
    path,
    summary: "List prompts, newest first",
    query: pageQuery,
    body: noBody,
    message: "Prompts listed successfully.",
    response: listEnvelope(prompt),
  },
  readPrompt: {
    ...onPrompt,
    ...extension,
    method: "GET",
    path: `${path}/{id}`,
    summary: "Read a prompt",
    message: "Prompt read successfully.",
    response: entityEnvelope(prompt),
  },
  deletePrompt: {
    ...onPrompt,
    ...extension,
    method: "DELETE",
    path: `${path}/{id}`,
    summary: "Delete a prompt",
    message: "Prompt deleted successfully.",
    response: messageEnvelope,
  },
} as const satisfies Record<string, Route>;
