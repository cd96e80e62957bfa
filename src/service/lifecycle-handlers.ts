import { omitUndefined } from "../base/omit-undefined.js";
import {
  type ArchiveBody,
  namedSteps,
  type RestoreBody,
  type UnarchiveBody,
} from "../contract/lifecycle-routes.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityBody, EntityType } from "./entity-type.js";
import type { ListCall } from "./pagination.js";
import type { WriteFacts } from "./write-facts.js";

/** The steps of a kind of entity that differ from those of others. */
interface LifecycleOptions<Body> {
  archive?(current: Body, time: number): Body;
  unarchive?(current: Body, time: number): Body;
  /** Returns the fields of the current state that a restored version does not change. */
  kept?(current: Body, old: Body): Partial<Body>;
  /** See `OperationOptions`. */
  readonly check?: (next: Body, current?: Body) => Promise<void>;
}

interface EntityCall {
  readonly params: Readonly<Record<string, string>>;
}

interface WriteCall<Body = unknown> extends WriteFacts, EntityCall {
  readonly body: Body;
}

/** Returns the handlers of the routes that `lifecycleRoutes` makes. */
export function lifecycleHandlers<const Name extends string, Body extends EntityBody>(
  name: Name,
  operations: EntityOperations,
  type: EntityType<Body>,
  options: LifecycleOptions<Body> = {},
) {
  const {
    archive = (current) => ({ ...current, isArchived: true }),
    unarchive = (current) => ({ ...current, isArchived: false }),
    kept = ({ isArchived = false }) => ({ isArchived }) as Partial<Body>,
  } = options;
  return {
    ...namedSteps(name, {
      "archive*": (call: WriteCall<ArchiveBody>) => {
        const { forceArchive, archiveReason } = call.body ?? {};
        return operations.change(
          type,
          idIn(call),
          call,
          (current, { time }) => ({
            ...archive(current, time),
            ...omitUndefined({ archiveReason }),
          }),
          { unreferenced: forceArchive !== true },
        );
      },
      "unarchive*": (call: WriteCall<UnarchiveBody>) => {
        const { unarchiveReason } = call.body ?? {};
        return operations.change(type, idIn(call), call, (current, { time }) => ({
          ...unarchive(current, time),
          ...omitUndefined({ unarchiveReason }),
        }));
      },
    }),
    ...storedHandlers(name, operations, type, { ...options, kept }),
  };
}

/** Returns the handlers of the routes that `storedRoutes` makes. */
export function storedHandlers<const Name extends string, Body extends EntityBody>(
  name: Name,
  operations: EntityOperations,
  type: EntityType<Body>,
  { kept = () => ({}), check }: Pick<LifecycleOptions<Body>, "kept" | "check"> = {},
) {
  return namedSteps(name, {
    "list*s": (call: ListCall) => operations.list(type, call),
    "list*Versions": (call: ListCall & EntityCall) => operations.versions(type, idIn(call), call),
    "read*": (call: EntityCall) => operations.read(type, idIn(call)),
    "restore*": async (call: WriteCall<RestoreBody>) => {
      const version = await operations.version(type, idIn(call), Number(call.body.version));
      const { archiveReason: _, unarchiveReason: __, ...rest } = version;
      const old = rest as Body;
      return operations.change(
        type,
        idIn(call),
        call,
        (current) => ({ ...old, ...kept(current, old) }),
        omitUndefined({ check }),
      );
    },
    "delete*": (call: WriteCall) => operations.remove(type, idIn(call), call),
  });
}

/** The paths of these routes have one parameter: the id. */
function idIn({ params }: EntityCall): string {
  return Object.values(params)[0] ?? "";
}
