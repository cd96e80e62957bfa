import type { DynamicConfig } from "../contract/dynamic-config.js";
import type { Experiment } from "../contract/experiment.js";
import type { AnyObject } from "../contract/fields.js";
import type { Gate } from "../contract/gate.js";
import type { Segment } from "../contract/segment.js";
import { configSpec } from "./config-spec.js";
import type { SpecSource } from "./evaluator.js";
import {
  type ExperimentFacts,
  experimentSpec,
  type Layer,
  targetingSegmentName,
  targetingSegmentSpec,
} from "./experiment-spec.js";
import { gateSpec, type Holdout, hasList, holdoutSpec, segmentSpec } from "./gate-spec.js";
import { allocatedBuckets, layerAfterLaunches, layerSpec } from "./layer-spec.js";
import {
  type ExperimentOverrides,
  type GateOverrides,
  noExperimentOverrides,
} from "./overrides.js";
import { holdoutName, type Spec, segmentName } from "./spec.js";

/** The bodies of entities that evaluation reads, by kind. */
interface Bodies {
  readonly gate: Gate;
  readonly gate_override: GateOverrides;
  readonly segment: Segment;
  readonly holdout: Holdout;
  readonly dynamic_config: DynamicConfig;
  readonly experiment: Experiment;
  readonly experiment_override: ExperimentOverrides;
  readonly layer: Layer;
}

type Kind = keyof Bodies;

/** The state of an entity after a change; without a body if it was removed. */
export interface EntityState {
  readonly kind: string;
  readonly id: string;
  readonly body: AnyObject | undefined;
}

/** Answers if a unit is on the list of a segment. */
type IsListed = (segmentID: string, unitID: string) => boolean;

