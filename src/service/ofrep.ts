import { hash } from "node:crypto";
import { isObject } from "../base/is-object.js";
import type { AnyObject } from "../contract/fields.js";
import type { OfrepErrorCode, ofrepRoutes } from "../contract/ofrep.js";
import type { Evaluation } from "../evaluation/evaluation.js";
import { Evaluator } from "../evaluation/evaluator.js";
import { askedSpecs } from "../evaluation/initialize-response.js";
import { EvaluationUser } from "../evaluation/user.js";
import { type Handlers, jsonAnswer, type WholeAnswer } from "../http/handler.js";
import { refuseTooMany } from "./evaluation.js";
import type { ExposureLog } from "./exposure-log.js";
import type { LiveCatalogue } from "./live-catalogue.js";

interface OfrepHandlerOptions {
  readonly catalogue: LiveCatalogue;
  readonly exposures: ExposureLog;
  /** Returns ms since the epoch. */
  now(): number;
}

/** The members of a context that are fields of the user, not custom ones. */
const userFields: ReadonlySet<string> = new Set([
  "userID",
  "email",
  "ip",
  "userAgent",
  "country",
  "locale",
  "appVersion",
  "customIDs",
  "privateAttributes",
]);

/** Returns the handlers of OpenFeature's remote evaluation protocol. */
export function ofrepHandlers({
  catalogue: live,
  exposures,
  now,
}: OfrepHandlerOptions): Handlers<typeof ofrepRoutes> {
  return {
    async evaluateFlag({ params: { key }, body, caller }): Promise<WholeAnswer> {
      const context = contextOf(body);
      if (typeof context === "string") return ofrepError(400, context, { key });
      const { catalogue } = await live.current();
      const { user, targetingKey } = userOf(context);
      const evaluator = new Evaluator(catalogue, new EvaluationUser(user, targetingKey), {
        now: now(),
        targetApp: caller.targetApp ?? undefined,
      });
      // The unit, where the user has no id of the type that is asked for.
      const exposedUser = { ...user, targetingKey };
      const gate = evaluator.asked("gate", key);
      // Segments and holdouts have a colon in their names.
      if (gate.reason !== "UNKNOWN" && !key.includes(":")) {
        const { passes, ruleID } = gate;
        const metadata = { gate: key, gateValue: String(passes), ruleID };
        exposures.add({ event: "statsig::gate_exposure", user: exposedUser, metadata });
        return jsonAnswer(gateAnswer(key, gate));
      }
      const config = evaluator.asked("config", key);
      if (config.reason === "UNKNOWN") return ofrepError(404, "FLAG_NOT_FOUND", { key });
      const { passes, ruleID } = config;
      const metadata = { config: key, ruleID, rulePassed: String(passes) };
      exposures.add({ event: "statsig::config_exposure", user: exposedUser, metadata });
      return jsonAnswer(configAnswer(key, config));
    },

    async evaluateFlags({ body, bodyText = "", ifNoneMatch, caller }): Promise<WholeAnswer> {
      const context = contextOf(body);
      if (typeof context === "string") return ofrepError(400, context);
      const { catalogue, time } = await live.current();
      const { gates, configs } = askedSpecs(catalogue, caller.targetApp ?? undefined);
      refuseTooMany(gates.length + configs.length);
      const { user, targetingKey } = userOf(context);
      const evaluator = new Evaluator(catalogue, new EvaluationUser(user, targetingKey), {
        now: now(),
        targetApp: caller.targetApp ?? undefined,
      });
      const flags = [
        ...gates.map(({ name }) => gateAnswer(name, evaluator.gate(name))),
        ...configs.map(({ name }) => configAnswer(name, evaluator.config(name))),
      ];
      const text = JSON.stringify({ flags });
      // Answers may also change with the time, so the answer itself is hashed.
      const etag = `"${hash("sha256", `${time} ${bodyText} ${text}`, "base64url")}"`;
      if (ifNoneMatch === etag) return { status: 304, headers: { etag }, body: "" };
      return jsonAnswer(text, { etag });
    },
  };
}

function gateAnswer(key: string, evaluation: Evaluation): AnyObject {
  const { passes, reason } = evaluation;
  const variant = passes ? "on" : "off";
  return { key, value: passes, reason, variant, metadata: metadataOf(evaluation) };
}

function configAnswer(key: string, evaluation: Evaluation): AnyObject {
  const { value, reason, groupName, ruleID } = evaluation;
  return { key, value, reason, variant: groupName ?? ruleID, metadata: metadataOf(evaluation) };
}

function metadataOf({ ruleID, groupName }: Evaluation): AnyObject {
  return { ruleID, ...(groupName !== null && { groupName }) };
}

/** Returns the context of a body, or the code of what is wrong with it. */
function contextOf(body: unknown): AnyObject | OfrepErrorCode {
  if (!isObject(body)) return "PARSE_ERROR";
  const { context = {} } = body;
  if (!isObject(context)) return "INVALID_CONTEXT";
  const { targetingKey, customIDs } = context;
  if (targetingKey === undefined || targetingKey === "") return "TARGETING_KEY_MISSING";
  if (typeof targetingKey !== "string") return "INVALID_CONTEXT";
  return customIDs === undefined || isObject(customIDs) ? context : "INVALID_CONTEXT";
}

/** Returns the user of a context. The targeting key is the user, and any id that the context lacks. */
function userOf(context: AnyObject): { readonly user: AnyObject; readonly targetingKey: string } {
  const { targetingKey, environment, ...members } = context;
  const user: Record<string, unknown> = { userID: targetingKey };
  const custom: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    (userFields.has(name) ? user : custom)[name] = value;
  }
  if (typeof environment === "string") user["statsigEnvironment"] = { tier: environment };
  return { user: { ...user, custom }, targetingKey: String(targetingKey) };
}

const details: Readonly<Record<OfrepErrorCode, string>> = {
  PARSE_ERROR: "The body is not a JSON object",
  INVALID_CONTEXT: "`context` must be an object with a text as `targetingKey`",
  TARGETING_KEY_MISSING: "`context.targetingKey` is missing: send the id of the user",
  FLAG_NOT_FOUND: "There is no gate, dynamic config or experiment with this key",
  GENERAL: "The request is not valid",
};

/** Returns a refusal in the form of OpenFeature. */
function ofrepError(
  status: number,
  errorCode: OfrepErrorCode,
  { key, errorDetails = details[errorCode] }: { key?: string; errorDetails?: string } = {},
): WholeAnswer {
  const body = { ...(key !== undefined && { key }), errorCode, errorDetails };
  return { ...jsonAnswer(body), status };
}
