import { z } from "zod";
import {
  creatorEmail,
  creatorID,
  holdoutIDs,
  idType,
  owner,
  pageQuery,
  provenance,
  tags,
  targetApps,
  version,
} from "./common.js";
import { entityEnvelope, listEnvelope, messageEnvelope } from "./envelope.js";
import { descriptionText, nameLike, text } from "./fields.js";
import { idParams, noBody, noParams, noQuery, type Route } from "./route.js";

const namePattern = /^[a-zA-Z0-9_\-. ]*$/;

/** The fields that clients write, each once. Unlike other entities, a prompt's team is never null. */
const fields = {
  name: nameLike(namePattern, "Name; it is the prompt's id too."),
  displayName: nameLike(namePattern, "Display name; the name when it is left out."),
  description: descriptionText,
  targetApps,
  team: text("Team name (enterprise plans only); empty for none."),
  teamID: text("Team identifier (enterprise plans only); empty for none."),
  tags,
  creatorID,
  creatorEmail,
  owner,
};

const writable = z.object(fields);

/** Values of the fields that a create leaves out. */
export const promptDefaults: Omit<
  z.output<typeof writable>,
  "name" | "displayName" | "creatorID" | "creatorEmail" | "owner"
> = {
  description: "",
  targetApps: [],
  team: "",
  teamID: "",
  tags: [],
};

export const promptCreate = writable.exactPartial().extend({ name: fields.name });

export const prompt = z
  .object({
    id: text("Name ID: the name."),
    ...fields,
    ...provenance,
    idType,
    holdoutIDs,
    version,
  })
  .describe("The prompt.");

export type PromptCreate = z.output<typeof promptCreate>;
export type Prompt = z.output<typeof prompt>;

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
