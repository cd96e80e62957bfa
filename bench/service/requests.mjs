// The requests of the benchmark.
import { keys } from "./process.mjs";

export const eventPath = "/v1/webhooks/event_webhook";
export const gatesPath = "/console/v1/gates";

const json = { "content-type": "application/json" };
export const consoleHeaders = { ...json, "service-api-key": keys.SWITCHYARD_CONSOLE_KEY };
export const serverHeaders = { ...json, "service-api-key": keys.SWITCHYARD_SERVER_SECRET };

const DAY_MS = 86_400_000;

/** About 150 bytes, of one of 20 names on one of 5 days. */
function event(index) {
  return {
    event: `event_${index % 20}`,
    user: { userID: `user-${index}`, stableID: `device-${index}`, plan: "pro" },
    timestamp: Date.UTC(2024, 0, 1) + (index % 5) * DAY_MS + index,
    metadata: { page: "/checkout", button: "buy", position: index },
  };
}

/** One event, or an array of them. */
export function eventBody(count) {
  if (count === 1) return JSON.stringify(event(0));
  return JSON.stringify(Array.from({ length: count }, (_, index) => event(index)));
}

export const gateBody = (name) => ({
  name,
  description: "A gate of the benchmark",
  rules: [
    {
      name: "Staff first",
      passPercentage: 10,
      conditions: [{ type: "email", operator: "str_contains_any", targetValue: ["@example.com"] }],
    },
  ],
  tags: ["bench"],
});

export const gatePatch = JSON.stringify({ description: "Changed by the benchmark" });
