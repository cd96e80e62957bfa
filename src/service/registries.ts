import type { EntityKind } from "../contract/common.js";
import { namedSteps } from "../contract/lifecycle-routes.js";
import type { tagRoutes } from "../contract/registry.js";
import type { EntityOperations, WriteFacts } from "./entity-operations.js";
import type { EntityBody, EntityType } from "./entity-type.js";
import type { Handlers } from "./handler.js";
import { storedHandlers } from "./lifecycle-handlers.js";
import { newProvenance } from "./new-entity.js";
import { requireSameName } from "./service-error.js";

/** Fields that all entities of registries share. */
type RegistryBody = EntityBody & { readonly id: string; readonly description: string };

interface CreateCall extends WriteFacts {
  readonly body: { readonly name: string };
}

interface PatchCall extends WriteFacts {
  readonly params: { readonly id: string };
  readonly body: { readonly name?: string };
}

/** Returns the handlers of the routes of one registry. `defaults` are the fields that a create omits. */
function handlersOf<const Name extends string, Defaults extends object>(
  name: Name,
  operations: EntityOperations,
  { kind, title }: { readonly kind: EntityKind; readonly title: string },
  defaults: Defaults,
) {
  type Body = RegistryBody & Defaults;
  const type: EntityType<Body> = { kind, title, idOf: ({ id }) => id, referencesOf: () => [] };
  return {
    ...namedSteps(name, {
      "create*": (call: CreateCall) =>
        operations.create(type, call, (stamp) => ({
          id: call.body.name,
          description: "",
          ...defaults,
          ...newProvenance(stamp),
          ...call.body,
        })),
      "patch*": (call: PatchCall) =>
        operations.change(type, call.params.id, call, (current) => {
          requireSameName(current.name, call.body.name);
          return { ...current, ...call.body };
        }),
    }),
    ...storedHandlers(name, operations, type),
  };
}

export function registryHandlers(operations: EntityOperations): Handlers<typeof tagRoutes> {
  return handlersOf("Tag", operations, { kind: "tag", title: "Tag" }, { isCore: false });
}
