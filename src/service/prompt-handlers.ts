import type { Prompt } from "../contract/prompt.js";
import type { promptRoutes } from "../contract/prompt-routes.js";
import type { EntityOperations, EntityType } from "./entity-operations.js";
import type { Handlers } from "./handler.js";
import { createPrompt } from "./prompt-rules.js";

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
