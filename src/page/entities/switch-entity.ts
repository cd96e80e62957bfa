import { say } from "../../ui/toasts.js";
import type { Entity, Kind } from "../editing/kinds.js";
import { changes } from "../live.js";

/** Turns an entity on or off at once, and offers to take it back. */
export async function switchEntity(
  kind: Kind,
  { id, name }: Pick<Entity, "id" | "name">,
  isOn: boolean,
  canUndo = true,
): Promise<void> {
  try {
    await kind.operations.patch({ id, body: { isEnabled: isOn } });
  } catch (error) {
    say(`The ${kind.noun} ${name} was not changed: ${(error as Error).message}`);
    return;
  }
  changes.value++;
  const undo = () => void switchEntity(kind, { id, name }, !isOn, false);
  say(`${name} is ${isOn ? "on" : "off"}.`, canUndo ? undo : undefined);
}
