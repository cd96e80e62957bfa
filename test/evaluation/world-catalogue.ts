import { type EntityState, SpecCatalogue } from "../../src/evaluation/catalogue.js";
import type { World } from "./oracle.js";

/** The kind of entity that each part of a world has. */
const kinds = {
  gates: "gate",
  overrides: "gate_override",
  segments: "segment",
  holdouts: "holdout",
  configs: "dynamic_config",
  experiments: "experiment",
  experimentOverrides: "experiment_override",
  layers: "layer",
} as const;

/** Returns the entities of a world as a store would list them. */
export function statesOf(world: World): EntityState[] {
  return Object.entries(kinds).flatMap(([part, kind]) =>
    Object.entries(world[part as keyof typeof kinds]).map(([id, body]) => ({ kind, id, body })),
  );
}

export function catalogueOf(world: World): SpecCatalogue {
  const lists = new Map(Object.entries(world.lists).map(([id, units]) => [id, new Set(units)]));
  const catalogue = new SpecCatalogue((id, unit) => lists.get(id)?.has(unit) ?? false);
  catalogue.apply(statesOf(world));
  return catalogue;
}
