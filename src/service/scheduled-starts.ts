import type { Experiment } from "../contract/experiment.js";
import type {
  ExperimentSchedule,
  experimentScheduleRoutes,
} from "../contract/experiment-schedule.js";
import type { Handlers } from "../http/handler.js";
import { invalid, refuseFaults, ServiceError } from "../http/service-error.js";
import type { KeyStore } from "../storage/key-store.js";
import type { EntityStore } from "../storage/store.js";
import type { EntityOperations } from "./entity-operations.js";
import type { EntityBody, PartType } from "./entity-type.js";
import { experimentType, startFaults, stepped } from "./experiment-states.js";
import type { WriteFacts } from "./write-facts.js";

/** Stands in the audit log for the id of a request. */
const SCHEDULE_REQUEST = "schedule";

/** Schedules that are read at once. */
const READ_AT_ONCE = 200;

type ScheduleBody = EntityBody & ExperimentSchedule;

const scheduleType: PartType<ScheduleBody, Experiment> = {
  kind: "experiment_schedule",
  title: "Experiment schedule",
  idOf: ({ id }) => id,
  referencesOf: () => [],
  ownerType: experimentType,
  initial: { scheduledTime: null },
};

export function experimentScheduleHandlers(
  operations: EntityOperations,
  now: () => number,
): Handlers<typeof experimentScheduleRoutes> {
  return {
    scheduleExperimentStart: (call) =>
      operations.changePart(scheduleType, call.params.id, call, (current, owner) => {
        const { status } = owner;
        refuseFaults(startFaults("setup", "active", owner));
        const scheduledTime = Number(call.body.scheduledTime);
        const fault =
          status === "setup"
            ? scheduledTime > now()
              ? undefined
              : "Must be in the future: start the experiment instead"
            : `Only an experiment in setup can be scheduled; this one is ${status}`;
        if (fault !== undefined)
          throw invalid([{ property: "scheduledTime", errorMessage: fault }]);
        return { ...current, scheduledTime };
      }),
    readExperimentSchedule: ({ params: { id } }) => operations.readPart(scheduleType, id),
    cancelExperimentStart: (call) =>
      operations.changePart(scheduleType, call.params.id, call, unscheduled),
  };
}

function unscheduled(current: ScheduleBody): ScheduleBody {
  return { ...current, scheduledTime: null };
}

interface ScheduledStartsOptions {
  readonly entities: Pick<EntityStore, "latestChange" | "list">;
  readonly keys: Pick<KeyStore, "list">;
  readonly operations: EntityOperations;
  /** Returns ms since the epoch. */
  now(): number;
  /** Gets starts that are refused, and errors of the store; those are tried again. */
  onFailed(error: unknown, experimentID: string | undefined): void;
}

/**
 * Starts experiments at their scheduled times, also those that passed while the service was stopped. The
 * writer is the key that scheduled the start.
 */
export class ScheduledStarts {
  readonly #options: ScheduledStartsOptions;
  /** The newest write of the store when `#schedules` was read. */
  #sequence = -1;
  #schedules: readonly ScheduleBody[] = [];

  constructor(options: ScheduledStartsOptions) {
    this.#options = options;
  }

  /** Makes the starts that are due. */
  async check(): Promise<void> {
    await this.#readChanged();
    if (this.#schedules.length === 0) return;
    const time = this.#options.now();
    for (const schedule of this.#schedules) {
      if (Number(schedule.scheduledTime) <= time) await this.#start(schedule);
    }
  }

  async #readChanged(): Promise<void> {
    const { entities } = this.#options;
    const { sequence } = entities.latestChange();
    if (sequence === this.#sequence) return;
    const found: ScheduleBody[] = [];
    for (let start = 0; ; ) {
      const slice = { start, count: READ_AT_ONCE };
      const { items, totalItems } = await entities.list("experiment_schedule", slice);
      for (const { bodyText } of items) {
        const body = JSON.parse(bodyText) as ScheduleBody;
        if (body.scheduledTime !== null) found.push(body);
      }
      start += items.length;
      if (items.length === 0 || start >= totalItems) break;
    }
    this.#schedules = found;
    this.#sequence = sequence;
  }

  async #start({ id, version, lastModifierID }: ScheduleBody): Promise<void> {
    const { operations, keys, onFailed } = this.#options;
    // Keys are revoked, but never removed.
    const caller = (await keys.list()).find((key) => key.id === lastModifierID);
    if (caller === undefined) return;
    const facts: WriteFacts = { caller, requestID: SCHEDULE_REQUEST, ifMatch: undefined };
    try {
      await operations.change(experimentType, id, facts, (current, { time }) => {
        // A start that a crash has cut off from the end of its schedule is not made again.
        if (current.status === "active") throw alreadyActive;
        return stepped(current, "active", time);
      });
    } catch (error) {
      if (error !== alreadyActive) onFailed(error, id);
      if (error !== alreadyActive && !(error instanceof ServiceError)) return;
    }
    // A schedule that has changed meanwhile stays.
    const ifMatch = [String(version)];
    await operations
      .changePart(scheduleType, id, { ...facts, ifMatch }, unscheduled)
      .catch((error) => {
        if (!(error instanceof ServiceError)) throw error;
      });
  }
}

const alreadyActive = new Error("the experiment is active already");
