import { type Layer, layerDefaults, type layerRoutes } from "../contract/layer.js";
import type { Handlers } from "../http/handler.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityType } from "./entity-type.js";
import { lifecycleHandlers } from "./lifecycle-handlers.js";
import { plainHandlers } from "./plain-handlers.js";

const layerType: EntityType<Layer> = {
  kind: "layer",
  title: "Layer",
  idOf: ({ id }) => id,
  referencesOf: () => [],
};

export function layerHandlers(operations: EntityOperations): Handlers<typeof layerRoutes> {
  return {
    ...plainHandlers("Layer", operations, layerType, {
      defaults: { ...layerDefaults, isImplicitLayer: false, isArchived: false },
      lasting: ["idType", "isArchived"],
      derived: ({ parameters }) => ({
        defaultValue: Object.fromEntries(
          parameters.map(({ name, defaultValue }) => [name, defaultValue]),
        ),
      }),
    }),
    ...lifecycleHandlers("Layer", operations, layerType),
  };
}
