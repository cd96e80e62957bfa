import { expect } from "vitest";
import type { ConsoleClient } from "../../src/console/client.js";
import type { ConsoleOperationName } from "../../src/console/operation.js";
import { journalId } from "../support/journal.js";
import type { TestService } from "../support/service.js";
import { fullExperiment, fullHoldout, rule, rules, source } from "./call-bodies.js";

/** What the calls use; a test file has it once its service runs. */
interface ClientParts {
  readonly client: ConsoleClient;
  readonly service: TestService;
  readonly baseUrl: string;
}

/** One call of every operation, in an order in which each finds what it needs. */
export function callsOf(parts: () => ClientParts) {
  const client = new Proxy({} as ConsoleClient, {
    get: (_, name) => parts().client[name as keyof ConsoleClient],
  });
  return {
    createGate: () => client.createGate({ body: { name: "A Gate" } }),
    replaceGate: () =>
      client.replaceGate({ id: "a_gate", body: { isEnabled: true, description: "d", rules } }),
    patchGate: () => client.patchGate({ id: "a_gate", body: { tags: ["x"] }, ifMatch: "2" }),
    compareVersions: () =>
      client.compareVersions({ entityType: "gate", id: "a_gate", from: 1, to: 2 }),
    disableGate: () => client.disableGate({ id: "a_gate" }),
    enableGate: () => client.enableGate({ id: "a_gate" }),
    launchGate: () => client.launchGate({ id: "a_gate" }),
    archiveGate: () => client.archiveGate({ id: "a_gate", body: { forceArchive: true } }),
    unarchiveGate: () => client.unarchiveGate({ id: "a_gate" }),
    listGateVersions: () => client.listGateVersions({ id: "a_gate", limit: 2 }),
    listDynamicConfigReferences: () => client.listDynamicConfigReferences({ id: "a_gate" }),
    listExperimentReferences: () => client.listExperimentReferences({ id: "a_gate", limit: 2 }),
    listGateReferences: () => client.listGateReferences({ id: "a_gate" }),
    listGates: () => client.listGates(),
    listStaleGates: () => client.listStaleGates({ days: 7 }),
    restoreGate: () => client.restoreGate({ id: "a_gate", body: { version: 1 } }),
    readGate: () => client.readGate({ id: "a_gate" }),
    addGateRule: () =>
      client.addGateRule({ id: "a_gate", body: { ...rule, name: "one", baseID: "one" } }),
    addGateRules: () => client.addGateRules({ id: "a_gate", body: { rules: [rule] } }),
    listGateRules: () => client.listGateRules({ id: "a_gate", limit: 1 }),
    readGateRule: () => client.readGateRule({ id: "a_gate", ruleID: "one" }),
    patchGateRule: () =>
      client.patchGateRule({ id: "a_gate", ruleID: "one", body: { passPercentage: 5 } }),
    patchGateRules: () =>
      client.patchGateRules({ id: "a_gate", body: { rules: [{ id: "one", passPercentage: 6 }] } }),
    deleteGateRule: () => client.deleteGateRule({ id: "a_gate", ruleID: "one" }),
    replaceGateOverrides: () =>
      client.replaceGateOverrides({ id: "a_gate", body: { passingUserIDs: ["u1"] }, ifMatch: "0" }),
    addGateOverrides: () =>
      client.addGateOverrides({ id: "a_gate", body: { failingUserIDs: ["u2"] } }),
    removeGateOverrides: () =>
      client.removeGateOverrides({ id: "a_gate", body: { passingUserIDs: ["u1"] } }),
    readGateOverrides: () => client.readGateOverrides({ id: "a_gate" }),
    deleteGate: () => client.deleteGate({ id: "a_gate" }),
    createDynamicConfig: () => client.createDynamicConfig({ body: { name: "A Config" } }),
    replaceDynamicConfig: () =>
      client.replaceDynamicConfig({
        id: "a_config",
        dryRun: true,
        body: { isEnabled: true, description: "", rules: [] },
      }),
    patchDynamicConfig: () =>
      client.patchDynamicConfig({ id: "a_config", body: { defaultValue: { a: 1 } } }),
    addDynamicConfigRule: () =>
      client.addDynamicConfigRule({
        id: "a_config",
        body: { ...rule, name: "one", baseID: "one" },
      }),
    addDynamicConfigRules: () =>
      client.addDynamicConfigRules({ id: "a_config", body: { rules: [rule] } }),
    listDynamicConfigRules: () => client.listDynamicConfigRules({ id: "a_config", limit: 1 }),
    readDynamicConfigRule: () => client.readDynamicConfigRule({ id: "a_config", ruleID: "one" }),
    patchDynamicConfigRule: () =>
      client.patchDynamicConfigRule({ id: "a_config", ruleID: "one", body: { passPercentage: 5 } }),
    patchDynamicConfigRules: () =>
      client.patchDynamicConfigRules({
        id: "a_config",
        body: { rules: [{ baseID: "one", passPercentage: 6 }] },
      }),
    deleteDynamicConfigRule: () =>
      client.deleteDynamicConfigRule({ id: "a_config", ruleID: "one" }),
    disableDynamicConfig: () => client.disableDynamicConfig({ id: "a_config" }),
    enableDynamicConfig: () => client.enableDynamicConfig({ id: "a_config" }),
    listDynamicConfigs: () => client.listDynamicConfigs(),
    listDynamicConfigVersions: () => client.listDynamicConfigVersions({ id: "a_config" }),
    restoreDynamicConfig: () =>
      client.restoreDynamicConfig({ id: "a_config", body: { version: 1 } }),
    archiveDynamicConfig: () => client.archiveDynamicConfig({ id: "a_config" }),
    unarchiveDynamicConfig: () =>
      client.unarchiveDynamicConfig({ id: "a_config", body: { unarchiveReason: "" } }),
    readDynamicConfig: () => client.readDynamicConfig({ id: "a_config" }),
    deleteDynamicConfig: () => client.deleteDynamicConfig({ id: "a_config" }),
    createExperiment: () => client.createExperiment({ body: { name: "An Experiment" } }),
    replaceExperiment: () =>
      client.replaceExperiment({ id: "an_experiment", body: fullExperiment }),
    patchExperiment: () =>
      client.patchExperiment({ id: "an_experiment", body: { status: "active" } }),
    resetExperiment: () => client.resetExperiment({ id: "an_experiment" }),
    startExperiment: () => client.startExperiment({ id: "an_experiment" }),
    abandonExperiment: () =>
      client.abandonExperiment({ id: "an_experiment", body: { decisionReason: "no" } }),
    enableExperimentGroups: () =>
      client.enableExperimentGroups({ id: "an_experiment", body: { group_names: ["Test"] } }),
    disableExperimentGroups: () =>
      client.disableExperimentGroups({ id: "an_experiment", body: { group_names: ["Test"] } }),
    replaceExperimentOverrides: () =>
      client.replaceExperimentOverrides({
        id: "an_experiment",
        body: { userIDOverrides: [{ groupID: "Test", ids: ["u1"] }] },
      }),
    addExperimentOverrides: () =>
      client.addExperimentOverrides({
        id: "an_experiment",
        body: { overrides: [{ type: "gate", id: "a_gate", groupID: "Control" }] },
      }),
    removeExperimentOverrides: () =>
      client.removeExperimentOverrides({
        id: "an_experiment",
        body: { userIDOverrides: [{ groupID: "Test", ids: ["u1"] }] },
      }),
    readExperimentOverrides: () => client.readExperimentOverrides({ id: "an_experiment" }),
    scheduleExperimentStart: async () => {
      await client.createExperiment({ body: { name: "Scheduled" } });
      return client.scheduleExperimentStart({ id: "scheduled", body: { scheduledTime: 2 ** 42 } });
    },
    readCumulativeExposures: () => client.readCumulativeExposures({ id: "an_experiment" }),
    readPulseResults: () => client.readPulseResults({ id: "an_experiment", event: "buy" }),
    readExperimentSchedule: () => client.readExperimentSchedule({ id: "scheduled" }),
    cancelExperimentStart: () => client.cancelExperimentStart({ id: "scheduled" }),
    restartExperimentAsNew: () =>
      client.restartExperimentAsNew({ id: "an_experiment", body: { name: "Another" } }),
    listExperimentVersions: () => client.listExperimentVersions({ id: "an_experiment" }),
    listExperiments: () => client.listExperiments({ page: 1 }),
    restoreExperiment: () =>
      client.restoreExperiment({ id: "an_experiment", body: { version: 1 } }),
    archiveExperiment: () => client.archiveExperiment({ id: "an_experiment" }),
    unarchiveExperiment: () =>
      client.unarchiveExperiment({ id: "an_experiment", body: { unarchiveReason: "" } }),
    readExperiment: () => client.readExperiment({ id: "an_experiment" }),
    decideExperiment: async () => {
      const { data } = await client.startExperiment({ id: "an_experiment" });
      const id = data.groups[0]?.id ?? "";
      return client.decideExperiment({ id: "an_experiment", body: { id } });
    },
    deleteExperiment: () => client.deleteExperiment({ id: "an_experiment" }),
    upsertQualifyingEvent: () =>
      client.upsertQualifyingEvent({ name: "paid / 100 % 🎉", body: source }),
    createQualifyingEvent: () =>
      client.createQualifyingEvent({ body: { ...source, name: "signup", dryRun: true } }),
    listQualifyingEvents: () => client.listQualifyingEvents(),
    listQualifyingEventVersions: () =>
      client.listQualifyingEventVersions({ name: "paid / 100 % 🎉" }),
    restoreQualifyingEvent: () =>
      client.restoreQualifyingEvent({ name: "paid / 100 % 🎉", body: { version: 1 } }),
    archiveQualifyingEvent: () => client.archiveQualifyingEvent({ name: "paid / 100 % 🎉" }),
    unarchiveQualifyingEvent: () =>
      client.unarchiveQualifyingEvent({ name: "paid / 100 % 🎉", body: { unarchiveReason: "" } }),
    patchQualifyingEvent: () =>
      client.patchQualifyingEvent({ name: "paid / 100 % 🎉", body: { tags: ["x"] } }),
    readQualifyingEvent: () => client.readQualifyingEvent({ name: "paid / 100 % 🎉" }),
    deleteQualifyingEvent: () => client.deleteQualifyingEvent({ name: "paid / 100 % 🎉" }),
    createSegment: () => client.createSegment({ body: { name: "Staff", type: "id_list" } }),
    listSegments: () => client.listSegments(),
    listSegmentVersions: () => client.listSegmentVersions({ id: "Staff" }),
    restoreSegment: () => client.restoreSegment({ id: "Staff", body: { version: 1 } }),
    archiveSegment: () => client.archiveSegment({ id: "Staff" }),
    unarchiveSegment: () => client.unarchiveSegment({ id: "Staff", body: { unarchiveReason: "" } }),
    replaceSegment: () =>
      client.replaceSegment({ id: "Staff", body: { description: "", rules: [] } }),
    patchSegment: () => client.patchSegment({ id: "Staff", body: { tags: ["x"] } }),
    resetSegmentIDs: () => client.resetSegmentIDs({ id: "Staff" }),
    addSegmentIDs: () => client.addSegmentIDs({ id: "Staff", body: { ids: ["a", "b"] } }),
    removeSegmentIDs: () => client.removeSegmentIDs({ id: "Staff", body: { ids: ["a"] } }),
    addIDsToSegment: () => client.addIDsToSegment({ id: "Staff", body: { ids: ["c"] } }),
    removeIDsFromSegment: () => client.removeIDsFromSegment({ id: "Staff", body: { ids: ["c"] } }),
    replaceSegmentRules: async () => {
      await client.createSegment({ body: { name: "Ruled", type: "rule_based" } });
      const answer = await client.replaceSegmentRules({ id: "Ruled", body: [rule] });
      await client.deleteSegment({ id: "Ruled" });
      return answer;
    },
    listSegmentReferences: () => client.listSegmentReferences({ id: "Staff" }),
    listSegmentIDs: () => client.listSegmentIDs({ id: "Staff" }),
    readSegment: () => client.readSegment({ id: "Staff" }),
    deleteSegment: () => client.deleteSegment({ id: "Staff" }),
    createPrompt: () => client.createPrompt({ body: { name: "greeting v1.0" } }),
    listPrompts: () => client.listPrompts(),
    listPromptVersions: () => client.listPromptVersions({ id: "greeting v1.0" }),
    restorePrompt: () => client.restorePrompt({ id: "greeting v1.0", body: { version: 1 } }),
    archivePrompt: () => client.archivePrompt({ id: "greeting v1.0" }),
    unarchivePrompt: () =>
      client.unarchivePrompt({ id: "greeting v1.0", body: { unarchiveReason: "" } }),
    replacePrompt: () => client.replacePrompt({ id: "greeting v1.0", body: { description: "d" } }),
    patchPrompt: () => client.patchPrompt({ id: "greeting v1.0", body: { tags: ["x"] } }),
    readPrompt: () => client.readPrompt({ id: "greeting v1.0" }),
    createPromptVersion: () =>
      client.createPromptVersion({ id: "greeting v1.0", body: { name: "first" } }),
    publishPrompt: async () => {
      const { data } = await client.readPrompt({ id: "greeting v1.0" });
      return client.publishPrompt({ id: "greeting v1.0", body: { version: data.version } });
    },
    readPublishedPrompt: () => client.readPublishedPrompt({ id: "greeting v1.0" }),
    deletePrompt: () => client.deletePrompt({ id: "greeting v1.0" }),
    evaluateGate: async () => {
      await client.createGate({ body: { name: "asked" } });
      return client.evaluateGate({ id: "asked", body: { user: { userID: "u" } } });
    },
    assessGateChange: () => client.assessGateChange({ id: "asked", body: { proposed: {} } }),
    evaluateDynamicConfig: async () => {
      await client.createDynamicConfig({ body: { name: "asked" } });
      return client.evaluateDynamicConfig({ id: "asked", body: { user: { userID: "u" } } });
    },
    assessDynamicConfigChange: () =>
      client.assessDynamicConfigChange({ id: "asked", body: { proposed: {} } }),
    evaluateExperiment: async () => {
      await client.createExperiment({ body: { name: "Asked too" } });
      return client.evaluateExperiment({ id: "asked_too", body: { user: { userID: "u" } } });
    },
    createKey: () => client.createKey({ body: { kind: "console", scopes: ["gates:read"] } }),
    revokeKey: async () => {
      const { data } = await client.createKey({ body: { kind: "server" } });
      return client.revokeKey({ id: data.id });
    },
    readSession: () => client.readSession(),
    // Only the holder of a cookie can sign out.
    deleteSession: async () => {
      await expect(client.deleteSession()).rejects.toThrow("There is no session to end");
      return signOut(parts());
    },
    createTag: () => client.createTag({ body: { name: "q3 / checkout" } }),
    listTags: () => client.listTags({ search: "q3" }),
    patchTag: () => client.patchTag({ id: "q3 / checkout", body: { isCore: true } }),
    listTagVersions: () => client.listTagVersions({ id: "q3 / checkout" }),
    restoreTag: () => client.restoreTag({ id: "q3 / checkout", body: { version: 1 } }),
    readTag: () => client.readTag({ id: "q3 / checkout" }),
    deleteTag: () => client.deleteTag({ id: "q3 / checkout" }),
    createUnitIDType: () => client.createUnitIDType({ body: { name: "companyID" } }),
    listUnitIDTypes: () => client.listUnitIDTypes(),
    patchUnitIDType: () => client.patchUnitIDType({ id: "companyID", body: { description: "d" } }),
    listUnitIDTypeVersions: () => client.listUnitIDTypeVersions({ id: "companyID" }),
    restoreUnitIDType: () => client.restoreUnitIDType({ id: "companyID", body: { version: 1 } }),
    readUnitIDType: () => client.readUnitIDType({ id: "companyID" }),
    deleteUnitIDType: () => client.deleteUnitIDType({ id: "companyID" }),
    createTargetApp: () => client.createTargetApp({ body: { name: "web" } }),
    listTargetApps: () => client.listTargetApps(),
    patchTargetApp: () => client.patchTargetApp({ id: "web", body: { description: "d" } }),
    listTargetAppVersions: () => client.listTargetAppVersions({ id: "web" }),
    restoreTargetApp: () => client.restoreTargetApp({ id: "web", body: { version: 1 } }),
    readTargetApp: () => client.readTargetApp({ id: "web" }),
    deleteTargetApp: () => client.deleteTargetApp({ id: "web" }),
    createLayer: () => client.createLayer({ body: { name: "A Layer" } }),
    listLayers: () => client.listLayers(),
    replaceLayer: () =>
      client.replaceLayer({
        id: "a_layer",
        body: { description: "", parameters: [{ name: "a", type: "number", defaultValue: 1 }] },
      }),
    patchLayer: () => client.patchLayer({ id: "a_layer", body: { description: "d" } }),
    listLayerVersions: () => client.listLayerVersions({ id: "a_layer" }),
    restoreLayer: () => client.restoreLayer({ id: "a_layer", body: { version: 1 } }),
    archiveLayer: () => client.archiveLayer({ id: "a_layer" }),
    unarchiveLayer: () => client.unarchiveLayer({ id: "a_layer" }),
    readLayer: () => client.readLayer({ id: "a_layer" }),
    deleteLayer: () => client.deleteLayer({ id: "a_layer" }),
    createHoldout: () => client.createHoldout({ body: { name: "A Holdout" } }),
    listHoldouts: () => client.listHoldouts(),
    replaceHoldout: () => client.replaceHoldout({ id: "a_holdout", body: fullHoldout }),
    patchHoldout: () => client.patchHoldout({ id: "a_holdout", body: { description: "d" } }),
    listHoldoutVersions: () => client.listHoldoutVersions({ id: "a_holdout" }),
    restoreHoldout: () => client.restoreHoldout({ id: "a_holdout", body: { version: 1 } }),
    archiveHoldout: () => client.archiveHoldout({ id: "a_holdout" }),
    unarchiveHoldout: () => client.unarchiveHoldout({ id: "a_holdout" }),
    readHoldout: () => client.readHoldout({ id: "a_holdout" }),
    deleteHoldout: () => client.deleteHoldout({ id: "a_holdout" }),
    readCompany: () => client.readCompany(),
    readProject: () => client.readProject(),
    listKeys: () => client.listKeys(),
    listUsers: () => client.listUsers(),
    createScheduledChange: async () => {
      await client.createGate({ body: { name: "Scheduled gate" } });
      const body = {
        entityType: "gate",
        entityID: "scheduled_gate",
        change: { isEnabled: false },
        scheduledTime: 4e12,
      } as const;
      return client.createScheduledChange({ body });
    },
    listScheduledChanges: () => client.listScheduledChanges({ status: "pending" }),
    readScheduledChange: async () => {
      const { data } = await client.listScheduledChanges();
      return client.readScheduledChange({ id: data[0]?.id ?? "" });
    },
    deleteScheduledChange: async () => {
      const { data } = await client.listScheduledChanges();
      return client.deleteScheduledChange({ id: data[0]?.id ?? "" });
    },
    listAuditLogs: () => client.listAuditLogs({ actionType: "create" }),
    readAuditLog: () => client.readAuditLog({ id: "1" }),
    readEnvironments: () => client.readEnvironments(),
    replaceEnvironments: () =>
      client.replaceEnvironments({
        body: { environments: [{ name: "production", isProduction: true }] },
        ifMatch: "0",
      }),
    summarizeEvents: () => client.summarizeEvents({ from: "2024-01-01", to: "2024-02-01" }),
    countEventDays: () => client.countEventDays({ from: "2024-01-01", event: "signup" }),
    countEventNames: () => client.countEventNames({ search: "sign", limit: 10 }),
    listMigrations: () => client.listMigrations({ limit: 1 }),
    readMigration: () => client.readMigration({ id: journalId }),
    deleteEvents: () => client.deleteEvents({ userID: "nobody" }),
    listEvents: () => client.listEvents({ day: "2024-01-01", limit: 10 }),
  } satisfies Record<ConsoleOperationName, () => Promise<{ readonly message: string }>>;
}

async function signOut({ baseUrl, service }: ClientParts): Promise<{ readonly message: string }> {
  const url = `${baseUrl}/console/v1/session`;
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ key: service.keys.console });
  const signedIn = await fetch(url, { method: "POST", headers, body });
  const cookie = signedIn.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
  const answer = await fetch(url, {
    method: "DELETE",
    headers: { cookie, "x-switchyard-page": "1" },
  });
  return (await answer.json()) as { readonly message: string };
}
