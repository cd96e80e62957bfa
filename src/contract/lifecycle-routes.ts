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

/** Operations by name (`listGates`, `listGateVersions`, `archiveGate`) instead of by step. */
type LifecycleNames<Name extends string, Steps> = {
  [Step in keyof Steps & string as Step extends "list"
    ? `list${Name}s`
    : Step extends "versions"
      ? `list${Name}Versions`
      : `${Step}${Name}`]: Steps[Step];
};

/** Names the routes or the handlers of the steps that every resource has. */
export function nameLifecycle<const Name extends string, Steps extends object>(
  name: Name,
  steps: Steps,
): LifecycleNames<Name, Steps> {
  const named = Object.entries(steps).map(([step, value]) => {
    if (step === "list") return [`list${name}s`, value];
    return [step === "versions" ? `list${name}Versions` : `${step}${name}`, value];
  });
  // The names are computed, so the compiler cannot compare them.
  return Object.fromEntries(named) as LifecycleNames<Name, Steps>;
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
  readonly specified?: readonly ("archive" | "unarchive" | "versions")[];
}

/** Returns the routes that every resource has, besides create and updates. */
export function lifecycleRoutes<
  const Name extends string,
  Entity extends z.ZodType,
  Query extends z.ZodObject,
  Params extends z.ZodObject,
>(resource: LifecycleResource<Name, Entity, Query, Params>) {
  const { name, title, noun, onMany, onOne, entity, query, specified = [] } = resource;
  const origin = (step: (typeof specified)[number]) => (specified.includes(step) ? {} : extension);
  const listed = { message: `${title}s listed successfully.`, response: listEnvelope(entity) };
  const changed = { message: resource.updated, response: entityEnvelope(entity) };
  const plural = `${noun.replace(/^an? /, "")}s`;
  return nameLifecycle(name, {
    archive: onOne("PUT", "/archive", `Archive ${noun}`, {
      ...origin("archive"),
      ...changed,
      body: archive,
    }),
    unarchive: onOne("PUT", "/unarchive", `Unarchive ${noun}`, {
      ...origin("unarchive"),
      ...changed,
      body: unarchive,
    }),
    versions: onOne("GET", "/versions", `List the versions of ${noun}, newest first`, {
      ...origin("versions"),
      ...listed,
      query: pageQuery,
    }),
    restore: onOne("PUT", "/restore", `Restore the settings of a version of ${noun}`, {
      ...extension,
      ...changed,
      body: restore,
    }),
    list: onMany("GET", "", `List ${plural}, newest first`, { ...extension, ...listed, query }),
    read: onOne("GET", "", `Read ${noun}`, {
      ...extension,
      message: `${title} read successfully.`,
      response: entityEnvelope(entity),
    }),
    delete: onOne("DELETE", "", `Delete ${noun}`, {
      ...extension,
      message: `${title} deleted successfully.`,
      response: messageEnvelope,
    }),
  });
}
