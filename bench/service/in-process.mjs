// Evaluations on one core, without HTTP: gates of a team, each for every user.
import { SpecCatalogue } from "../../src/evaluation/catalogue.js";
import { Evaluator } from "../../src/evaluation/evaluator.js";
import { EvaluationUser } from "../../src/evaluation/user.js";

const USERS = 2_000;

const conditions = [
  { type: "public" },
  { type: "email", operator: "str_ends_with_any", targetValue: ["@example.com", "@example.org"] },
  { type: "country", operator: "any", targetValue: ["US", "DE", "FR", "JP"] },
  { type: "app_version", operator: "version_gte", targetValue: "2.4.0" },
  { type: "custom_field", field: "plan", operator: "any", targetValue: ["pro", "team"] },
  { type: "passes_gate", targetValue: "gate_0" },
];

/** Three rules, of which half have a percentage. */
function gate(index) {
  const rules = [0, 1, 2].map((at) => ({
    name: `Rule ${at}`,
    id: `rule-${index}-${at}`,
    baseID: `rule-${index}-${at}`,
    passPercentage: (index + at) % 2 === 0 ? 100 : 33.3,
    conditions: [
      conditions[(index === 0 ? at : index + at) % 5],
      conditions[index && (at + 1) % 6],
    ],
    environments: null,
  }));
  const id = `gate_${index}`;
  const rest = { isEnabled: true, status: "In Progress", idType: "userID", version: 1 };
  return { kind: "gate", id, body: { ...rest, id, rules, holdoutIDs: [], targetApps: [] } };
}

function user(index) {
  return {
    userID: `user-${index}`,
    email: `user-${index}@example.${index % 2 ? "com" : "net"}`,
    country: ["US", "AT", "JP"][index % 3],
    appVersion: `2.${index % 7}.1`,
    custom: { plan: ["free", "pro"][index % 2] },
  };
}

/** Evaluations per second of processor time, and the share that passed. */
export function evaluateInProcess(gates) {
  const catalogue = new SpecCatalogue(() => false);
  catalogue.apply(Array.from({ length: gates }, (_, index) => gate(index)));
  const ids = Array.from({ length: gates }, (_, index) => `gate_${index}`);
  const users = Array.from({ length: USERS }, (_, index) => user(index));
  const begin = process.cpuUsage();
  let passed = 0;
  for (const fields of users) {
    const evaluator = new Evaluator(catalogue, new EvaluationUser(fields), { now: Date.now() });
    for (const id of ids) if (evaluator.gate(id).passes) passed += 1;
  }
  const { user: own, system } = process.cpuUsage(begin);
  return { perSecond: (USERS * gates * 1e6) / (own + system), passed: passed / (USERS * gates) };
}
