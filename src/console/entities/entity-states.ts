import { isDeepStrictEqual } from "node:util";
import type { ConsoleClient } from "../client.js";
import type { ConsoleOperationName } from "../operation.js";
import type { FoundEntity, PartValue, Settings, StateSteps, Step } from "./entity-settings.js";

/** Ids of a segment in one request. */
const IDS_PER_REQUEST_MAX = 50_000;

const nothing: StateSteps = { before: [], after: [] };

/** Returns the state of entities that are archived or not. */
export function archiving(archive: ConsoleOperationName, unarchive: ConsoleOperationName) {
  return (wanted: Settings, found: Settings | undefined): StateSteps => {
    const [isWanted, isNow] = [wanted["isArchived"], found?.["isArchived"] === true];
    if (isWanted === undefined || isWanted === isNow) return nothing;
    const step = isWanted ? archiveStep(archive) : { operation: unarchive };
    return { before: [], after: [step] };
  };
}

function archiveStep(operation: ConsoleOperationName): Step {
  return { operation, body: { forceArchive: true } };
}

/** A status follows from the calls that were made: enabled, disabled, launched or archived. */
export function gateState(wanted: Settings, found: Settings | undefined): StateSteps {
  const isEnabled = (found ?? wanted)["isEnabled"] !== false;
  const created = isEnabled ? "In Progress" : "Disabled";
  const now = { isEnabled, status: found?.["status"] ?? created };
  const { isEnabled: wantsEnabled = now.isEnabled, status = undefined } = wanted;
  if (status === undefined) {
    if (wantsEnabled === now.isEnabled) return nothing;
    return { before: [], after: [{ operation: "patchGate", body: { isEnabled: wantsEnabled } }] };
  }
  if (status === now.status && wantsEnabled === now.isEnabled) return nothing;
  const switched: Step[] =
    wantsEnabled === now.isEnabled
      ? []
      : [{ operation: "patchGate", body: { isEnabled: wantsEnabled } }];
  const after = (): readonly Step[] => {
    switch (status) {
      case "Launched":
        return [...switched, { operation: "launchGate" }];
      case "Archived":
        return [...switched, archiveStep("archiveGate")];
      case "In Progress":
        return wantsEnabled === false
          ? [{ operation: "enableGate" }, { operation: "disableGate" }]
          : [{ operation: "enableGate" }];
      default:
        return [{ operation: "patchGate", body: { isEnabled: wantsEnabled } }];
    }
  };
  return { before: [], after: after() };
}

/** The statuses of an experiment in the order that it goes through them. Some are skipped. */
const ranks: Readonly<Record<string, number>> = {
  setup: 0,
  active: 1,
  assignment_stopped: 2,
  experiment_stopped: 3,
  decision_made: 4,
  abandoned: 4,
  archived: 5,
};

/** An experiment only goes on. To go back, it is reset first. */
export function experimentState(wanted: Settings, found: Settings | undefined): StateSteps {
  const now = String(found?.["status"] ?? "setup");
  const status = String(wanted["status"] ?? now);
  const [from = 0, to = 0] = [ranks[now], ranks[status]];
  if (now === status) return nothing;
  const patch = (to: string): Step => ({ operation: "patchExperiment", body: { status: to } });
  const goes = (start: number): readonly Step[] => {
    if (to === 0) return [];
    return start === 0 && to > 1 && to < 5 ? [patch("active"), patch(status)] : [patch(status)];
  };
  if (to > from) return { before: [], after: goes(from) };
  const settings = { ...found, status: "setup", launchedGroupID: null, decisionReason: "" };
  return { before: [{ operation: "resetExperiment" }], after: goes(0), settings };
}

type ReadPart = (input: { readonly id: string }) => Promise<{ readonly data: Settings }>;

function partReader(client: ConsoleClient, operation: ConsoleOperationName): ReadPart {
  return client[operation] as unknown as ReadPart;
}

/** Fields of parts that are not their settings. */
const partFacts = /^(?:id|name|version|owner|createdTime|creator\w+|lastModif\w+)$/;

interface Group {
  readonly id?: string;
  readonly name?: string;
}

/** Returns overrides as the service stores them: with defaults, ids of groups, and each unit once. */
function plainOverrides(overrides: unknown, groups: unknown): Settings {
  const known = Array.isArray(groups) ? (groups as readonly Group[]) : [];
  const groupOf = (given: unknown) =>
    known.find(({ id }) => id === given)?.id ??
    known.find(({ name }) => name === given)?.id ??
    given;
  const plainItem = (item: unknown): unknown => {
    if (typeof item !== "object" || item === null) return item;
    const { environment = null, groupID, unitID, unitType, ...rest } = item as Settings;
    const ofGroup = groupID !== undefined;
    return {
      ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, once(value)])),
      environment,
      ...(ofGroup ? { groupID: groupOf(groupID) } : { unitID: unitID ?? "userID" }),
      ...(ofGroup && "ids" in rest ? { unitType: unitType ?? "userID" } : {}),
    };
  };
  const lists = Object.entries((overrides ?? {}) as Settings).flatMap(([name, list]) => {
    const items = once(Array.isArray(list) ? list.map(plainItem) : list);
    return Array.isArray(items) && items.length === 0 ? [] : [[name, items] as const];
  });
  return Object.fromEntries(lists);
}

