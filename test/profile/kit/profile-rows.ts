import type { Zone } from "../../../src/base/zone.js";
import type { Batch } from "../../../src/batch/batch.js";
import type { EventBatch } from "../../../src/batch/event-batch.js";
import { EventProfile } from "../../../src/profile/event-profile.js";
import { ProfileFold } from "../../../src/profile/profile-fold.js";
import { type ProfileLimits, profileLimits } from "../../../src/profile/profile-memory.js";
import type { SplitProfile } from "../../../src/profile/split-profile.js";
import { type EventRow, eventBatch, utc } from "../../sinks/event-rows.js";
import { usedKernel } from "../../support/used-kernel.js";

/** Start of the runs of tests. */
const NOW_MS = Date.UTC(2026, 0, 20);

/** Profiles are used again and again, as workers do: what is left in one would be found. */
const kernel = usedKernel();
const profiles = new Map<Zone, EventProfile>();

/** Samples: none that rank behind those of earlier calls for the zone. */
export function profileOf(zone: Zone): EventProfile {
  const known = profiles.get(zone) ?? new EventProfile(kernel, zone, NOW_MS);
  profiles.set(zone, known);
  known.clear(7);
  return known;
}

export function profileInKernel(
  batches: readonly (readonly EventRow[])[],
  profile = profileOf(utc),
): SplitProfile {
  for (const rows of batches) {
    const batch = eventBatch(kernel, rows);
    profile.take(withSource(batch), (_, row) => ({ source: "s", row: row + 1 }));
    // The profile must not point into a batch that is gone.
    kernel.bytes.fill(0xee, batch.event.starts, batch.event.starts + rows.length * 4);
    batch.free();
  }
  return profile.result();
}

/** The fold of these splits. */
export function foldOf(...profiles: readonly SplitProfile[]): ProfileFold {
  const fold = new ProfileFold(kernel);
  for (const profile of profiles) {
    fold.add(
      profile,
      profile.names.map(() => true),
    );
  }
  return fold;
}

/** The batch as if it came from a source, which is of no interest here. */
function withSource(events: EventBatch): EventBatch {
  const raw = {
    number: (row: number) => row + 1,
    offset: () => undefined,
    explain: () => "",
    bytes: (row: number) => new TextEncoder().encode(`raw ${row}`),
  };
  const batch: Batch = { rows: events.rows, columns: [], faults: 0, kernel, raw };
  return Object.defineProperties({} as EventBatch, {
    ...Object.getOwnPropertyDescriptors(events),
    batch: { value: batch },
    sourceRow: { value: (row: number) => row },
    explain: { value: (row: number) => `row ${row}` },
    trace: { value: () => [{ target: "event", from: ["name"], to: ["event"] }] },
  });
}

/** A profile with room for less. */
export function smallProfile(limits: Partial<ProfileLimits>): EventProfile {
  const profile = new EventProfile(kernel, utc, NOW_MS, {
    limits: { ...profileLimits, ...limits },
  });
  profile.clear(1);
  return profile;
}
