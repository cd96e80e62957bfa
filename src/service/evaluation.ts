import { omitUndefined } from "../base/omit-undefined.js";
import type { EvaluatedUser, evaluationRoutes } from "../contract/evaluation.js";
import type { AnyObject } from "../contract/fields.js";
import type { Evaluation } from "../evaluation/evaluation.js";
import { Evaluator } from "../evaluation/evaluator.js";
import { askedSpecs, initializeAnswers } from "../evaluation/initialize-response.js";
import { EvaluationUser } from "../evaluation/user.js";
import {
  type HandlerAnswer,
  type Handlers,
  jsonAnswer,
  type WholeAnswer,
} from "../http/handler.js";
import { ServiceError } from "../http/service-error.js";
import { EVALUATIONS_PER_REQUEST_MAX } from "../http/service-limits.js";
import type { KeyRecord } from "../storage/key-store.js";
import type { EntityStore } from "../storage/store.js";
import type { ExposureLog } from "./exposure-log.js";
import { idListHandlers } from "./id-lists.js";
import type { CurrentCatalogue, LiveCatalogue } from "./live-catalogue.js";
import { SpecDocuments } from "./spec-documents.js";

interface EvaluationHandlerOptions {
  readonly catalogue: LiveCatalogue;
  readonly entities: EntityStore;
  readonly exposures: ExposureLog;
  /** Returns ms since the epoch. */
  now(): number;
}

/** Returns the handlers of the routes that evaluate, and of the documents of SDKs. */
export function evaluationHandlers({
  catalogue: live,
  entities,
  exposures,
  now,
}: EvaluationHandlerOptions): Handlers<typeof evaluationRoutes> {
  const evaluatorFor = (
    { catalogue }: CurrentCatalogue,
    user: EvaluatedUser,
    { targetApp }: KeyRecord,
  ) =>
    new Evaluator(catalogue, new EvaluationUser(user), {
      now: now(),
      targetApp: targetApp ?? undefined,
    });

  return {
    async checkGate({ body: { user, gateName, gateNames }, caller }): Promise<HandlerAnswer> {
      const evaluator = evaluatorFor(await live.current(), user, caller);
      const answer = (name: string) => {
        const evaluation = evaluator.asked("gate", name);
        const { passes, ruleID } = evaluation;
        const metadata = { gate: name, gateValue: String(passes), ruleID };
        exposures.add({ event: "statsig::gate_exposure", user, metadata });
        return { name, value: passes, rule_id: ruleID, ...ruleMembers(evaluation) };
      };
      if (gateNames !== undefined) {
        return { content: Object.fromEntries(gateNames.map((name) => [name, answer(name)])) };
      }
      if (gateName === undefined) throw nameMissing("gateName");
      return { content: answer(gateName) };
    },

    async getConfig({ body: { user, configName: name }, caller }): Promise<HandlerAnswer> {
      const evaluation = evaluatorFor(await live.current(), user, caller).asked("config", name);
      const { ruleID, passes } = evaluation;
      const metadata = { config: name, ruleID, rulePassed: String(passes) };
      exposures.add({ event: "statsig::config_exposure", user, metadata });
      return { content: { name, ...valueMembers(evaluation) } };
    },

    async getLayer({ body: { user, layerName: name }, caller }): Promise<HandlerAnswer> {
      const evaluation = evaluatorFor(await live.current(), user, caller).asked("layer", name);
      const { ruleID, delegate = "", reason } = evaluation;
      if (reason === "UNKNOWN") {
        throw new ServiceError({ status: 404, message: `Layer ${name} not found` });
      }
      const metadata = { config: name, ruleID, allocatedExperiment: delegate };
      exposures.add({ event: "statsig::layer_exposure", user, metadata });
      const members = valueMembers(evaluation);
      return { content: { name, ...members, allocatedExperimentName: delegate } };
    },

    async initializeClient({ body, caller }): Promise<WholeAnswer> {
      const { user, hash } = body;
      const current = await live.current();
      const { catalogue, time } = current;
      const asked = askedSpecs(catalogue, caller.targetApp ?? undefined);
      refuseTooMany(asked.gates.length + asked.configs.length + asked.layers.length);
      const { privateAttributes: _, ...shownUser } = user ?? {};
      const evaluator = evaluatorFor(current, user ?? {}, caller);
      const { userID, customIDs } = shownUser;
      return jsonAnswer({
        ...initializeAnswers(asked, catalogue, evaluator, hash ?? "djb2"),
        has_updates: true,
        time,
        hash_used: hash ?? "djb2",
        sdkParams: {},
        evaluated_keys: omitUndefined({
          userID: userID ?? undefined,
          customIDs: customIDs ?? undefined,
        }),
        user: shownUser,
        generator: "switchyard",
      });
    },

    ...idListHandlers(live, entities),

    ...documentHandlers(new SpecDocuments(live)),
  };
}

/** The documents of SDKs. Those of earlier ones send what they have in the body. */
function documentHandlers(documents: SpecDocuments) {
  return {
    downloadSpecs: ({ query, ifNoneMatch, caller }) =>
      documents.answer("list", caller, query.sinceTime, ifNoneMatch),

    downloadSpecsByKey: ({ body, ifNoneMatch, caller }) =>
      documents.answer("list", caller, body.sinceTime ?? undefined, ifNoneMatch),

    downloadSpecMaps: ({ query, ifNoneMatch, caller }) =>
      documents.answer("map", caller, query.sinceTime, ifNoneMatch),
  } satisfies Partial<Handlers<typeof evaluationRoutes>>;
}

function ruleMembers({ ruleID, groupName, reason }: Evaluation): AnyObject {
  return { ruleID, group_name: groupName, reason };
}

function valueMembers(evaluation: Evaluation): AnyObject {
  const { value, ruleID, reason } = evaluation;
  const rule_id = reason === "UNKNOWN" ? null : ruleID;
  return { value, group: ruleID, rule_id, ...ruleMembers(evaluation) };
}

/** Throws if an answer would have more evaluations than may block other requests. */
export function refuseTooMany(evaluations: number): void {
  if (evaluations <= EVALUATIONS_PER_REQUEST_MAX) return;
  throw new ServiceError({
    status: 400,
    message:
      `There are ${evaluations} gates, configs and layers, and an answer holds at most ` +
      `${EVALUATIONS_PER_REQUEST_MAX}: ask for single ones, or use a key with a target app.`,
  });
}

function nameMissing(property: string): ServiceError {
  const message = `Expected ${property} or gateNames`;
  return new ServiceError({
    status: 400,
    message,
    faults: [{ property, errorMessage: "Required" }],
  });
}
