import { omitUndefined } from "../base/omit-undefined.js";
import type { ArchiveBody, RestoreBody, UnarchiveBody } from "../contract/life-routes.js";
import type { EntityBody, EntityOperations, EntityType, WriteFacts } from "./entity-operations.js";
import type { Answer } from "./handler.js";
import type { ListCall } from "./pagination.js";

/** An entity that can be archived. */
interface ArchivableBody extends EntityBody {
  readonly isArchived?: boolean;
}

/** The steps of a kind of entity that differ from those of others. */
interface LifeOptions<Body> {
  archive?(current: Body, time: number): Body;
  unarchive?(current: Body, time: number): Body;
  /** Returns the fields of the current state that a restored version does not change. */
  kept(current: Body, old: Body): Partial<Body>;
  /** See `OperationOptions`. */
  readonly check?: (next: Body, current?: Body) => Promise<void>;
}

type Params = Readonly<Record<string, string>>;

interface ReadCall {
  readonly params: Params;
}

interface LifeCall<Body> extends WriteFacts, ReadCall {
  readonly body: Body;
}

interface LifeListCall extends ListCall, ReadCall {}

/** Handlers of the routes that `lifeRoutes` makes. */
interface LifeHandlers {
  list(call: ListCall): Promise<Answer>;
  versions(call: LifeListCall): Promise<Answer>;
  read(call: ReadCall): Promise<Answer>;
  archive(call: LifeCall<ArchiveBody>): Promise<Answer>;
  unarchive(call: LifeCall<UnarchiveBody>): Promise<Answer>;
  restore(call: LifeCall<RestoreBody>): Promise<Answer>;
  delete(call: WriteFacts & ReadCall): Promise<Answer>;
}

/** Returns what every kind of entity answers alike. */
export function lifeHandlers<Body extends ArchivableBody>(
  operations: EntityOperations,
  type: EntityType<Body>,
  { archive = setArchived(true), unarchive = setArchived(false), kept, check }: LifeOptions<Body>,
): LifeHandlers {
  const options = check === undefined ? {} : { check };
  return {
    list: (call) => operations.list(type, call),
    versions: (call) => operations.versions(type, idIn(call), call),
    read: (call) => operations.read(type, idIn(call)),
    archive: (call) => {
      const { forceArchive, archiveReason } = call.body ?? {};
      return operations.change(
        type,
        idIn(call),
        call,
        (current, { time }) => withReason(archive(current, time), { archiveReason }),
        { unreferenced: forceArchive !== true },
      );
    },
    unarchive: (call) => {
      const { unarchiveReason } = call.body ?? {};
      return operations.change(type, idIn(call), call, (current, { time }) =>
        withReason(unarchive(current, time), { unarchiveReason }),
      );
    },
    restore: async (call) => {
      const {
        archiveReason: _,
        unarchiveReason: __,
        ...old
      } = await operations.version(type, idIn(call), Number(call.body.version));
      return operations.change(
        type,
        idIn(call),
        call,
        (current) => ({ ...(old as Body), ...kept(current, old as Body) }),
        options,
      );
    },
    delete: (call) => operations.remove(type, idIn(call), call),
  };
}

type LifeNames<Name extends string> = {
  [Step in keyof LifeHandlers as Step extends "list"
    ? `list${Name}s`
    : Step extends "versions"
      ? `list${Name}Versions`
      : `${Step}${Name}`]: LifeHandlers[Step];
};

/** Names handlers as `lifeRoutes` names their routes: `archiveGate`. */
export function namedLife<const Name extends string>(
  name: Name,
  life: LifeHandlers,
): LifeNames<Name> {
  const named = {
    [`list${name}s`]: life.list,
    [`list${name}Versions`]: life.versions,
    [`read${name}`]: life.read,
    [`archive${name}`]: life.archive,
    [`unarchive${name}`]: life.unarchive,
    [`restore${name}`]: life.restore,
    [`delete${name}`]: life.delete,
  };
  // The names are computed, so the compiler cannot compare them.
  return named as unknown as LifeNames<Name>;
}

/** Paths with a life have one parameter: the id. */
function idIn({ params }: ReadCall): string {
  return Object.values(params)[0] ?? "";
}

function setArchived<Body extends ArchivableBody>(isArchived: boolean) {
  return (current: Body): Body => ({ ...current, isArchived });
}

function withReason<Body extends EntityBody>(
  body: Body,
  reason: {
    readonly archiveReason?: string | undefined;
    readonly unarchiveReason?: string | undefined;
  },
): Body {
  return { ...body, ...omitUndefined(reason) };
}
