import type { EntityKind as EntityType, Pagination, Warning } from "../../contract/common.js";
import type { PromptContent } from "../../contract/prompt-content.js";
import type { Rule } from "../../contract/rule.js";
import { api } from "../api/client.js";

/** The fields that the lists and the heads of pages show. Kinds have more. */
export interface Entity {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly idType?: string;
  readonly isEnabled?: boolean;
  readonly isArchived?: boolean;
  readonly status?: string;
  readonly type?: string;
  readonly rules?: readonly Rule[];
  readonly createdTime: number;
  readonly creatorName: string | null;
  readonly lastModifiedTime: number;
  readonly lastModifierName: string | null;
  readonly [field: string]: unknown;
}

/** An answer with one entity. */
export interface EntityAnswer {
  readonly data: Entity;
  readonly etag?: string;
  readonly warnings?: readonly Warning[];
}

interface ListAnswer {
  readonly data: readonly Entity[];
  readonly pagination: Pagination;
}

type Input = Readonly<Record<string, unknown>>;

/** The operations that every kind has. Inputs name the entity as `id`. */
interface Operations {
  list(input: Input): Promise<ListAnswer>;
  read(input: Input): Promise<EntityAnswer>;
  create(input: Input): Promise<EntityAnswer>;
  patch(input: Input): Promise<EntityAnswer>;
  archive(input: Input): Promise<EntityAnswer>;
  unarchive(input: Input): Promise<EntityAnswer>;
  remove(input: Input): Promise<object>;
  versions(input: Input): Promise<ListAnswer>;
  restore(input: Input): Promise<EntityAnswer>;
}

/** A kind of entity that the console shows. */
export interface Kind {
  /** First part of its pages' paths. */
  readonly root: string;
  /** Its part of the API, in scopes of keys. */
  readonly area: string;
  readonly type: EntityType;
  readonly title: string;
  readonly noun: string;
  readonly plural: string;
  /** Said where there are none. */
  readonly purpose: string;
  readonly hasRules: boolean;
  readonly operations: Operations;
}

export const kinds = {
  gates: kind("gates", "gates", "gate", "Gate", "gate", true, {
    purpose: "A gate turns a feature on for some of your users, or for all of them.",
  }),
  configs: kind(
    "configs",
    "dynamic_configs",
    "dynamic_config",
    "DynamicConfig",
    "dynamic config",
    true,
    {
      purpose: "A dynamic config gives each user a value: a text, a price, a whole set of options.",
    },
  ),
  experiments: kind("experiments", "experiments", "experiment", "Experiment", "experiment", false, {
    purpose: "An experiment shows groups of users different things, and counts what they do then.",
  }),
  segments: kind("segments", "segments", "segment", "Segment", "segment", true, {
    purpose: "A segment is a set of users that gates, configs and experiments can name.",
  }),
  prompts: kind("prompts", "prompts", "prompt", "Prompt", "prompt", false, {
    purpose: "A prompt is a text for a language model, with versions that can be compared.",
  }),
  "qualifying-events": kind(
    "qualifying-events",
    "experiments",
    "qualifying_event",
    "QualifyingEvent",
    "qualifying event",
    false,
    {
      purpose: "A qualifying event tells experiments which events count. A migration creates them.",
    },
  ),
} as const satisfies Record<string, Kind>;

function kind(
  root: string,
  area: string,
  type: EntityType,
  name: string,
  noun: string,
  hasRules: boolean,
  { purpose }: { readonly purpose: string },
): Kind {
  const plural = `${noun}s`;
  const title = plural.charAt(0).toUpperCase() + plural.slice(1);
  const operations = root === "prompts" ? promptOperations() : operationsOf(name);
  return { root, area, type, title, noun, plural, purpose, hasRules, operations };
}

/** Returns the operations of a kind. The names of the API follow one pattern. */
function operationsOf(name: string): Operations {
  const calls = api as unknown as Readonly<Record<string, (input: Input) => Promise<never>>>;
  const of = (operation: string) => async (input: Input) => {
    const call = calls[operation];
    if (call === undefined) throw new TypeError(`there is no operation ${operation}`);
    // Qualifying events are named by their name, which is their id.
    return identified(await call({ name: input["id"], ...input })) as never;
  };
  return {
    list: of(`list${name}s`),
    read: of(`read${name}`),
    create: of(`create${name}`),
    patch: of(`patch${name}`),
    archive: of(`archive${name}`),
    unarchive: of(`unarchive${name}`),
    remove: of(`delete${name}`),
    versions: of(`list${name}Versions`),
    restore: of(`restore${name}`),
  };
}

/** Returns the operations of prompts. Their patch takes the content, too, which the API writes apart. */
function promptOperations(): Operations {
  const operations = operationsOf("Prompt");
  const patch = async ({ body, ...input }: Input): Promise<EntityAnswer> => {
    const { content, ...others } = body as { readonly content?: PromptContent };
    if (content === undefined) return operations.patch({ ...input, body: others });
    const written = { ...(input as { readonly id: string }), body: content };
    const { data } = await api.createPromptVersion(written);
    if (Object.keys(others).length === 0) return operations.read({ id: input["id"] });
    const ifMatch = input["ifMatch"] === undefined ? undefined : String(data.version);
    return operations.patch({ ...input, body: others, ifMatch });
  };
  return { ...operations, patch };
}

/** Gives qualifying events an `id`: their answers have only the name, which is it. */
function identified(answer: { readonly data?: unknown }): object {
  const withID = (entity: { readonly name?: string }) =>
    "id" in entity ? entity : { ...entity, id: entity.name };
  const { data } = answer;
  if (Array.isArray(data)) return { ...answer, data: data.map(withID) };
  return typeof data === "object" && data !== null ? { ...answer, data: withID(data) } : answer;
}
