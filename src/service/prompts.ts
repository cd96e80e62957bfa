import {
  type Prompt,
  type PromptCreate,
  type PromptReplace,
  promptDefaults,
  type promptRoutes,
} from "../contract/prompt.js";
import type { Handlers } from "../http/handler.js";
import { invalid, notFound } from "../http/service-error.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityType, Stamp } from "./entity-type.js";
import { lifecycleHandlers } from "./lifecycle-handlers.js";
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
    replacePrompt: (call) =>
      operations.change(promptType, call.params.id, call, (current) =>
        replacePrompt(current, call.body),
      ),
    patchPrompt: (call) =>
      operations.change(promptType, call.params.id, call, (current) => ({
        ...current,
        ...call.body,
      })),
    createPromptVersion: async (call) => {
      const { content: _, ...answer } = await operations.change(
        promptType,
        call.params.id,
        call,
        (current) => ({ ...current, content: call.body }),
      );
      return { ...answer, content: { data: { ...call.body, version: answer.version } } };
    },
    publishPrompt: async (call) => {
      const version = Number(call.body.version);
      const { content } = await operations.version(promptType, call.params.id, version);
      if (!content) {
        const errorMessage = `Version ${version} has no content: create one first`;
        throw invalid([{ property: "version", errorMessage }]);
      }
      const published = { version, content };
      return operations.change(promptType, call.params.id, call, (current) => ({
        ...current,
        published,
      }));
    },
    readPublishedPrompt: async ({ params: { id } }) => {
      const { published, version } = await operations.get(promptType, id);
      if (!published) throw notFound(`Published content of prompt ${id}`);
      return { content: { data: { ...published.content, version: published.version } }, version };
    },
    ...lifecycleHandlers("Prompt", operations, promptType, {
      kept: ({ isArchived = false, published }) => ({ isArchived, published }),
    }),
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
    content: null,
    published: null,
    isArchived: false,
  };
}

/** Makes a full update: omitted fields get their defaults, except name, owner and creator. */
function replacePrompt(current: Prompt, body: PromptReplace): Prompt {
  const displayName = current.name;
  return { ...current, ...structuredClone(promptDefaults), displayName, ...body };
}
