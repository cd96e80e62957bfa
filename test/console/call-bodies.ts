/** Bodies of the calls of `client.test.ts`. */

export const source = {
  sql: "SELECT 1",
  timestampColumn: "at",
  idTypeMapping: [{ serviceUnitID: "userID", column: "user_id" }],
};
export const rules = [
  { name: "all", passPercentage: 100, conditions: [{ type: "public" as const }] },
];
export const rule = { name: "another", passPercentage: 1, conditions: [] };
export const fullExperiment = {
  description: "",
  idType: "userID",
  hypothesis: "It helps",
  groups: [
    { name: "Control", size: 50 },
    { name: "Test", size: 50, disabled: true },
  ],
  allocation: 100,
  targetingGateID: null,
  bonferroniCorrection: false,
  defaultConfidenceInterval: "95" as const,
  status: "setup" as const,
};

export const fullHoldout = {
  isEnabled: true,
  description: "",
  passPercentage: 5,
  gateIDs: ["a_gate"],
  experimentIDs: [],
  layerIDs: [],
  isGlobal: false,
  targetingGateID: null,
};
