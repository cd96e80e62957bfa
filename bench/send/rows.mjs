// The input of the sending benchmark, and the event that autocannon sends again and again.
import { writeFileSync } from "node:fs";

const SLICE = 20_000;
const time = "2026-01-31 12:00:00.000000";

const row = (index) => ({
  event_type: `event_${index % 13}`,
  event_time: time,
  user_id: `customer-${index % 5000}`,
  device_id: `device-${index % 9000}`,
  event_properties: { index, page: `/tea/${index % 17}`, price: (index % 9999) / 100 },
  user_properties: { plan: index % 2 === 0 ? "free" : "yearly" },
});

/** Amplitude rows of 0.2 KB. */
export function writeRows(target, count) {
  for (let first = 0; first < count; first += SLICE) {
    const size = Math.min(SLICE, count - first);
    const lines = Array.from({ length: size }, (_, index) => JSON.stringify(row(first + index)));
    writeFileSync(target, `${lines.join("\n")}\n`, { flag: first === 0 ? "w" : "a" });
  }
}

/** The body that a row becomes: an event, or an array of several. */
export function eventBody(count) {
  const events = Array.from({ length: count }, (_, index) => {
    const { event_type: event, user_id: userID, device_id: stableID, ...rest } = row(index);
    return {
      event,
      timestamp: Date.parse(`${time.slice(0, 19).replace(" ", "T")}Z`),
      user: { userID, stableID, ...rest.user_properties },
      metadata: rest.event_properties,
    };
  });
  return JSON.stringify(count === 1 ? events[0] : events);
}
