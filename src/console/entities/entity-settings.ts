import type { ConsoleClient } from "../client.js";
import type { ConsoleOperationName } from "../operation.js";

/** The fields of an entity that clients write, as a file has them. */
export type Settings = Readonly<Record<string, unknown>>;

/** A call that brings an entity nearer to its settings. */
export interface Step {
  readonly operation: ConsoleOperationName;
  /** The body. A function gets the entity's version, which the step before has made. */
  readonly body?: unknown | ((version: number) => unknown);
  /** The version that a part of the entity must have; by default, that of the entity itself. */
  readonly partVersion?: number;
}

/** An entity of a console, with what belongs to it. */
export interface FoundEntity {
  readonly id: string;
  readonly version: number;
  readonly settings: Settings;
  /** Versions of its parts by field. */
  readonly partVersions: Readonly<Record<string, number>>;
}

/** Fields that are not in the entity itself. */
export interface Part {
  readonly field: string;
  /** Reads the field, and its version if it has one of its own; undefined if there is nothing to say. */
  read(client: ConsoleClient, id: string, entity: Settings): Promise<PartValue | undefined>;
  /** Returns the calls that set it. */
  steps(wanted: Settings, found: FoundEntity | undefined): readonly Step[];
}

export interface PartValue {
  readonly value: unknown;
  readonly version?: number;
}

/** The calls that bring an entity from one state to another: those before its other fields, and after. */
export interface StateSteps {
  readonly before: readonly Step[];
  readonly after: readonly Step[];
  /** The settings of the entity after the first ones. */
  readonly settings?: Settings;
}
