import { say } from "../../ui/toasts.js";
import { ApiError } from "../api/client.js";
import type { Entity, EntityAnswer, Kind } from "../editing/kinds.js";
import { changes } from "../live.js";

interface SwitchOptions {
  /** Said after the new state. */
  readonly note?: string;
  readonly canUndo?: boolean;
}

/**
 * Turns an entity on or off at once, and offers to take it back. Neither happens on top of a version that
 * the user has not seen: then it says who has changed it.
 */
export async function switchEntity(
  kind: Kind,
  { id, name, version }: Pick<Entity, "id" | "name" | "version">,
  isOn: boolean,
  { note = "", canUndo = true }: SwitchOptions = {},
): Promise<EntityAnswer | undefined> {
  try {
    const ifMatch = String(version);
    const saved = await kind.operations.patch({ id, body: { isEnabled: isOn }, ifMatch });
    const undo = () => void switchEntity(kind, saved.data, !isOn, { canUndo: false });
    say(`${name} is ${isOn ? "on" : "off"}.${note}`, canUndo ? undo : undefined);
    return saved;
  } catch (error) {
    say(`The ${kind.noun} ${name} was not changed: ${await reasonOf(kind, id, error as Error)}`);
    return undefined;
  } finally {
    changes.value++;
  }
}

async function reasonOf({ operations }: Kind, id: string, error: Error): Promise<string> {
  if (!(error instanceof ApiError) || error.status !== 412) return error.message;
  const newer = await operations.read({ id }).catch(() => undefined);
  const { lastModifierName = null, isEnabled } = newer?.data ?? {};
  const state = isEnabled === undefined ? "" : ` It is ${isEnabled ? "on" : "off"} now.`;
  return `${lastModifierName ?? "Somebody"} has changed it meanwhile.${state} Look at it, then decide.`;
}
