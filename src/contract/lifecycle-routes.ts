import { z } from "zod";
import { entityEnvelope, listEnvelope, messageEnvelope, pageQuery } from "./common.js";
import { flag, numeric, text } from "./fields.js";
import { extension, type MakeConsoleRoute, type noParams } from "./route.js";

/** Reasons why a version was archived or unarchived. */
const reasons = {
  archiveReason: text("Reason for archiving."),
  unarchiveReason: text("Reason for unarchiving."),
};

/** Fields about archiving in every entity. Gates and experiments have a status too. */
export const archiveFields = {
  archiveReason: reasons.archiveReason.exactOptional(),
  unarchiveReason: reasons.unarchiveReason.exactOptional(),
};

export const archivable = {
  isArchived: flag("True if it is archived: lists leave it out.").exactOptional(),
  ...archiveFields,
};

const archive = z
  .object({
    forceArchive: flag("Archive it even if other entities reference it."),
    archiveReason: reasons.archiveReason,
  })
  .exactPartial()
  .optional();

const unarchive = z.object({ unarchiveReason: reasons.unarchiveReason }).exactPartial().optional();

const restore = z.object({
  version: numeric("Version whose settings become current.", { integer: true, min: 1 }),
});

export type ArchiveBody = z.output<typeof archive>;
export type UnarchiveBody = z.output<typeof unarchive>;
export type RestoreBody = z.output<typeof restore>;

/** Operations by name: `*` in a step becomes the name, so `list*s` of `Gate` is `listGates`. */
type NamedSteps<Name extends string, Steps> = {
  [Step in keyof Steps & string as Step extends `${infer Before}*${infer After}`
    ? `${Before}${Name}${After}`
    : never]: Steps[Step];
};

/** Names the routes or the handlers of steps that several resources have. */
export function namedSteps<const Name extends string, Steps extends object>(
  name: Name,
  steps: Steps,
): NamedSteps<Name, Steps> {
  const named = Object.entries(steps).map(([step, value]) => [step.replace("*", name), value]);
  // The names are computed, so the compiler cannot compare them.
  return Object.fromEntries(named) as NamedSteps<Name, Steps>;
}

interface LifecycleResource<
  Name extends string,
  Entity extends z.ZodType,
  Query extends z.ZodObject,
  Params extends z.ZodObject,
> {
  /** In names of operations. */
  readonly name: Name;
  /** In messages: `Gate` in `Gate read successfully.` */
  readonly title: string;
  /** In summaries: `a gate`. */
  readonly noun: string;
  readonly onMany: MakeConsoleRoute<typeof noParams>;
  readonly onOne: MakeConsoleRoute<Params>;
  /** The message of a write. */
  readonly updated: string;
  readonly entity: Entity;
  /** The query of the list. */
  readonly query: Query;
  /** Routes of the specification; the others are extensions. */
  readonly specified?: readonly Specified[];
}

/** Returns the routes that every resource has, besides create and updates. */
export function lifecycleRoutes<
  const Name extends string,
  Entity extends z.ZodType,
  Query extends z.ZodObject,
  Params extends z.ZodObject,
>(resource: LifecycleResource<Name, Entity, Query, Params>) {
  const { name, noun, onOne } = resource;
  return {
    ...namedSteps(name, {
      "archive*": onOne("PUT", "/archive", `Archive ${noun}`, {
        ...origin(resource, "archive"),
        ...changed(resource),
        body: archive,
      }),
      "unarchive*": onOne("PUT", "/unarchive", `Unarchive ${noun}`, {
        ...origin(resource, "unarchive"),
        ...changed(resource),
        body: unarchive,
      }),
    }),
    ...storedRoutes(resource),
  };
}

/** Returns the routes that also resources have which cannot be archived. */
export function storedRoutes<
  const Name extends string,
  Entity extends z.ZodType,
  Query extends z.ZodObject,
  Params extends z.ZodObject,
>(resource: LifecycleResource<Name, Entity, Query, Params>) {
  const { name, title, noun, onMany, onOne, entity, query } = resource;
  const listed = { message: `${title}s listed successfully.`, response: listEnvelope(entity) };
  const plural = `${noun.replace(/^an? /, "")}s`;
  return namedSteps(name, {
    "list*Versions": onOne("GET", "/versions", `List the versions of ${noun}, newest first`, {
      ...origin(resource, "versions"),
      ...listed,
      query: pageQuery,
    }),
    "restore*": onOne("PUT", "/restore", `Restore the settings of a version of ${noun}`, {
      ...extension,
      ...changed(resource),
      body: restore,
    }),
    "list*s": onMany("GET", "", `List ${plural}, newest first`, {
      ...extension,
      ...listed,
      moreStatuses: [304],
      query,
    }),
    "read*": onOne("GET", "", `Read ${noun}`, {
      ...extension,
      message: `${title} read successfully.`,
      moreStatuses: [304],
      response: entityEnvelope(entity),
    }),
    "delete*": onOne("DELETE", "", `Delete ${noun}`, {
      ...extension,
      message: `${title} deleted successfully.`,
      response: messageEnvelope,
    }),
  });
}

type Specified = "archive" | "unarchive" | "versions";

function origin({ specified = [] }: { specified?: readonly Specified[] }, step: Specified) {
  return specified.includes(step) ? {} : extension;
}

function changed<Entity extends z.ZodType>(resource: { updated: string; entity: Entity }) {
  return { message: resource.updated, response: entityEnvelope(resource.entity) };
}
