import { z } from "zod";
import { entityEnvelope, listEnvelope, pageQuery } from "./common.js";
import { text, textList } from "./fields.js";
import { consoleRoutes, extension, noParams, type Route } from "./route.js";

const keyKinds = ["console", "server", "client"] as const;

const keyTypes = ["CONSOLE", "SERVER", "CLIENT"] as const;

const scopes = textList(
  "Scopes of a console key: `read` and `write` are for all of the console API, `gates:read` and `gates:write` for a part of it. `write` includes `read`.",
);

const time = (description: string) =>
  z.int().nullable().describe(`${description}, in ms; or null.`);

const keyFields = z.object({
  id: text("Identifier of the key, as in `creatorID` of what it creates."),
  key: z.null().describe("Always null: the service stores only hashes of keys."),
  prefix: text("First 8 characters of the key."),
  kind: z.enum(keyKinds).describe("Kind of the key."),
  type: z.enum(keyTypes).describe("Kind of the key, in capitals."),
  name: text("Name of the key, which need not be unique."),
  description: text("Name of the key."),
  owner: text("Who answers for the key.").nullable(),
  scopes,
  requestsPerMinuteMax: z.int().nullable().describe("Requests per minute; null without a limit."),
  targetApp: text("The app whose entities the key sees; null for all.").nullable(),
  status: z.enum(["active", "deactivated"]).describe("`deactivated` if it is revoked or expired."),
  createdTime: z.int().describe("Time of creation, in ms since the epoch."),
  expiresTime: time("Time from which it is refused"),
  lastUsedTime: time("Time of the last use, at most a minute too early"),
  revokedTime: time("Time of the revocation"),
});

const key = keyFields.describe("A key of the service, without itself.");
const createdKey = keyFields
  .extend({ key: text("The key. It is shown only now; null with `dryRun`.").nullable() })
  .describe("A new key.");

/** The last time that a date can name, in ms since the epoch. */
const TIME_MS_MAX = 8_640_000_000_000_000;

/** Characters of the name or the owner of a key. */
const SHORT_TEXT_CHARACTERS_MAX = 100;
export const REQUESTS_PER_MINUTE_MAX = 1_000_000;

const shortText = (description: string) =>
  z
    .string()
    .min(1)
    .max(SHORT_TEXT_CHARACTERS_MAX)
    .refine(
      (value) => value.trim() === value && !/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u.test(value),
      "Must be one line without blanks around it",
    )
    .describe(description);

/** The rights of a new key. Absent ones are the widest. */
export const newKey = z.object({
  kind: z.enum(keyKinds).describe("Kind of the key."),
  name: shortText("Name of the key, the writer of its changes.").exactOptional(),
  owner: shortText("Who answers for the key: a person or a team.").exactOptional(),
  scopes: scopes.min(1).exactOptional(),
  targetApp: text("The app whose entities a server secret or client key sees.").exactOptional(),
  expiresTime: z
    .int()
    .min(0)
    .max(TIME_MS_MAX)
    .describe("Time from which it is refused, in ms since the epoch.")
    .exactOptional(),
  requestsPerMinuteMax: z
    .int()
    .min(1)
    .max(REQUESTS_PER_MINUTE_MAX)
    .describe("Requests per minute, after which further ones are refused.")
    .exactOptional(),
});

const onKeys = consoleRoutes("Keys", "/console/v1/keys", noParams);
const onKey = consoleRoutes(
  "Keys",
  "/console/v1/keys/{id}",
  z.object({ id: text("Identifier of the key.") }),
);

export const keyRoutes = {
  listKeys: onKeys("GET", "", "List the keys of the service, without their secrets", {
    ...extension,
    message: "Keys listed successfully.",
    query: pageQuery,
    response: listEnvelope(key),
  }),
  createKey: onKeys("POST", "", "Create a key with some of the rights of the caller", {
    ...extension,
    message: "Key created successfully.",
    status: 201,
    body: newKey,
    response: entityEnvelope(createdKey),
  }),
  revokeKey: onKey("DELETE", "", "Revoke a key: it is refused from now on", {
    ...extension,
    message: "Key revoked successfully.",
    response: entityEnvelope(key),
  }),
} satisfies Record<string, Route>;

export type Key = z.output<typeof key>;
export type NewKey = z.output<typeof newKey>;
