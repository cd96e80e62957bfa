import type { z } from "zod";
import type { OperationName, Routes } from "../contract/routes.js";

const beta = { name: "Beta testers", passPercentage: 100, conditions: [] };

type Examples = { readonly [Name in OperationName]?: z.input<Routes[Name]["body"]> };

const archiving = { forceArchive: false, archiveReason: "The new checkout is the only one." };
const unarchiving = { unarchiveReason: "Needed for another market." };

const loggedEvents = {
  events: [
    {
      eventName: "purchase",
      time: 1_704_067_200_000,
      user: { userID: "u-1024", customIDs: { stableID: "d-77" }, custom: { plan: "pro" } },
      value: 9.5,
      metadata: { price: 9.5, currency: "EUR" },
    },
  ],
} as const;

const evaluationContext = { targetingKey: "u-1024", plan: "pro" } as const;

const evaluatedUser = {
  userID: "u-1024",
  email: "ann@example.com",
  custom: { plan: "pro" },
  customIDs: { stableID: "d-77" },
} as const;

/** A realistic body for each operation with a body. */
export const exampleRequests = {
  createGate: {
    name: "New checkout",
    description: "One-page checkout instead of three steps.",
    type: "TEMPORARY",
    tags: ["checkout"],
    rules: [
      {
        name: "Staff",
        passPercentage: 100,
        conditions: [{ type: "email", operator: "str_contains_any", targetValue: ["@acme.test"] }],
      },
      {
        name: "A tenth of recent apps",
        passPercentage: 10,
        conditions: [{ type: "app_version", operator: "version_gt", targetValue: "4.2.0" }],
        environments: ["production"],
      },
    ],
  },
  replaceGate: {
    name: "New checkout",
    description: "One-page checkout instead of three steps.",
    isEnabled: true,
    rules: [{ name: "Everyone", passPercentage: 50, conditions: [{ type: "public" }] }],
    tags: ["checkout"],
  },
  patchGate: { isEnabled: false, description: "Paused: payments are being moved." },
  archiveGate: archiving,
  unarchiveGate: unarchiving,
  addGateRule: beta,
  addGateRules: { rules: [beta] },
  patchGateRule: { passPercentage: 50 },
  patchGateRules: { rules: [{ name: "Beta testers", passPercentage: 50 }] },
  addDynamicConfigRule: beta,
  addDynamicConfigRules: { rules: [beta] },
  patchDynamicConfigRule: { passPercentage: 50 },
  patchDynamicConfigRules: { rules: [{ name: "Beta testers", passPercentage: 50 }] },
  replaceGateOverrides: {
    passingUserIDs: ["u-1", "u-2"],
    environmentOverrides: [
      { environment: "development", unitID: "stableID", passingIDs: ["d-7"], failingIDs: [] },
    ],
  },
  addGateOverrides: { failingUserIDs: ["u-3"] },
  removeGateOverrides: { passingUserIDs: ["u-2"] },
  createDynamicConfig: {
    name: "Checkout texts",
    description: "Words and colours of the checkout.",
    schema: '{"type": "object", "properties": {"button": {"type": "string"}}}',
    defaultValueJson5: "{button: 'Pay'} // short, for small screens",
    rules: [
      {
        name: "Germany",
        passPercentage: 100,
        conditions: [{ type: "country", operator: "any", targetValue: ["DE"] }],
        returnValue: { button: "Jetzt kaufen" },
      },
    ],
  },
  replaceDynamicConfig: {
    description: "Words and colours of the checkout.",
    isEnabled: true,
    rules: [
      {
        name: "Everyone",
        passPercentage: 50,
        conditions: [{ type: "public" }],
        returnValue: { button: "Buy now" },
      },
    ],
    defaultValue: { button: "Pay" },
  },
  patchDynamicConfig: { defaultValue: { button: "Pay now" } },
  upsertQualifyingEvent: {
    description: "Checkouts that were paid.",
    sql: "SELECT user_id, paid_at FROM shop.checkouts WHERE paid",
    timestampColumn: "paid_at",
    idTypeMapping: [{ serviceUnitID: "userID", column: "user_id" }],
    tags: ["checkout"],
  },
  createQualifyingEvent: {
    name: "Checkout paid",
    sql: "SELECT user_id, paid_at FROM shop.checkouts WHERE paid",
    timestampColumn: "paid_at",
    idTypeMapping: [{ serviceUnitID: "userID", column: "user_id" }],
    dryRun: true,
  },
  createSegment: {
    name: "Staff",
    type: "rule_based",
    description: "Who works here.",
    rules: [
      {
        name: "By address",
        passPercentage: 100,
        conditions: [{ type: "email", operator: "str_contains_any", targetValue: ["@acme.test"] }],
      },
    ],
  },
  createPrompt: {
    name: "support-greeting",
    displayName: "Support greeting",
    description: "First words of the support assistant.",
    targetApps: ["web"],
  },
  createExperiment: {
    name: "Checkout in one page",
    idType: "userID",
    hypothesis: "Fewer steps lead to more purchases.",
    groups: [
      { name: "Control", size: 50, parameterValues: { pages: 3 } },
      { name: "One page", size: 50, parameterValues: { pages: 1 } },
    ],
    primaryMetrics: [{ name: "purchase", type: "event_count", direction: "increase" }],
    targetingGateID: "new_checkout",
    tags: ["checkout"],
  },
  replaceExperiment: {
    description: "Three steps against one page.",
    idType: "userID",
    hypothesis: "Fewer steps lead to more purchases.",
    groups: [
      { name: "Control", size: 50, parameterValues: { pages: 3 } },
      { name: "One page", size: 50, parameterValues: { pages: 1 } },
    ],
    allocation: 100,
    targetingGateID: null,
    bonferroniCorrection: false,
    defaultConfidenceInterval: "95",
    status: "active",
  },
  patchExperiment: {
    duration: 28,
    manualQualityScores: [
      { criteriaName: "Reviewed by research", status: "PASSED", score: 1, weight: 60 },
      { criteriaName: "HYPOTHESIS_LENGTH", weight: 40 },
    ],
  },
  enableExperimentGroups: { group_names: ["One page"] },
  disableExperimentGroups: { group_names: ["One page"] },
  replaceExperimentOverrides: {
    overrides: [{ type: "segment", id: "Staff", groupID: "One page" }],
    userIDOverrides: [{ groupID: "Control", ids: ["u-1"] }],
  },
  addExperimentOverrides: { userIDOverrides: [{ groupID: "Control", ids: ["u-2"] }] },
  removeExperimentOverrides: { userIDOverrides: [{ groupID: "Control", ids: ["u-1"] }] },
  scheduleExperimentStart: { scheduledTime: 1_800_000_000_000 },
  createScheduledChange: {
    entityType: "gate",
    entityID: "new_checkout",
    change: { isEnabled: false },
    scheduledTime: 1_800_000_000_000,
    description: "The sale ends.",
  },
  restartExperimentAsNew: { name: "Checkout in one page - autumn" },
  decideExperiment: { id: "6Ih3pYUZlo0XXbJYWQ9Ek2", decisionReason: "More purchases." },
  abandonExperiment: { decisionReason: "The page was withdrawn." },
  patchQualifyingEvent: { tags: ["checkout", "paid"] },
  replaceSegment: { description: "Who works here.", rules: [] },
  patchSegment: { tags: ["staff"] },
  addIDsToSegment: { ids: ["u-1024"], version: 3 },
  removeIDsFromSegment: { ids: ["u-1024"] },
  replaceSegmentRules: [beta],
  addSegmentIDs: { ids: ["u-1024", "u-1025"] },
  removeSegmentIDs: { ids: ["u-1025"] },
  resetSegmentIDs: { ids: ["u-1"] },
  createPromptVersion: {
    name: "Short and friendly",
    prompts: [{ role: "system", content: "Greet {{name}} in one sentence." }],
    model: "small",
    temperature: 0.5,
  },
  publishPrompt: { version: 2 },
  replacePrompt: { description: "First words of the support assistant.", tags: ["support"] },
  patchPrompt: { tags: ["support", "greeting"] },
  archiveDynamicConfig: archiving,
  unarchiveDynamicConfig: unarchiving,
  archiveExperiment: archiving,
  unarchiveExperiment: unarchiving,
  archiveQualifyingEvent: archiving,
  unarchiveQualifyingEvent: unarchiving,
  archiveSegment: archiving,
  unarchiveSegment: unarchiving,
  archivePrompt: archiving,
  unarchivePrompt: unarchiving,
  restoreGate: { version: 2 },
  restoreDynamicConfig: { version: 2 },
  restoreExperiment: { version: 2 },
  restoreQualifyingEvent: { version: 2 },
  restoreSegment: { version: 2 },
  restorePrompt: { version: 2 },
  createTag: { name: "checkout", description: "Everything about paying.", isCore: true },
  patchTag: { description: "Everything about paying and delivery." },
  restoreTag: { version: 2 },
  createUnitIDType: { name: "companyID", description: "Companies that buy." },
  patchUnitIDType: { description: "Companies that buy or sell." },
  createTargetApp: { name: "web", description: "The shop in browsers." },
  patchTargetApp: { description: "The shop in browsers and in the app." },
  createLayer: { name: "Checkout", idType: "userID", description: "Experiments on paying." },
  replaceLayer: {
    description: "Experiments on paying.",
    parameters: [{ name: "pages", type: "number", defaultValue: 3 }],
  },
  patchLayer: { parameters: [{ name: "pages", type: "number", defaultValue: 1 }] },
  createHoldout: { name: "Quarter", passPercentage: 5, gateIDs: ["new_checkout"] },
  replaceHoldout: {
    description: "Units that get nothing new this quarter.",
    isEnabled: true,
    passPercentage: 5,
    gateIDs: ["new_checkout"],
    experimentIDs: [],
    layerIDs: [],
    isGlobal: false,
    targetingGateID: null,
  },
  patchHoldout: { passPercentage: 2 },
  archiveLayer: archiving,
  unarchiveLayer: unarchiving,
  archiveHoldout: archiving,
  unarchiveHoldout: unarchiving,
  restoreUnitIDType: { version: 2 },
  restoreTargetApp: { version: 2 },
  restoreLayer: { version: 2 },
  restoreHoldout: { version: 2 },
  replaceEnvironments: {
    environments: [
      { name: "development", isProduction: false },
      { name: "production", isProduction: true },
    ],
  },
  createKey: { kind: "console", name: "CI", owner: "ops@example.com", scopes: ["gates:write"] },
  createSession: { key: "console-…" },
  storeEvents: {
    event: "purchase",
    user: { userID: "u-1024", stableID: "d-77", plan: "pro" },
    timestamp: 1_704_067_200_000,
    metadata: { price: 9.5, currency: "EUR" },
    value: 9.5,
  },
  logEvents: loggedEvents,
  logBrowserEvents: loggedEvents,
  checkGate: { gateName: "new_checkout", user: evaluatedUser },
  getConfig: { configName: "checkout_copy", user: evaluatedUser },
  getLayer: { layerName: "checkout", user: evaluatedUser },
  evaluateFlag: { context: evaluationContext },
  evaluateFlags: { context: evaluationContext },
  initializeClient: { user: evaluatedUser, hash: "djb2" },
} as const satisfies Examples;
