import type { AnyObject } from "../../src/contract/fields.js";
import type { OperationName } from "../../src/contract/routes.js";

/** Rules for the bodies of an operation that no schema has. */
export interface Peculiarities {
  /** Makes a generated body keep the rules over several fields. */
  readonly fit?: (body: AnyObject) => AnyObject;
  /** Fields of the body that the entity in the answer does not have, or has otherwise. */
  readonly hidden?: readonly string[];
}

const overrideLists = [
  "passingUserIDs",
  "failingUserIDs",
  "passingCustomIDs",
  "failingCustomIDs",
  "environmentOverrides",
];

const restoring: Peculiarities = {
  fit: (body) => changed(body, "version", () => 1),
  hidden: ["version"],
};

export const peculiarities: { readonly [Name in OperationName]?: Peculiarities } = {
  createGate: { fit: withDistinctRules },
  replaceGate: { fit: withDistinctRules },
  patchGate: { fit: withDistinctRules },
  archiveGate: { hidden: ["forceArchive"] },
  archiveDynamicConfig: { hidden: ["forceArchive"] },
  archiveExperiment: { hidden: ["forceArchive"] },
  archiveQualifyingEvent: { hidden: ["forceArchive"] },
  archiveSegment: { hidden: ["forceArchive"] },
  archivePrompt: { hidden: ["forceArchive"] },
  archiveLayer: { hidden: ["forceArchive"] },
  archiveHoldout: { hidden: ["forceArchive"] },
  createHoldout: { fit: withoutCycle },
  replaceHoldout: { fit: withoutCycle },
  patchHoldout: { fit: withoutCycle },
  restoreGate: restoring,
  restoreDynamicConfig: restoring,
  restoreExperiment: restoring,
  restoreQualifyingEvent: restoring,
  restoreSegment: restoring,
  restorePrompt: restoring,
  restoreTag: restoring,
  restoreHoldout: restoring,
  restoreLayer: restoring,
  restoreTargetApp: restoring,
  restoreUnitIDType: restoring,
  addSegmentIDs: { hidden: ["ids"] },
  addIDsToSegment: { fit: withoutVersion, hidden: ["ids"] },
  removeIDsFromSegment: { fit: withoutVersion, hidden: ["ids"] },
  removeSegmentIDs: { hidden: ["ids"] },
  resetSegmentIDs: { hidden: ["ids"] },
  replaceGateOverrides: { fit: withDistinctUnits },
  addGateOverrides: { fit: withDistinctUnits, hidden: overrideLists },
  removeGateOverrides: { hidden: overrideLists },
  replaceEnvironments: {
    fit: (body) =>
      changedItems(body, "environments", (one, index) => ({
        requiresReview: false,
        requiresReleasePipeline: false,
        ...one,
        name: `environment ${index}`,
        id: `${index}`,
      })),
  },
  createDynamicConfig: { fit: withJson5Pairs },
  replaceDynamicConfig: { fit: withJson5Pairs },
  patchDynamicConfig: { fit: withJson5Pairs },
  createExperiment: { fit: experimentThatFits, hidden: ["manualQualityScores"] },
  replaceExperiment: { fit: experimentThatFits, hidden: ["manualQualityScores"] },
  patchExperiment: { fit: experimentThatFits, hidden: ["manualQualityScores"] },
  disableExperimentGroups: { fit: withDefaultGroups, hidden: ["group_names"] },
  enableExperimentGroups: { fit: withDefaultGroups, hidden: ["group_names"] },
  createQualifyingEvent: { fit: withTableName, hidden: ["dryRun"] },
  upsertQualifyingEvent: {
    fit: (body) => changed(withTableName(body), "name", () => "Existing"),
    hidden: ["dryRun"],
  },
  patchQualifyingEvent: {
    fit: (body) => {
      const named = changed(withTableName(body), "name", () => "Existing");
      return changed(named, "tableName", (table) => table || "purchases");
    },
    hidden: ["dryRun"],
  },
  createLayer: { fit: withTypedParameters },
  replaceLayer: { fit: withTypedParameters },
  patchLayer: { fit: withTypedParameters },
  createKey: { fit: consoleKey },
  createTargetApp: {
    fit: ({ name, ...body }) => ({ name, description: body["description"] ?? "" }),
  },
  patchTargetApp: { fit: (body) => changed(body, "name", () => "Existing") },
  patchUnitIDType: { fit: (body) => changed(body, "name", () => "Existing") },
  patchTag: { fit: (body) => changed(body, "name", () => "Existing") },
  createSegment: { fit: withDistinctRules },
  replaceSegment: { fit: ofExistingType },
  patchSegment: { fit: ofExistingType },
};

