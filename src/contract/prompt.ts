import { z } from "zod";
import {
  creatorEmail,
  creatorID,
  entityEnvelope,
  holdoutIDs,
  idType,
  owner,
  provenance,
  tags,
  targetApps,
  version,
} from "./common.js";
import { descriptionText, nameLike, text } from "./fields.js";
import { archivable, lifecycleRoutes } from "./lifecycle-routes.js";
import { listQuery } from "./list-query.js";
import { promptContentFields, promptContentRoutes } from "./prompt-content.js";
import { consoleRoutes, extension, idParams, noParams, type Route } from "./route.js";

const namePattern = /^[a-zA-Z0-9_\-. ]*$/;

/** The fields that clients write. A prompt's team is never null, unlike that of other entities. */
const fields = {
  name: nameLike(namePattern, "Name, which is also the id."),
  displayName: nameLike(namePattern, "Display name; the name by default."),
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

/** Defaults of the optional fields of a create. */
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

const promptCreate = writable.exactPartial().extend({ name: fields.name });

const promptPatch = writable.omit({ name: true }).exactPartial();

const promptReplace = promptPatch.extend({ description: fields.description });

const prompt = z
  .object({
    id: text("Name ID, equal to the name."),
    ...fields,
    ...provenance,
    idType,
    holdoutIDs,
    ...promptContentFields,
    version,
    ...archivable,
  })
  .describe("A prompt.");

export type PromptCreate = z.output<typeof promptCreate>;
export type PromptReplace = z.output<typeof promptReplace>;
export type Prompt = z.output<typeof prompt>;

const path = "/console/v1/prompts";
const onPrompts = consoleRoutes("Prompts", path, noParams);
const onPrompt = consoleRoutes("Prompts", `${path}/{id}`, idParams);

const updated = {
  ...extension,
  message: "Prompt updated successfully.",
  response: entityEnvelope(prompt),
};

/** Prompts: the specification's row, then the extensions. The id of a prompt is its name. */
export const promptRoutes = {
  createPrompt: onPrompts("POST", "", "Create a prompt", {
    body: promptCreate,
    message: "Prompt created successfully.",
    response: entityEnvelope(prompt),
  }),
  replacePrompt: onPrompt("POST", "", "Update a prompt fully", { ...updated, body: promptReplace }),
  patchPrompt: onPrompt("PATCH", "", "Update some fields of a prompt", {
    ...updated,
    body: promptPatch,
  }),
  ...promptContentRoutes(prompt),
  ...lifecycleRoutes({
    name: "Prompt",
    title: "Prompt",
    noun: "a prompt",
    onMany: onPrompts,
    onOne: onPrompt,
    updated: updated.message,
    entity: prompt,
    query: listQuery.omit({ type: true, layerID: true }),
  }),
} satisfies Record<string, Route>;
