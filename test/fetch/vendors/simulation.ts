import { setTimeout as sleep } from "node:timers/promises";
import { DAY_MS, HOUR_MS } from "../../../src/base/day.js";
import type { Send } from "../../../src/fetch/http.js";
import { createRandom } from "../../support/random.js";
import { faultyNetwork } from "../faulty-network.js";
import { type ServedVendor, serveVendor } from "./serve-vendor.js";
import { SimulatedAmplitude, type UploadedEvent } from "./simulated-amplitude.js";
import { type DayEvent, SimulatedMixpanel } from "./simulated-mixpanel.js";
import { type ReceivedEvent, SimulatedPosthog } from "./simulated-posthog.js";
import { SimulatedPosthogQueries, type StoredEvent } from "./simulated-posthog-queries.js";

/** What a simulated vendor has, and how its network behaves. */
export interface SimulationPlan {
  /** Days before now that have events. */
  readonly days: number;
  readonly eventsAnHour: number;
  /** Share of requests that are refused, cut off or altered, from 0 to 1. */
  readonly faults: number;
  readonly seed: number;
  readonly port: number;
}

/** A vendor, and the variables that its keys are expected in. */
interface Simulation {
  readonly send: Send;
  readonly keys: Readonly<Record<string, string>>;
  /** Options of `fetch` beside the host. */
  readonly options: readonly string[];
}

/** One event in ten happened up to two days before it was uploaded, and one in twenty is uploaded twice. */
function amplitude({ days, eventsAnHour, seed }: SimulationPlan): Simulation {
  const random = createRandom(seed);
  const first = Math.floor(Date.now() / DAY_MS - days) * DAY_MS;
  const events: UploadedEvent[] = [];
  for (let number = 0; number < days * 24 * eventsAnHour; number += 1) {
    const uploaded = first + Math.floor((number / eventsAnHour) * HOUR_MS);
    const delay = random() * (random() < 0.1 ? 2 * DAY_MS : 60_000);
    const row = {
      event_type: ["page viewed", "item added", "purchase"][Math.floor(random() ** 2 * 3)],
      event_time: timeText(uploaded - delay),
      server_upload_time: timeText(uploaded),
      user_id: random() < 0.3 ? null : `user-${Math.floor(random() * 1_000)}`,
      device_id: `device-${Math.floor(random() * 1_500)}`,
      uuid: `uuid-${seed}-${number}`,
      $insert_id: `insert-${seed}-${number}`,
      event_properties: { page: `/products/${Math.floor(random() * 50)}`, number },
      user_properties: { plan: random() < 0.2 ? "paid" : "free" },
    };
    events.push({ uploaded, line: JSON.stringify(row) });
    if (random() < 0.05) {
      const again = JSON.stringify({ ...row, uuid: `${row.uuid}-again` });
      events.push({ uploaded: uploaded + Math.floor(random() * DAY_MS), line: again });
    }
  }
  const keys = { AMPLITUDE_API_KEY: "simulated-key", AMPLITUDE_SECRET_KEY: "simulated-secret" };
  const { AMPLITUDE_API_KEY: apiKey, AMPLITUDE_SECRET_KEY: secretKey } = keys;
  const vendor = new SimulatedAmplitude({ now: Date.now, events, apiKey, secretKey });
  return { send: vendor.send, keys, options: [] };
}

/** The project's days are those of UTC. */
function mixpanel({ days, eventsAnHour, seed }: SimulationPlan): Simulation {
  const random = createRandom(seed);
  const first = Math.floor(Date.now() / DAY_MS - days) * DAY_MS;
  const events: DayEvent[] = [];
  for (let number = 0; number < days * 24 * eventsAnHour; number += 1) {
    const time = first + Math.floor((number / eventsAnHour) * HOUR_MS);
    const user = `user-${Math.floor(random() * 1_000)}`;
    const properties = {
      time,
      distinct_id: user,
      $user_id: user,
      $insert_id: `insert-${seed}-${number}`,
      page: `/products/${Math.floor(random() * 50)}`,
    };
    const line = JSON.stringify({ event: random() < 0.8 ? "page viewed" : "purchase", properties });
    events.push({ time, line });
  }
  const keys = { MIXPANEL_USERNAME: "simulated-user", MIXPANEL_SECRET: "simulated-secret" };
  const { MIXPANEL_USERNAME: username, MIXPANEL_SECRET: secret } = keys;
  const vendor = new SimulatedMixpanel({ now: Date.now, events, project: "12", username, secret });
  return { send: vendor.send, keys, options: ["--project", "12"] };
}