/** Operations that need an entity in a certain state, or whose answer is another thing than the body. */
export const needingState: readonly OperationName[] = [
  "decideExperiment",
  "abandonExperiment",
  "addGateRule",
  "addGateRules",
  "patchGateRule",
  "patchGateRules",
  "addDynamicConfigRule",
  "addDynamicConfigRules",
  "patchDynamicConfigRule",
  "patchDynamicConfigRules",
  "replaceSegmentRules",
  "scheduleExperimentStart",
  "createScheduledChange",
  "publishPrompt",
  "replaceExperimentOverrides",
  "addExperimentOverrides",
  "removeExperimentOverrides",
  "evaluateGate",
  "evaluateDynamicConfig",
  "evaluateExperiment",
  "assessGateChange",
  "assessDynamicConfigChange",
];

/** Bodies of the entities that routes with an id in their path are called on. */
export const existing: Readonly<Record<string, AnyObject>> = {
  Gates: { name: "Existing" },
  "Dynamic configs": { name: "Existing" },
  Experiments: { name: "Existing" },
  "Qualifying events": { name: "Existing", sql: "", timestampColumn: "", idTypeMapping: [] },
  Segments: { name: "Existing", type: "id_list" },
  Prompts: { name: "Existing" },
  Tags: { name: "Existing" },
  "Unit ID Types": { name: "Existing" },
  "Target apps": { name: "Existing" },
  Layers: { name: "Existing" },
  Holdouts: { name: "Existing" },
};

/** The ids of each list differ from those of all bodies before. */
function withDistinctUnits(body: AnyObject): AnyObject {
  const distinct = (holder: AnyObject, lists: readonly string[]) =>
    lists.reduce(
      (fitted, name) => changed(fitted, name, (ids) => renamed(ids as string[])),
      holder,
    );
  return changedItems(
    distinct(body, overrideLists.slice(0, 4)),
    "environmentOverrides",
    (entry) => {
      const whole = { environment: null, ...entry, unitID: numberedUnit() };
      return distinct(whole, ["passingIDs", "failingIDs"]);
    },
  );
}

let unitsMade = 0;

function numberedUnit(): string {
  unitsMade += 1;
  return `unit ${unitsMade}`;
}

function renamed(ids: readonly string[]): string[] {
  return ids.map(numberedUnit);
}

/** The rights of a key depend on its kind. */
function consoleKey({ targetApp: _, ...body }: AnyObject): AnyObject {
  const { kind: __, ...rights } = body;
  const scoped = changed(
    changed(rights, "scopes", () => ["gates:read"]),
    "name",
    () => "CI",
  );
  const timed = changed(scoped, "expiresTime", () => Date.UTC(2099, 0));
  return { ...changed(timed, "owner", () => "ops"), kind: "console" };
}

/** Rules of one body have different names and ids, percentages, and texts that say something. */
/** A holdout cannot withhold the gate that decides who is held out. */
function withoutCycle(body: AnyObject): AnyObject {
  return changed(body, "targetingGateID", () => "targeting");
}

function withDistinctRules(body: AnyObject): AnyObject {
  return changedItems(body, "rules", (rule, index) => {
    const named = changed(rule, "name", numbered(index));
    const identified = changed(named, "id", (id) => (id ? numbered(index)(id) : id));
    const based = changed(identified, "baseID", (id) => (id ? numbered(index)(id) : id));
    const whole = { passPercentage: 5, ...based };
    const withText = changed(whole, "returnValueJson5", () => "{}");
    return changedItems(withText, "variants", (variant) =>
      changed(variant, "returnValueJson5", () => "{}"),
    );
  });
}

