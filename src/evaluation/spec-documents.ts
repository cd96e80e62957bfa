import { hash } from "node:crypto";
import { oncePer } from "../base/once.js";
import type { SpecCatalogue } from "./catalogue.js";
import { isOfApp, type Spec, type SpecCondition } from "./spec.js";

interface DocumentFacts {
  /** ms since the epoch; greater after each change. */
  readonly time: number;
  /** The app of the key; undefined for keys of every app. */
  readonly targetApp: string | undefined;
}

/** Diagnostics of SDKs are not asked for. */
const FACTS = `"has_updates":true,"diagnostics":{},"sdk_configs":{},"sdk_flags":{},"sdk_keys_to_app_ids":{},"hashed_sdk_keys_to_app_ids":{}`;

/** Returns the document of statsig-node and other SDKs that read lists of specifications. */
export function listDocument(catalogue: SpecCatalogue, facts: DocumentFacts): string {
  const { gates, configs, layers } = visibleSpecs(catalogue, facts.targetApp);
  const experiments = layers.map(({ name }) => [name, [...catalogue.membersOf(name)]]);
  return `{${FACTS},${rootMembers(catalogue, facts)},"feature_gates":[${gates.map(listText)}],"dynamic_configs":[${configs.map(listText)}],"layer_configs":[${layers.map(listText)}],"layers":${JSON.stringify(Object.fromEntries(experiments))}}`;
}

/** Returns the document of SDKs with the Rust core, which read maps and one table of conditions. */
export function mapDocument(catalogue: SpecCatalogue, facts: DocumentFacts): string {
  const { gates, configs, layers } = visibleSpecs(catalogue, facts.targetApp);
  const members = layers.flatMap(({ name }) =>
    [...catalogue.membersOf(name)].map((experiment) => [experiment, name]),
  );
  const conditions = new Map<string, string>();
  const maps = [gates, configs, layers].map((specs) => {
    const texts = specs.map(mapText);
    for (const text of texts) for (const [key, one] of text.conditions) conditions.set(key, one);
    return `{${texts.map(({ member }) => member)}}`;
  });
  const table = [...conditions].map(([key, text]) => `"${key}":${text}`);
  const body = `${FACTS},${rootMembers(catalogue, facts)},"response_format":"dcs-v2","param_stores":{},"feature_gates":${maps[0]},"dynamic_configs":${maps[1]},"layer_configs":${maps[2]},"condition_map":{${table}},"experiment_to_layer":${JSON.stringify(Object.fromEntries(members))}`;
  return `{${body},"checksum":"${hash("sha256", body, "hex")}"}`;
}

function rootMembers(catalogue: SpecCatalogue, { time, targetApp }: DocumentFacts): string {
  const lists = Object.fromEntries(catalogue.lists().map((id) => [id, true]));
  const app = targetApp === undefined ? "" : `,"app_id":${JSON.stringify(targetApp)}`;
  return `"time":${time},"id_lists":${JSON.stringify(lists)}${app}`;
}

interface VisibleSpecs {
  readonly gates: readonly Spec[];
  readonly configs: readonly Spec[];
  readonly layers: readonly Spec[];
}

/** Returns what the keys of an app may see, and what these need to be evaluated. */
function visibleSpecs(catalogue: SpecCatalogue, targetApp: string | undefined): VisibleSpecs {
  const all = {
    gates: [...catalogue.gates()],
    configs: [...catalogue.configs()],
    layers: [...catalogue.layers()],
  };
  if (targetApp === undefined) return all;
  const seen = new Set<Spec>();
  const see = (spec: Spec | undefined): void => {
    if (spec === undefined || seen.has(spec)) return;
    seen.add(spec);
    for (const { conditions, configDelegate } of spec.rules) {
      if (configDelegate !== undefined) see(catalogue.config(configDelegate));
      for (const { type, targetValue } of conditions) {
        if (type.endsWith("_gate")) see(catalogue.gate(String(targetValue)));
      }
    }
  };
  for (const specs of Object.values(all)) {
    for (const spec of specs) if (isOfApp(spec, targetApp)) see(spec);
  }
  const isSeen = (spec: Spec) => seen.has(spec);
  return {
    gates: all.gates.filter(isSeen),
    configs: all.configs.filter(isSeen),
    layers: all.layers.filter(isSeen),
  };
}

const listText = oncePer((spec: Spec) => JSON.stringify(spec));

interface MapText {
  /** The member of the map: name and specification. */
  readonly member: string;
  readonly conditions: ReadonlyMap<string, string>;
}

const mapText = oncePer(newMapText);

function newMapText(spec: Spec): MapText {
  const conditions = new Map<string, string>();
  const keyOf = (condition: SpecCondition): string => {
    const text = JSON.stringify(condition);
    const key = hash("sha256", text, "hex").slice(0, CONDITION_KEY_DIGITS);
    conditions.set(key, text);
    return key;
  };
  const { name, rules, ...rest } = spec;
  const keyed = rules.map((rule) => ({ ...rule, conditions: rule.conditions.map(keyOf) }));
  const member = `${JSON.stringify(name)}:${JSON.stringify({ ...rest, rules: keyed })}`;
  return { member, conditions };
}

/** Digits of the digest that names a condition. */
const CONDITION_KEY_DIGITS = 24;
