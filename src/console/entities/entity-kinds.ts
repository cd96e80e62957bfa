import { routes } from "../../contract/routes.js";
import type { ConsoleOperationName } from "../operation.js";
import type { Part, Settings, StateSteps } from "./entity-settings.js";
import * as state from "./entity-states.js";

/** A kind of entities in files. */
export interface EntityKindRow {
  /** The directory of its files; without `/`, the name of its only file. */
  readonly directory: string;
  /** The member that identifies an entity; none if there is only one. */
  readonly id?: "id" | "name";
  /** The parameter of paths that has it. */
  readonly parameter: "id" | "name";
  readonly list: ConsoleOperationName;
  readonly create?: ConsoleOperationName;
  readonly update: ConsoleOperationName;
  /** The call that `prune` makes. */
  readonly remove?: ConsoleOperationName;
  /** Fields of its state, which further calls set. */
  readonly stateFields: readonly string[];
  /** `found` is undefined for a new entity. */
  readonly state?: (wanted: Settings, found: Settings | undefined) => StateSteps;
  readonly parts: readonly Part[];
}

type ArchivedName =
  | "DynamicConfig"
  | "Segment"
  | "Prompt"
  | "QualifyingEvent"
  | "Layer"
  | "Holdout";

function archived<const Name extends ArchivedName>(directory: string, name: Name) {
  return {
    directory,
    id: name === "QualifyingEvent" || name === "Prompt" ? "name" : "id",
    parameter: name === "QualifyingEvent" ? "name" : "id",
    list: `list${name}s`,
    create: `create${name}`,
    update: `patch${name}`,
    remove: `archive${name}`,
    stateFields: ["isArchived"],
    state: state.archiving(`archive${name}`, `unarchive${name}`),
    parts: [],
  } as const satisfies EntityKindRow;
}

function registered<const Name extends "Tag" | "UnitIDType" | "TargetApp">(
  directory: string,
  name: Name,
) {
  return {
    directory,
    id: "name",
    parameter: "id",
    list: `list${name}s`,
    create: `create${name}`,
    update: `patch${name}`,
    remove: `delete${name}`,
    stateFields: [],
    parts: [],
  } as const satisfies EntityKindRow;
}

/** Every kind of entities, in the order of their creation where nothing they name says otherwise. */
export const entityKindRows: readonly EntityKindRow[] = [
  {
    directory: "environments",
    parameter: "id",
    list: "readEnvironments",
    update: "replaceEnvironments",
    stateFields: [],
    parts: [],
  },
  registered("target_apps", "TargetApp"),
  registered("unit_id_types", "UnitIDType"),
  registered("tags", "Tag"),
  archived("layers", "Layer"),
  { ...archived("segments", "Segment"), parts: [state.segmentIDs] },
  {
    directory: "gates",
    id: "id",
    parameter: "id",
    list: "listGates",
    create: "createGate",
    update: "patchGate",
    remove: "archiveGate",
    stateFields: ["isEnabled", "status"],
    state: state.gateState,
    parts: [state.overridesOf("readGateOverrides", "replaceGateOverrides")],
  },
  archived("holdouts", "Holdout"),
  archived("dynamic_configs", "DynamicConfig"),
  {
    directory: "experiments",
    id: "id",
    parameter: "id",
    list: "listExperiments",
    create: "createExperiment",
    update: "patchExperiment",
    remove: "archiveExperiment",
    stateFields: ["status"],
    state: state.experimentState,
    parts: [
      state.overridesOf("readExperimentOverrides", "replaceExperimentOverrides"),
      state.scheduledTime,
    ],
  },
  { ...archived("prompts", "Prompt"), parts: [state.promptPublished, state.promptContent] },
  archived("qualifying_events", "QualifyingEvent"),
];

/** Written by the service, or about the writer: another service would say something else. */
const unwritten: ReadonlySet<string> = new Set(["creatorID", "creatorEmail", "owner", "dryRun"]);

/** Lists that must be empty. */
const unassigned: ReadonlySet<string> = new Set(["gates", "dynamicConfigs", "experiments"]);

/** Returns the fields of a file, apart from state and parts, in their order. */
export function fieldsOf({ directory, create, update, id }: EntityKindRow): readonly string[] {
  const shape = Object.keys({ ...(id && { [id]: 0 }), ...bodyShape(create ?? update) });
  const isLeftOut = (field: string) =>
    unwritten.has(field) || (directory === "target_apps" && unassigned.has(field));
  return shape.filter((field) => !isLeftOut(field));
}

/** Returns the fields that the body of an operation has. */
export function bodyShape(operation: ConsoleOperationName): Readonly<Record<string, unknown>> {
  const { body } = routes[operation];
  return "shape" in body ? (body.shape as Record<string, unknown>) : {};
}

/** A file as it was read: its content, or why there is none. */
export interface GivenFile {
  readonly file: string;
  readonly row: EntityKindRow;
  readonly content?: unknown;
  readonly fault?: string;
}