function posthog({ days, eventsAnHour, seed }: SimulationPlan): Simulation {
  const random = createRandom(seed);
  const first = Math.floor(Date.now() / DAY_MS - days) * DAY_MS;
  const events: ReceivedEvent[] = [];
  for (let number = 0; number < days * 24 * eventsAnHour; number += 1) {
    const received = first + Math.floor((number / eventsAnHour) * HOUR_MS);
    const row = {
      uuid: `uuid-${seed}-${number}`,
      event: random() < 0.8 ? "$pageview" : "purchase",
      timestamp: new Date(received - random() * (random() < 0.1 ? DAY_MS : 60_000)).toISOString(),
      distinct_id: `user-${Math.floor(random() * 1_000)}`,
      properties: { $device_id: `device-${Math.floor(random() * 1_500)}`, number },
      person_properties: { plan: random() < 0.2 ? "paid" : "free" },
    };
    events.push({ received, line: JSON.stringify(row) });
  }
  const keys = { POSTHOG_PERSONAL_API_KEY: "phx_simulated" };
  const key = keys.POSTHOG_PERSONAL_API_KEY;
  const options = { events, random, key, project: "12", fileEvents: 5_000, workMs: 5_000 };
  const vendor = new SimulatedPosthog({ now: Date.now, ...options });
  return { send: vendor.send, keys, options: ["--project", "12"] };
}

/** A server without exports of files; one event in twenty comes a day late. */
function oldPosthog({ days, eventsAnHour, seed }: SimulationPlan): Simulation {
  const random = createRandom(seed);
  const first = Math.floor(Date.now() / DAY_MS - days) * DAY_MS;
  const events: StoredEvent[] = [];
  for (let number = 0; number < days * 24 * eventsAnHour; number += 1) {
    const time = first + Math.floor((number / eventsAnHour) * HOUR_MS);
    events.push({
      uuid: `uuid-${seed}-${number}`,
      time: timeText(time),
      distinctId: `user-${Math.floor(random() * 1_000)}`,
      properties: JSON.stringify({ $device_id: `device-${Math.floor(random() * 1_500)}`, number }),
      personProperties: JSON.stringify({ plan: random() < 0.2 ? "paid" : "free" }),
      arrives: time + (random() < 0.05 ? DAY_MS + HOUR_MS : 0),
    });
  }
  const keys = { POSTHOG_PERSONAL_API_KEY: "phx_simulated" };
  const about = { events, random, key: keys.POSTHOG_PERSONAL_API_KEY, project: "12" };
  const vendor = new SimulatedPosthogQueries({ now: Date.now, ...about });
  return { send: vendor.send, keys, options: ["--project", "12"] };
}

/** `2026-01-31 17:00:00.123000`, as Amplitude writes times. */
function timeText(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").replace("Z", "000");
}

const simulations = { amplitude, mixpanel, posthog, "posthog-old": oldPosthog };
export const simulatedVendors = Object.keys(simulations);

/** Serves a simulated vendor on loopback; returns how to fetch from it. */
export async function serveSimulation(
  name: string,
  plan: SimulationPlan,
): Promise<Pick<Simulation, "keys" | "options"> & ServedVendor> {
  const { send, keys, options } = simulations[name as keyof typeof simulations](plan);
  const random = createRandom(plan.seed + 1);
  const clock = {
    sleep: (ms: number, signal?: AbortSignal) => sleep(ms / 100, undefined, { signal }),
  };
  const network = faultyNetwork(send, { clock, random, share: plan.faults });
  return { keys, options, ...(await serveVendor(network, plan.port)) };
}
