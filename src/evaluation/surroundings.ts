import { ENVIRONMENTS_ID, type Environments, environmentNames } from "../contract/environments.js";
import type { StoredEntities } from "./cycles.js";
import type { Surroundings } from "./rule-warnings.js";

/** Looks entities up when they are asked for: most writes name none. */
export function surroundingsIn(entities: Pick<StoredEntities, "find">): Surroundings {
  let known: ReadonlySet<string> | undefined;
  return {
    has: (kind, id) => entities.find({ kind, id }) !== undefined,
    get environments() {
      const stored = () => entities.find({ kind: "environments", id: ENVIRONMENTS_ID })?.body;
      known ??= environmentNames(stored() as Pick<Environments, "environments"> | undefined);
      return known;
    },
  };
}