function once(value: unknown): unknown {
  return Array.isArray(value) ? [...new Set(value)] : value;
}

/** Returns the overrides of gates or experiments. */
export function overridesOf(read: ConsoleOperationName, replace: ConsoleOperationName) {
  return {
    field: "overrides",
    async read(client: ConsoleClient, id: string): Promise<PartValue | undefined> {
      const { data } = await partReader(client, read)({ id });
      const value = Object.fromEntries(
        Object.entries(data).filter(([field]) => !partFacts.test(field)),
      );
      const version = Number(data["version"]);
      const isEmpty = Object.values(value).every(
        (list) => (list as readonly unknown[]).length === 0,
      );
      return { value: isEmpty ? undefined : value, version };
    },
    steps(wanted: Settings, found: FoundEntity | undefined): readonly Step[] {
      const { overrides, groups = found?.settings["groups"] } = wanted;
      const plain = (value: unknown) => plainOverrides(value, groups);
      if (isDeepStrictEqual(plain(overrides), plain(found?.settings["overrides"]))) return [];
      const partVersion = found?.partVersions["overrides"] ?? 0;
      return [{ operation: replace, body: overrides, partVersion }];
    },
  };
}

/** The scheduled start of an experiment. */
export const scheduledTime = {
  field: "scheduledTime",
  async read(client: ConsoleClient, id: string): Promise<PartValue | undefined> {
    const { data } = await client.readExperimentSchedule({ id });
    return { value: data.scheduledTime ?? undefined, version: data.version };
  },
  steps(wanted: Settings, found: FoundEntity | undefined): readonly Step[] {
    const { scheduledTime } = wanted;
    if ((scheduledTime ?? undefined) === found?.settings["scheduledTime"]) return [];
    const partVersion = found?.partVersions["scheduledTime"] ?? 0;
    return scheduledTime === null
      ? [{ operation: "cancelExperimentStart", partVersion }]
      : [{ operation: "scheduleExperimentStart", body: { scheduledTime }, partVersion }];
  },
};

/** The list of a segment, in the order of its bytes. */
export const segmentIDs = {
  field: "ids",
  async read(client: ConsoleClient, id: string, { type, count }: Settings) {
    if (type !== "id_list" && type !== "user_store_id_list") return undefined;
    const value: string[] = [];
    if (count !== 0) {
      for await (const one of client.all("listSegmentIDs", { id, limit: 1_000 })) value.push(one);
    }
    return { value };
  },
  steps(wanted: Settings, found: FoundEntity | undefined): readonly Step[] {
    const ids = wanted["ids"] as readonly string[];
    const before = (found?.settings["ids"] ?? []) as readonly string[];
    const known = new Set(before);
    const given = new Set(ids);
    if (known.size === given.size && ids.every((id) => known.has(id))) return [];
    const steps: Step[] = [];
    for (let start = 0; start === 0 || start < ids.length; start += IDS_PER_REQUEST_MAX) {
      const operation = start === 0 ? "resetSegmentIDs" : "addSegmentIDs";
      steps.push({ operation, body: { ids: ids.slice(start, start + IDS_PER_REQUEST_MAX) } });
    }
    return steps;
  },
};

/** The newest content of a prompt; set together with the published one. */
export const promptContent = {
  field: "content",
  read: async (_: ConsoleClient, __: string, { content }: Settings) => ({
    value: content ?? undefined,
  }),
  steps: (wanted: Settings, found: FoundEntity | undefined): readonly Step[] => {
    const { content, published } = wanted;
    const isPublished =
      published !== undefined && !isDeepStrictEqual(published, found?.settings["published"]);
    // To publish it makes it the newest one.
    const newest = isPublished ? published : found?.settings["content"];
    return isDeepStrictEqual(content, newest)
      ? []
      : [{ operation: "createPromptVersion", body: content }];
  },
};

/** The published content of a prompt, without its version. */
export const promptPublished = {
  field: "published",
  read: async (_: ConsoleClient, __: string, { published }: Settings) => ({
    value: (published as { readonly content: unknown } | null)?.content,
  }),
  steps: (wanted: Settings, found: FoundEntity | undefined): readonly Step[] =>
    isDeepStrictEqual(wanted["published"], found?.settings["published"])
      ? []
      : [
          { operation: "createPromptVersion", body: wanted["published"] },
          { operation: "publishPrompt", body: (version: number) => ({ version }) },
        ],
};
