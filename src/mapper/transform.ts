import { Console } from "node:console";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { UsageError } from "../base/errors.js";

/**
 * The argument of a transform: fresh objects that it may change. Numbers that a double would not write
 * back with the same digits are BigInt (integers) or `LosslessNumber` of lossless-json.
 */
export interface TransformEvent {
  event: string;
  /** Milliseconds since 1970 UTC. */
  timestamp: number;
  /** `userID` and `stableID`, if present, and the user's properties. */
  user: Record<string, unknown>;
  metadata: Record<string, unknown>;
  /** Text or a number, if present. */
  value?: unknown;
  /**
   * The id that tells a repeated event from another one, if the mapping has one and the output needs it.
   * A result without it has the id of the row; null removes it.
   */
  insertID?: unknown;
}

/**
 * Returns the event to deliver, a list of events, or null for none. Called for each row that passes the
 * mapping and the filters. Must not be asynchronous.
 */
export type Transform = (event: TransformEvent) => unknown;

/**
 * Loads the transform of a user's module: its default export, or its export `transform`. Throws
 * `UsageError` if the module cannot be loaded or has no such export.
 */
export async function loadTransform(path: string): Promise<Transform> {
  const { default: unnamed, transform: named } = await importModule(path);
  const transform = unnamed ?? named;
  if (typeof transform !== "function") {
    throw new UsageError(
      "transform_not_function",
      `${path} does not export a transform. ` +
        "Export a function that takes an event and returns an event, a list of events or null, " +
        "as default or under the name transform.",
    );
  }
  return transform as Transform;
}

async function importModule(path: string): Promise<Record<string, unknown>> {
  const { console } = globalThis;
  // Standard output is for events and results; a module logs to standard error.
  globalThis.console = new Console(process.stderr);
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError("transform_not_loaded", `${path} cannot be loaded: ${reason}`, {
      cause: error,
    });
  } finally {
    if (isMainThread) globalThis.console = console;
  }
}
