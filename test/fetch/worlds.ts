import { DateTime } from "luxon";
import { expect } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/base/day.js";
import type { Send } from "../../src/fetch/http.js";
import type { Vendor } from "../../src/fetch/vendor.js";
import { amplitude } from "../../src/fetch/vendors/amplitude.js";
import { mixpanel } from "../../src/fetch/vendors/mixpanel.js";
import { posthog } from "../../src/fetch/vendors/posthog.js";
import { posthogQueries } from "../../src/fetch/vendors/posthog-queries.js";
import type { Window } from "../../src/fetch/windows.js";
import { SimulatedAmplitude, type UploadedEvent } from "./vendors/simulated-amplitude.js";
import { type DayEvent, SimulatedMixpanel } from "./vendors/simulated-mixpanel.js";
import { type ReceivedEvent, SimulatedPosthog } from "./vendors/simulated-posthog.js";
import {
  exportedLine,
  SimulatedPosthogQueries,
  type StoredEvent,
} from "./vendors/simulated-posthog-queries.js";
import type { VirtualClock } from "./virtual-clock.js";

/** Mixpanel has events of a day for days after it. */
const LATE_MS = 5 * DAY_MS;

/** A vendor with its events, and what its files must hold. */
export interface World {
  readonly vendor: Vendor;
  readonly send: Send;
  /** Returns the lines of the events of a span that the vendor has at a time. */
  wanted(span: Window, at: number): readonly string[];
  /** Returns the lines that it has or has had until a time, if that is more. */
  possible?(span: Window, at: number): readonly string[];
  /** Set if events come to days that were fetched, for up to this time. */
  readonly lateMs?: number;
  disconnect(): void;
  /** Checks that the vendor's limits were kept. */
  requireLimits(): void;
}

export function amplitudeWorld(
  random: () => number,
  days: number,
  clock: VirtualClock,
  first: number,
): World {
  const events: UploadedEvent[] = [];
  const count = Math.floor(random() * 60);
  for (let number = 0; number < count; number++) {
    // Some hours have many events, and the edges of hours are frequent.
    const hour = Math.floor(random() ** 2 * days * 24);
    const edge = [0, HOUR_MS - 1, Math.floor(random() * HOUR_MS)][Math.floor(random() * 3)] ?? 0;
    const uploaded = first + hour * HOUR_MS + edge;
    const padding = "x".repeat(Math.floor(random() * 2_000));
    events.push({ uploaded, line: JSON.stringify({ uuid: `e${number}`, padding }) });
  }
  const bytesMax = 500 + random() * 20_000;
  const simulation = new SimulatedAmplitude({ now: () => clock.now(), events, bytesMax });
  const origin = "https://amplitude.com";
  const vendor = amplitude({ apiKey: "key", secretKey: "secret", origin });
  return {
    vendor,
    send: simulation.send,
    wanted: ({ start, end }) =>
      events.filter(({ uploaded }) => uploaded >= start && uploaded < end).map(({ line }) => line),
    disconnect: () => simulation.disconnect(),
    requireLimits: () => expect(simulation.busiest).toBeLessThanOrEqual(vendor.concurrency),
  };
}

const zones = [
  "UTC",
  "America/Los_Angeles",
  "Europe/Berlin",
  "America/St_Johns",
  "Pacific/Kiritimati",
  "Etc/GMT+12",
];

/** A project of any zone; those from before 2023 count the wall clock as if it were UTC. */
export function mixpanelWorld(
  random: () => number,
  days: number,
  clock: VirtualClock,
  first: number,
): World {
  const zone = zones[Math.floor(random() * zones.length)] ?? "UTC";
  const isOld = random() < 0.5;
  const events: Required<DayEvent & { readonly day: string }>[] = [];
  const count = Math.floor(random() * 200);
  for (let number = 0; number < count; number++) {
    const middle = DateTime.fromMillis(first + 12 * HOUR_MS, { zone: "UTC" })
      .setZone(zone, { keepLocalTime: true })
      .plus({ days: Math.floor(random() ** 2 * days) });
    // Days have 23 or 25 hours where clocks change, and the edges of days are frequent.
    const edges = [
      middle.startOf("day"),
      middle.endOf("day"),
      middle.startOf("day").plus({ hours: 2 }),
    ];
    const local = edges[Math.floor(random() * 4)] ?? middle.plus({ minutes: random() * 700 });
    const time = local.toMillis();
    const shown = isOld ? time + local.offset * 60_000 : time;
    const padding = "x".repeat(Math.floor(random() * 200));
    const id = random() < 0.7 ? { $insert_id: `i${number}` } : {};
    const row = { event: `e${number % 40}`, properties: { time: shown, ...id }, padding };
    const arrives = time + random() * (random() < 0.2 ? LATE_MS : 0);
    // A row without an insert id may be there several times.
    const copies = random() < 0.05 ? 2 : 1;
    const one = { day: local.toISODate() ?? "", time, line: JSON.stringify(row), arrives };
    for (let copy = 0; copy < copies; copy += 1) events.push(one);
  }
  const simulation = new SimulatedMixpanel({ now: () => clock.now(), events, random, zone });
  const about = { username: "user", secret: "secret", project: "12", region: "us" } as const;
  const vendor = mixpanel({ ...about, origin: "https://data.mixpanel.com" });
  return {
    // Answers as small as these would all fit into one.
    vendor: { ...vendor, answerBytes: 200 + random() * 5_000 },
    send: simulation.send,
    lateMs: LATE_MS,
    wanted: ({ start, end }, at) =>
      events
        .filter(({ day, time, arrives }) => {
          const midnight = Date.parse(`${day}T00:00:00Z`);
          // A day that can be fetched is over: it has all events that did not come late.
          return midnight >= start && midnight < end && (arrives <= at || arrives === time);
        })
        .map(({ line }) => line),
    disconnect: () => undefined,
    requireLimits: () => expect(simulation.limited).toBe(0),
  };
}