/** The ids of a dynamic config's rules are always made by the service. */
function withoutRuleIDs(body: AnyObject): AnyObject {
  return changedItems(body, "rules", (rule) => changed(rule, "id", () => ""));
}

/** Values and their JSON5 texts mean the same, and fit the schema, which asks for nothing. */
function withJson5Pairs(body: AnyObject): AnyObject {
  const schema = '{"title": "anything"}';
  const withSchema = changed(body, "schema", (given) => (given === null ? null : schema));
  const withBoth = changed(withSchema, "schemaJson5", (given) => {
    const { schema: document = given } = withSchema;
    return document === null ? null : `${schema} // at all`;
  });
  const distinct = withDistinctRules(withJson5Pair(withBoth, "defaultValue"));
  return changedItems(withoutRuleIDs(distinct), "rules", (rule) =>
    changedItems(withJson5Pair(rule, "returnValue"), "variants", (variant) =>
      withJson5Pair(variant, "returnValue"),
    ),
  );
}

function withJson5Pair(holder: AnyObject, field: string): AnyObject {
  return changed(holder, `${field}Json5`, (text) => {
    const { [field]: value = { text } } = holder;
    return `${JSON.stringify(value)} // as it is`;
  });
}

/** An ID type has one name, because either may be left out, and a table has a name. */
function withTableName(body: AnyObject): AnyObject {
  const { sourceType, tableName = "" } = body;
  const named = changedItems(body, "idTypeMapping", ({ statsigUnitID: _, ...column }) => column);
  return sourceType === "table" && tableName === "" ? { ...named, tableName: "purchases" } : named;
}

/** The type of a segment never changes. */
function ofExistingType(body: AnyObject): AnyObject {
  return changed(withDistinctRules(body), "type", () => "id_list");
}

function withoutVersion({ version: _, ...body }: AnyObject): AnyObject {
  return body;
}

/** Parameters have different names, and values of their types. */
function withTypedParameters(body: AnyObject): AnyObject {
  return changedItems(body, "parameters", (parameter, index) => ({
    ...parameter,
    name: `parameter ${index}`,
    type: "number",
    defaultValue: index,
  }));
}

function withDefaultGroups(body: AnyObject): AnyObject {
  return changed(body, "group_names", (names) =>
    (names as readonly string[]).map((_, index) => (index % 2 === 0 ? "Control" : "Test")),
  );
}

/** In `setup`, with distinct names, sizes that leave room for each other, and complete settings. */
function experimentThatFits(body: AnyObject): AnyObject {
  const inSetup = changed(body, "status", () => "setup");
  const withGroups = changedItems(inSetup, "groups", (group, index) => {
    const named = changed(group, "name", numbered(index));
    const identified = changed(named, "id", (id) => (id === "" ? "" : numbered(index)(id)));
    return changed(identified, "size", (size) => quartered(size as number | string));
  });
  // Always the same few names: scores are kept, and there may be at most ten.
  const withScores = changedItems(withGroups, "manualQualityScores", (score, index) =>
    changed({ ...score, criteriaName: `criterion ${index}` }, "weight", (weight) =>
      Number(weight) === 0 ? 1 : weight,
    ),
  );
  return changedItems(withScores, "sprtMDESettings", (setting) =>
    changed(setting, "groupSettings", (given) =>
      (given as readonly AnyObject[]).concat({ groupKey: "last" }).map((groupSetting) => ({
        mde: 1,
        mean: 2,
        stdDev: 3,
        ...groupSetting,
      })),
    ),
  );
}

function quartered(size: number | string): number | string {
  const quarter = Number(size) / 4;
  return typeof size === "string" ? String(quarter) : quarter;
}

function numbered(index: number): (text: unknown) => string {
  return (text) => `${text}${index}`;
}

/** A field that is not there is not made. */
function changed(body: AnyObject, field: string, change: (value: unknown) => unknown): AnyObject {
  return field in body ? { ...body, [field]: change(body[field]) } : body;
}

function changedItems(
  body: AnyObject,
  field: string,
  change: (item: AnyObject, index: number) => AnyObject,
): AnyObject {
  return changed(body, field, (items) => (items as readonly AnyObject[]).map(change));
}