/** The specifications of all entities. A change updates only those that depend on it. */
export class SpecCatalogue implements SpecSource {
  readonly #bodies: { readonly [K in Kind]: Map<string, Bodies[K]> } = {
    gate: new Map(),
    gate_override: new Map(),
    segment: new Map(),
    holdout: new Map(),
    dynamic_config: new Map(),
    experiment: new Map(),
    experiment_override: new Map(),
    layer: new Map(),
  };
  /** Ids of the experiments of each layer. */
  readonly #members = new Map<string, Set<string>>();
  /** Ids of the holdouts that name an entity, by its kind and id. */
  readonly #covering = new Map<string, Set<string>>();
  readonly #gates = new Map<string, Spec>();
  readonly #configs = new Map<string, Spec>();
  readonly #layers = new Map<string, Spec>();

  constructor(readonly isListed: IsListed) {}

  gate(name: string): Spec | undefined {
    return this.#gates.get(name);
  }

  config(name: string): Spec | undefined {
    return this.#configs.get(name);
  }

  layer(name: string): Spec | undefined {
    return this.#layers.get(name);
  }

  /** Gates, segments and holdouts. */
  gates(): Iterable<Spec> {
    return this.#gates.values();
  }

  /** Dynamic configs and experiments. */
  configs(): Iterable<Spec> {
    return this.#configs.values();
  }

  layers(): Iterable<Spec> {
    return this.#layers.values();
  }

  /** Returns the ids of the experiments of a layer. */
  membersOf(layerID: string): Iterable<string> {
    return this.#members.get(layerID) ?? [];
  }

  /** Returns the ids of the segments that have a list. */
  lists(): readonly string[] {
    return [...this.#bodies.segment.values()].filter(hasList).map(({ id }) => id);
  }

  /** Returns the specification that a gate would have with another body. */
  proposedGate(gate: Gate): Spec {
    return gateSpec(this.#held("gate", gate), this.#bodies.gate_override.get(gate.id));
  }

  /** Applies changes, in their order. Entities of kinds that are not evaluated are skipped. */
  apply(states: readonly EntityState[]): void {
    const layers = new Set<string>();
    for (const { kind, id, body } of states) {
      if (!Object.hasOwn(this.#bodies, kind)) continue;
      const bodies = this.#bodies[kind as Kind] as Map<string, unknown>;
      const before = bodies.get(id);
      if (body === undefined) bodies.delete(id);
      else bodies.set(id, body);
      this.#specify(kind as Kind, id, layers, before);
    }
    for (const id of layers) this.#specifyLayer(id);
  }

  /** Updates the specification of an entity, or adds its layer to `layers`. */
  #specify(kind: Kind, id: string, layers: Set<string>, before: unknown): void {
    const { gate, gate_override, segment, holdout, dynamic_config, experiment } = this.#bodies;
    switch (kind) {
      case "gate":
      case "gate_override": {
        const body = gate.get(id);
        put(this.#gates, id, body && gateSpec(this.#held("gate", body), gate_override.get(id)));
        break;
      }
      case "segment": {
        const body = segment.get(id);
        put(this.#gates, segmentName(id), body && segmentSpec(body));
        break;
      }
      case "holdout": {
        const body = holdout.get(id);
        put(this.#gates, holdoutName(id), body && holdoutSpec(body));
        this.#cover(id, before as Holdout | undefined, body, layers);
        break;
      }
      case "dynamic_config":
      case "experiment_override":
      case "experiment": {
        const body = experiment.get(id);
        if (kind === "experiment") this.#move(id, before as Experiment | undefined, body, layers);
        if (body?.layerID) layers.add(body.layerID);
        else if (body) this.#specifyExperiment(this.#factsOf(body, undefined));
        else {
          // An experiment hides a dynamic config with its id.
          const config = dynamic_config.get(id);
          put(this.#configs, id, config && configSpec(config));
        }
        break;
      }
      case "layer":
        layers.add(id);
    }
  }

  /** Updates the members that a holdout had, and those that it has now. */
  #cover(
    id: string,
    before: Holdout | undefined,
    after: Holdout | undefined,
    layers: Set<string>,
  ): void {
    const covered = coveredBy(after);
    for (const [kind, entityID] of coveredBy(before)) {
      this.#covering.get(`${kind} ${entityID}`)?.delete(id);
    }
    for (const [kind, entityID] of covered) {
      const key = `${kind} ${entityID}`;
      this.#covering.set(key, (this.#covering.get(key) ?? new Set()).add(id));
    }
    for (const [kind, entityID] of [...coveredBy(before), ...covered]) {
      this.#specify(kind, entityID, layers, this.#bodies[kind].get(entityID));
    }
  }

  /** Returns an entity with all of its holdouts: its own, then those that name it. */
  #held<Body extends { readonly id: string; readonly holdoutIDs: readonly string[] }>(
    kind: Kind,
    body: Body,
  ): Body {
    const covering = this.#covering.get(`${kind} ${body.id}`) ?? [];
    return { ...body, holdoutIDs: [...new Set([...body.holdoutIDs, ...covering])] };
  }

  #move(
    id: string,
    before: Experiment | undefined,
    after: Experiment | undefined,
    layers: Set<string>,
  ): void {
    if (before?.layerID && before.layerID !== after?.layerID) {
      this.#members.get(before.layerID)?.delete(id);
      layers.add(before.layerID);
    }
    if (after?.layerID) {
      const members = this.#members.get(after.layerID) ?? new Set();
      this.#members.set(after.layerID, members.add(id));
    }
    put(this.#gates, targetingSegmentName(id), after && targetingSegmentSpec(after));
  }

  #specifyExperiment(facts: ExperimentFacts): void {
    put(this.#configs, facts.experiment.id, experimentSpec(facts));
  }

  #factsOf(experiment: Experiment, layer: Layer | undefined, buckets?: Buckets): ExperimentFacts {
    const overrides = this.#bodies.experiment_override.get(experiment.id) ?? noExperimentOverrides;
    const own = buckets ?? allocatedBuckets([experiment]);
    const held = this.#held("experiment", experiment);
    return { experiment: held, overrides, layer, buckets: own.get(experiment.id) };
  }

  #specifyLayer(id: string): void {
    const experiments = [...this.membersOf(id)].flatMap(
      (member) => this.#bodies.experiment.get(member) ?? [],
    );
    const stored = this.#bodies.layer.get(id) ?? impliedLayer(id, experiments);
    if (stored === undefined) {
      this.#layers.delete(id);
      return;
    }
    const layer = layerAfterLaunches(this.#held("layer", stored), experiments);
    const buckets = allocatedBuckets(experiments);
    const members = experiments.map((experiment) => this.#factsOf(experiment, layer, buckets));
    for (const member of members) this.#specifyExperiment(member);
    put(this.#layers, id, layerSpec(layer, members));
  }
}

/** Returns the kinds and ids of the entities that a holdout names. */
function coveredBy(
  holdout: Holdout | undefined,
): (readonly ["gate" | "experiment" | "layer", string])[] {
  const { gateIDs = [], experimentIDs = [], layerIDs = [] } = holdout ?? {};
  return [
    ...gateIDs.map((id) => ["gate", id] as const),
    ...experimentIDs.map((id) => ["experiment", id] as const),
    ...layerIDs.map((id) => ["layer", id] as const),
  ];
}

type Buckets = ReturnType<typeof allocatedBuckets>;

/** A layer that experiments name and nobody has created. */
function impliedLayer(id: string, experiments: readonly Experiment[]): Layer | undefined {
  const [first] = experiments;
  if (first === undefined) return undefined;
  return {
    id,
    idType: first.idType,
    defaultValue: {},
    holdoutIDs: [],
    targetApps: [],
    version: 1,
  };
}

function put(specs: Map<string, Spec>, name: string, spec: Spec | undefined): void {
  if (spec === undefined) specs.delete(name);
  else specs.set(name, spec);
}
