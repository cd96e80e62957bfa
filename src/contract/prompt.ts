import { z } from "zod";
import {
  creatorEmail,
  creatorID,
  holdoutIDs,
  idType,
  owner,
  provenance,
  tags,
  targetApps,
  version,
} from "./common.js";
import { descriptionText, nameLike, text } from "./fields.js";

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
