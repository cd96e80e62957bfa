import { type Prompt, type PromptCreate, promptDefaults } from "../contract/prompt.js";
import type { Stamp } from "./entity-operations.js";
import { identityFirst, newProvenance } from "./provenance.js";

/** A prompt at version 1. */
export function createPrompt(body: PromptCreate, stamp: Stamp): Prompt {
  return {
    ...identityFirst,
    ...structuredClone(promptDefaults),
    ...newProvenance(stamp),
    displayName: body.name,
    ...body,
    id: body.name,
    idType: "userID",
    holdoutIDs: [],
  };
}
