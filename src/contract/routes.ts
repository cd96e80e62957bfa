import { gateRoutes } from "./gate-routes.js";
import type { Route } from "./route.js";

/** Every endpoint by the name of its operation. */
export const routes = { ...gateRoutes } as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type OperationName = keyof Routes;
