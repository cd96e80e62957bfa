import { z } from "zod";
import { pageQuery } from "./common.js";
import { entityEnvelope, listEnvelope, messageEnvelope } from "./envelope.js";
import { flag, numeric, text } from "./fields.js";
import {
  type ConsoleRoute,
  consoleRoutes,
  extension,
  type noBody,
  noParams,
  type noQuery,
  type Route,
  type writeQuery,
} from "./route.js";

/** Fields that say why a version was archived or unarchived. */
const reasons = {
  archiveReason: text("Reason for archiving."),
  unarchiveReason: text("Reason for unarchiving."),
};

/** Fields of every entity in an answer about its archive. Gates and experiments have a status too. */
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

type List<
  Query extends z.ZodObject,
  Params extends z.ZodObject,
  Entity extends z.ZodType,
> = ConsoleRoute<Params, Query, typeof noBody, ReturnType<typeof listEnvelope<Entity>>>;
type One<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Entity extends z.ZodType,
> = ConsoleRoute<Params, Query, Body, ReturnType<typeof entityEnvelope<Entity>>>;

/** The routes of `lifeRoutes` by kind of step. */
interface LifeSteps<
  Entity extends z.ZodType,
  Query extends z.ZodObject,
  Params extends z.ZodObject,
> {
  readonly list: List<Query, typeof noParams, Entity>;
  readonly versions: List<typeof pageQuery, Params, Entity>;
  readonly read: One<Params, typeof noQuery, typeof noBody, Entity>;
  readonly archive: One<Params, typeof writeQuery, typeof archive, Entity>;
  readonly unarchive: One<Params, typeof writeQuery, typeof unarchive, Entity>;
  readonly restore: One<Params, typeof writeQuery, typeof restore, Entity>;
  readonly delete: ConsoleRoute<Params, typeof writeQuery, typeof noBody, typeof messageEnvelope>;
}

/** The names of the operations: `listGates`, `listGateVersions`, `archiveGate`. */
type LifeRoutes<Name extends string, Steps> = {
  [Step in keyof Steps & string as Step extends "list"
    ? `list${Name}s`
    : Step extends "versions"
      ? `list${Name}Versions`
      : `${Step}${Name}`]: Steps[Step];
};

interface LifeResource<
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
  readonly group: string;
  readonly path: Route["path"];
  /** The parameter with the id in `idPath`. */
  readonly params: Params;
  readonly idPath: `/${string}`;
  /** The message of a write. */
  readonly updated: string;
  readonly entity: Entity;
  readonly query: Query;
  /** Routes of the specification; the others are extensions. */
  readonly specified?: readonly string[];
}

/** Returns the routes that every resource has, beside create and updates. */
export function lifeRoutes<
  const Name extends string,
  Entity extends z.ZodType,
  Query extends z.ZodObject,
  Params extends z.ZodObject,
>(
  resource: LifeResource<Name, Entity, Query, Params>,
): LifeRoutes<Name, LifeSteps<Entity, Query, Params>> {
  const { name, title, noun, group, path, entity, specified = [] } = resource;
  const onMany = consoleRoutes(group, path, noParams);
  const onOne = consoleRoutes(group, `${path}${resource.idPath}`, resource.params);
  const origin = (step: string) => (specified.includes(step) ? {} : extension);
  const listed = { message: `${title}s listed successfully.`, response: listEnvelope(entity) };
  const changed = { message: resource.updated, response: entityEnvelope(entity) };
  const plural = `${noun.replace(/^an? /, "")}s`;
  const routes = {
    [`archive${name}`]: onOne("PUT", "/archive", `Archive ${noun}`, {
      ...origin("archive"),
      ...changed,
      body: archive,
    }),
    [`unarchive${name}`]: onOne("PUT", "/unarchive", `Unarchive ${noun}`, {
      ...origin("unarchive"),
      ...changed,
      body: unarchive,
    }),
    [`list${name}Versions`]: onOne(
      "GET",
      "/versions",
      `List the versions of ${noun}, newest first`,
      {
        ...origin("versions"),
        ...listed,
        query: pageQuery,
      },
    ),
    [`restore${name}`]: onOne("PUT", "/restore", `Restore the settings of a version of ${noun}`, {
      ...extension,
      ...changed,
      body: restore,
    }),
    [`list${name}s`]: onMany("GET", "", `List ${plural}, newest first`, {
      ...extension,
      ...listed,
      query: resource.query,
    }),
    [`read${name}`]: onOne("GET", "", `Read ${noun}`, {
      ...extension,
      message: `${title} read successfully.`,
      response: entityEnvelope(entity),
    }),
    [`delete${name}`]: onOne("DELETE", "", `Delete ${noun}`, {
      ...extension,
      message: `${title} deleted successfully.`,
      response: messageEnvelope,
    }),
  };
  // The names are computed, so the compiler cannot compare them.
  return routes as unknown as LifeRoutes<Name, LifeSteps<Entity, Query, Params>>;
}
