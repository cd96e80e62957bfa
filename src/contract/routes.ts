import { auditLogRoutes } from "./audit-log.js";
import { dynamicConfigRoutes } from "./dynamic-config.js";
import { environmentRoutes } from "./environments.js";
import { evaluationRoutes } from "./evaluation.js";
import { eventRoutes } from "./event.js";
import { experimentRoutes } from "./experiment.js";
import { experimentOverrideRoutes } from "./experiment-overrides.js";
import { experimentResultRoutes } from "./experiment-results.js";
import { experimentScheduleRoutes } from "./experiment-schedule.js";
import { gateRoutes } from "./gate.js";
import { gateOverrideRoutes } from "./gate-overrides.js";
import { holdoutRoutes } from "./holdout.js";
import { keyRoutes } from "./key.js";
import { layerRoutes } from "./layer.js";
import { liveRoutes } from "./live.js";
import { logEventRoutes } from "./log-event.js";
import { migrationRoutes } from "./migration.js";
import { ofrepRoutes } from "./ofrep.js";
import { projectRoutes } from "./project.js";
import { promptRoutes } from "./prompt.js";
import { qualifyingEventRoutes } from "./qualifying-event.js";
import { tagRoutes, targetAppRoutes, unitIDTypeRoutes } from "./registry.js";
import type { Route } from "./route.js";
import { scheduledChangeRoutes } from "./scheduled-change.js";
import { segmentRoutes } from "./segment.js";
import { sessionRoutes } from "./session.js";
import { staleGateRoutes } from "./stale-gates.js";
import { whatIfRoutes } from "./what-if.js";

/** Every endpoint, by the name of its operation. */
export const routes = {
  ...gateRoutes,
  ...gateOverrideRoutes,
  ...staleGateRoutes,
  ...dynamicConfigRoutes,
  ...experimentRoutes,
  ...experimentOverrideRoutes,
  ...experimentScheduleRoutes,
  ...experimentResultRoutes,
  ...qualifyingEventRoutes,
  ...segmentRoutes,
  ...promptRoutes,
  ...tagRoutes,
  ...unitIDTypeRoutes,
  ...targetAppRoutes,
  ...layerRoutes,
  ...holdoutRoutes,
  ...environmentRoutes,
  ...sessionRoutes,
  ...projectRoutes,
  ...keyRoutes,
  ...scheduledChangeRoutes,
  ...whatIfRoutes,
  ...auditLogRoutes,
  ...liveRoutes,
  ...migrationRoutes,
  ...eventRoutes,
  ...logEventRoutes,
  ...evaluationRoutes,
  ...ofrepRoutes,
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type OperationName = keyof Routes;
