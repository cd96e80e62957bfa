import {
  type Prompt,
  type PromptCreate,
  promptDefaults,
  type promptRoutes,
} from "../contract/prompt.js";
import type { EntityOperations, EntityType, Stamp } from "./entity-operations.js";
import type { Handlers } from "./handler.js";
import { identityFirst, newProvenance } from "./new-entity.js";

const promptType: EntityType<Prompt> = {
  kind: "prompt",
  title: "Prompt",
  idOf: ({ id }) => id,
  referencesOf: () => [],
};

export function promptHandlers(operations: EntityOperations): Handlers<typeof promptRoutes> {
  return {
    createPrompt: (call) =>
      operations.create(promptType, call, (stamp) => createPrompt(call.body, stamp)),
    listPrompts: (call) => operations.list(promptType, call),
    readPrompt: (call) => operations.read(promptType, call.params.id),
    deletePrompt: (call) => operations.remove(promptType, call.params.id, call),
  };
}

/** Returns a new prompt at version 1. */
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
