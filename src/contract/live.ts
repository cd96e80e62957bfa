import { z } from "zod";
import { consoleRoutes, extension, noParams, noQuery, type Route } from "./route.js";

const onLive = consoleRoutes("Live", "/console/v1/live", noParams);

/** Stored events and accepted writes as they happen, as server-sent events. */
export const liveRoutes = {
  watchService: onLive("GET", "", "Follow stored events and accepted writes as they happen", {
    ...extension,
    mediaType: "text/event-stream",
    message: "",
    query: noQuery,
    response: z.string(),
  }),
} satisfies Record<string, Route>;
