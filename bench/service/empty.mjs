// The baseline of the service: the same app with the same limits, hooks, parsing and metrics, but one
// public route that validates nothing and does nothing.
import { z } from "zod";
import { createApp } from "../../src/http/app.js";
import { createLogger } from "../../src/http/request-log.js";
import { eventPath } from "./requests.mjs";

const route = {
  method: "POST",
  path: eventPath,
  access: "public",
  group: "Empty",
  origin: "extension",
  summary: "Do nothing",
  params: z.object({}),
  query: z.object({}),
  body: z.unknown().optional(),
  status: 202,
  message: "",
  response: z.object({}),
};

const answer = { content: { success: true } };
const endpoints = {
  routes: { doNothing: route },
  createHandlers: () => ({ doNothing: async () => answer }),
};
const app = createApp(endpoints, { logger: createLogger("warn") });
// The public route needs no key and nothing else of a store.
app.open({ keys: undefined });
const url = await app.http.listen({ host: "127.0.0.1", port: 0 });
console.log(JSON.stringify({ url }));
process.on("SIGTERM", () => app.http.close());