export function posthogWorld(
  random: () => number,
  days: number,
  clock: VirtualClock,
  first: number,
): World {
  const events: ReceivedEvent[] = [];
  const count = Math.floor(random() * 150);
  for (let number = 0; number < count; number++) {
    const hour = Math.floor(random() ** 2 * days * 24);
    const edge = [0, HOUR_MS - 1, Math.floor(random() * HOUR_MS)][Math.floor(random() * 3)] ?? 0;
    const padding = "x".repeat(Math.floor(random() * 100));
    const received = first + hour * HOUR_MS + edge;
    // PostHog may have an event twice; each row is one of its rows.
    const uuid = `e${random() < 0.1 ? 0 : number}`;
    events.push({ received, line: JSON.stringify({ uuid, padding }) });
  }
  const isOld = random() < 0.2;
  const fileEvents = 1 + Math.floor(random() * 40);
  // Each hour can be exported.
  const inHours = new Array<number>(days * 24).fill(0);
  for (const { received } of events) {
    const hour = Math.floor((received - first) / HOUR_MS);
    inHours[hour] = (inHours[hour] ?? 0) + 1;
  }
  const slowEvents = Math.max(...inHours) + 1 + Math.floor(random() * 40);
  const about = { random, faults: 0.1, fileEvents, slowEvents, isOld };
  const simulation = new SimulatedPosthog({ now: () => clock.now(), events, ...about });
  const origin = "https://us.posthog.com";
  const vendor = posthog({ key: "phx_key", project: "12", origin });
  return {
    vendor: { ...vendor, answerBytes: 200 + random() * 5_000 },
    send: simulation.send,
    wanted: ({ start, end }) =>
      events.filter(({ received }) => received >= start && received < end).map(({ line }) => line),
    disconnect: () => undefined,
    requireLimits: () => expect(simulation.limited).toBe(0),
  };
}

/** An old server, with rows that it has twice until it merges them. */
export function queriesWorld(
  random: () => number,
  days: number,
  clock: VirtualClock,
  first: number,
): World {
  const events: StoredEvent[] = [];
  const count = Math.floor(random() * 150);
  for (let number = 0; number < count; number++) {
    const hour = Math.floor(random() ** 2 * days * 24);
    // Many rows have one time, and windows have rows at their very edges.
    const minute = Math.floor(random() * 3) * 20;
    const fraction = ["00.000000", "59.999999", "00.000001"][Math.floor(random() * 3)];
    const received = first + hour * HOUR_MS + minute * 60_000;
    const arrives = received + random() * (random() < 0.2 ? LATE_MS : HOUR_MS);
    const event = {
      uuid: `${Math.floor(random() * 1e9).toString(16)}-${number}`,
      time: `${new Date(received).toISOString().slice(0, 17).replace("T", " ")}${fraction}`,
      distinctId: `it's ${number}`,
      properties: `{"number": ${number},\n "text": "x\\ny"}`,
      personProperties: "{}",
    };
    events.push({ ...event, arrives });
    const merges = arrives + random() * 4 * DAY_MS;
    if (random() < 0.2) events.push({ ...event, arrives, merges });
  }
  const about = { random, faults: 0.03, slowRows: 20 + Math.floor(random() * 60) };
  const simulation = new SimulatedPosthogQueries({ now: () => clock.now(), events, ...about });
  const options = { key: "phx_key", project: "12", origin: "https://posthog.example" };
  const older = posthogQueries(options, 3 + Math.floor(random() * 20));
  const inSpan = ({ start, end }: Window) => {
    const [first, last] = [start, end].map((ms) =>
      new Date(ms).toISOString().slice(0, -1).replace("T", " "),
    );
    return events.filter(({ time }) => time >= (first ?? "") && time < (last ?? ""));
  };
  return {
    vendor: { ...posthog(options), older: { ...older, answerBytes: 200 + random() * 5_000 } },
    send: simulation.send,
    lateMs: LATE_MS,
    wanted: (span, at) =>
      inSpan(span)
        // Rows that are merged during a run may be in it or not.
        .filter(
          ({ arrives = 0, merges }) => arrives <= at && (merges ?? clock.now() + 1) > clock.now(),
        )
        .map(exportedLine),
    possible: (span, at) =>
      inSpan(span)
        .filter(({ arrives = 0 }) => arrives <= at)
        .map(exportedLine),
    disconnect: () => simulation.disconnect(),
    requireLimits: () => expect(simulation.limited).toBe(0),
  };
}
