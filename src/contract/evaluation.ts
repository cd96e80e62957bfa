import { z } from "zod";
import { flag, jsonObject, list, text } from "./fields.js";
import { noBody, noParams, noQuery, type Route } from "./route.js";

/** Names of gates in one request. */
const GATES_PER_REQUEST_MAX = 1_000;

export const identifier = z.union([z.string(), z.number()]).nullish();

/** The user of SDKs. Further members are fields that conditions may read. */
export const user = z
  .looseObject({
    userID: identifier.describe("ID of the user."),
    email: z.string().nullish().describe("Email address."),
    ip: z.string().nullish().describe("IP address: the country is looked up with it."),
    userAgent: z.string().nullish().describe("User agent: browser and system are read from it."),
    country: z.string().nullish().describe("Country in two letters."),
    locale: z.string().nullish().describe("Language and region."),
    appVersion: z.string().nullish().describe("Version of the application."),
    custom: z.looseObject({}).nullish().describe("Fields that `custom_field` conditions read."),
    privateAttributes: z
      .looseObject({})
      .nullish()
      .describe("Further such fields, which are never stored."),
    customIDs: z.record(z.string(), identifier).nullish().describe("IDs of other types, by type."),
    statsigEnvironment: z
      .looseObject({ tier: z.string().nullish().describe("Name of the environment.") })
      .nullish()
      .describe("The environment."),
  })
  .describe("The user to evaluate for.");

export type EvaluatedUser = z.output<typeof user>;

/** The reasons of answers, with OpenFeature's names. */
export const evaluationReasons = [
  "STATIC",
  "TARGETING_MATCH",
  "SPLIT",
  "DEFAULT",
  "DISABLED",
  "UNKNOWN",
  "ERROR",
] as const;

export type EvaluationReason = (typeof evaluationReasons)[number];

const reason = z
  .enum(evaluationReasons)
  .describe(
    "Why: `UNKNOWN` if there is no such entity, `ERROR` if it has a condition that SDKs do not support.",
  );

const ruleFields = {
  rule_id: text("The rule that decided; empty if there is no such entity."),
  ruleID: text("The same, as other clients spell it."),
  group_name: z.string().nullable().describe("Name of the rule or group; null without one."),
  reason,
};

const gateAnswer = z.object({
  name: text("Name ID of the gate."),
  value: flag("True if the user passes the gate."),
  ...ruleFields,
});

const valueFields = {
  name: text("Name ID."),
  value: jsonObject("The value for the user."),
  group: text("The rule that decided."),
  ...ruleFields,
  rule_id: z.string().nullable().describe("The same; null if there is no such entity."),
};

export const nameHashes = ["djb2", "sha256", "none"] as const;

const sdkMetadata = z.looseObject({}).nullish().describe("Facts about the SDK; not stored.");

/** An SDK's document: its form is the SDK's. */
const document = z.looseObject({
  has_updates: flag("False if nothing changed since `sinceTime`."),
});

const evaluationRoute = {
  group: "Evaluation",
  params: noParams,
  query: noQuery,
  origin: "extension",
  access: "client",
  status: 200,
  message: "",
  sdk: true,
} as const;

const documentRoute = {
  ...evaluationRoute,
  method: "GET",
  access: "server",
  params: z.object({ secret: text("The server secret, with or without `.json`.") }),
  query: z.object({
    sinceTime: text("`time` of the document that the SDK has.").exactOptional(),
  }),
  moreStatuses: [304],
  body: noBody,
  response: document,
} as const;

/** Evaluation: for clients that ask, and documents for SDKs that evaluate by themselves. */
export const evaluationRoutes = {
  checkGate: {
    ...evaluationRoute,
    method: "POST",
    path: "/v1/check_gate",
    summary: "Evaluate one gate or several for a user",
    body: z.looseObject({
      user,
      gateName: text("Name ID of a gate.").exactOptional(),
      gateNames: list(z.string())
        .max(GATES_PER_REQUEST_MAX)
        .describe("Name IDs of several gates: the answer is a map by name.")
        .exactOptional(),
      statsigMetadata: sdkMetadata,
    }),
    response: z.union([gateAnswer, z.record(z.string(), gateAnswer)]),
  },
  getConfig: {
    ...evaluationRoute,
    method: "POST",
    path: "/v1/get_config",
    summary: "Evaluate a dynamic config or an experiment for a user",
    body: z.looseObject({
      user,
      configName: text("Name ID of a dynamic config or an experiment."),
      statsigMetadata: sdkMetadata,
    }),
    response: z.object(valueFields),
  },
  getLayer: {
    ...evaluationRoute,
    method: "POST",
    path: "/v1/get_layer",
    moreStatuses: [404],
    summary: "Evaluate a layer for a user",
    body: z.looseObject({
      user,
      layerName: text("Name ID of a layer."),
      statsigMetadata: sdkMetadata,
    }),
    response: z.object({
      ...valueFields,
      allocatedExperimentName: text("The experiment that gave the value; empty for none."),
    }),
  },
  initializeClient: {
    ...evaluationRoute,
    method: "POST",
    path: "/v1/initialize",
    summary: "Evaluate everything for a user, as SDKs of clients read it",
    body: z.looseObject({
      user: user.nullish(),
      hash: z.enum(nameHashes).nullish().describe("Hash of the names in the answer."),
      statsigMetadata: sdkMetadata,
    }),
    response: document,
  },
  getIDLists: {
    ...evaluationRoute,
    method: "POST",
    path: "/v1/get_id_lists",
    access: "server",
    summary: "Return the files with the lists of segments",
    body: noBody,
    response: z.record(
      z.string(),
      z.object({
        name: text("Name ID of the segment."),
        size: z.int().describe("Bytes of the file."),
        url: text("Address of the file."),
        creationTime: z.int().describe("Time of the file, in ms since the epoch."),
        fileID: text("Another file has another id: SDKs then start over."),
      }),
    ),
  },
  readIDList: {
    ...evaluationRoute,
    method: "GET",
    path: "/v1/id_lists/{file}",
    access: "public",
    params: z.object({ file: text("Id of the file, which cannot be guessed.") }),
    summary: "Return a list of a segment, or its end, as lines with hashes of ids",
    moreStatuses: [206, 416],
    body: noBody,
    response: z.string(),
  },
  downloadSpecs: {
    ...documentRoute,
    path: "/v1/download_config_specs/{secret}",
    summary: "Return the specifications that SDKs evaluate, as lists",
  },
  downloadSpecsByKey: {
    ...evaluationRoute,
    method: "POST",
    path: "/v1/download_config_specs",
    access: "server",
    summary: "Return the same to earlier SDKs, which send their key in a header",
    body: z.looseObject({
      sinceTime: z.number().nullish().describe("`time` of the document that the SDK has."),
      statsigMetadata: sdkMetadata,
    }),
    moreStatuses: [304],
    response: document,
  },
  downloadSpecMaps: {
    ...documentRoute,
    path: "/v2/download_config_specs/{secret}",
    summary: "Return the specifications that SDKs evaluate, as maps",
  },
} as const satisfies Record<string, Route>;
