import type { EntityKind } from "../contract/common.js";
import type { tagRoutes, targetAppRoutes, unitIDTypeRoutes } from "../contract/registry.js";
import type { Handlers } from "../http/handler.js";
import { requireSameName } from "../http/service-error.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityBody, EntityType } from "./entity-type.js";
import { storedHandlers } from "./lifecycle-handlers.js";
import { plainHandlers } from "./plain-handlers.js";

/** Fields that all entities of registries share. */
type RegistryBody = EntityBody & { readonly id: string; readonly description: string };

/** Returns the handlers of the routes of one registry. `defaults` are the fields that a create omits. */
function handlersOf<const Name extends string, Defaults extends object>(
  name: Name,
  operations: EntityOperations,
  { kind, title }: { readonly kind: EntityKind; readonly title: string },
  defaults: Defaults,
  unstored: readonly string[] = [],
) {
  type Body = RegistryBody & Defaults;
  const type: EntityType<Body> = { kind, title, idOf: ({ id }) => id, referencesOf: () => [] };
  return {
    ...plainHandlers(name, operations, type, {
      defaults: { description: "", ...defaults } as Partial<Body>,
      unstored,
      idOf: (name) => name,
      derived: (next, current) => {
        if (current !== undefined) requireSameName(current.name, next.name);
        return {};
      },
    }),
    ...storedHandlers(name, operations, type),
  };
}

type RegistryRoutes = typeof tagRoutes & typeof unitIDTypeRoutes & typeof targetAppRoutes;

export function registryHandlers(operations: EntityOperations): Handlers<RegistryRoutes> {
  const tag = { kind: "tag", title: "Tag" } as const;
  const unitIDType = { kind: "unit_id_type", title: "Unit ID Type" } as const;
  const targetApp = { kind: "target_app", title: "Target app" } as const;
  const assigned = ["gates", "dynamicConfigs", "experiments"];
  return {
    ...handlersOf("Tag", operations, tag, { isCore: false }),
    ...handlersOf("UnitIDType", operations, unitIDType, {}),
    ...handlersOf("TargetApp", operations, targetApp, {}, assigned),
  };
}
