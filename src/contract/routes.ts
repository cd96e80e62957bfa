import { dynamicConfigRoutes } from "./dynamic-config-routes.js";
import { eventRoutes } from "./event-routes.js";
import { experimentRoutes } from "./experiment-routes.js";
import { gateRoutes } from "./gate-routes.js";
import { promptRoutes } from "./prompt-routes.js";
import { qualifyingEventRoutes } from "./qualifying-event-routes.js";
import type { Route } from "./route.js";
import { segmentRoutes } from "./segment-routes.js";

/** Every endpoint by the name of its operation. */
export const routes = {
  ...gateRoutes,
  ...dynamicConfigRoutes,
  ...experimentRoutes,
  ...qualifyingEventRoutes,
  ...segmentRoutes,
  ...promptRoutes,
  ...eventRoutes,
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type OperationName = keyof Routes;
