import { z } from "zod";
import { entityEnvelope, listEnvelope, pageQuery } from "./common.js";
import { flag, text, textList } from "./fields.js";
import { consoleRoutes, extension, noParams, noQuery, type Route } from "./route.js";

const company = z
  .object({
    companyID: text("Identifier of the company: always the same."),
    companyName: text("Name of the company: that of the service."),
    isWarehouseNative: flag("False: events are stored here."),
    orgID: text("Identifier of the organization: none.").nullable(),
    orgName: text("Name of the organization: none.").nullable(),
  })
  .describe("The company of the project. A service has one.");

const project = z
  .object({ id: text("Identifier of the project: always the same.") })
  .describe("The project. A service has one.");

const keyTypes = ["CONSOLE", "SERVER", "CLIENT"] as const;

const key = z.object({
  id: text("Identifier of the key, as in `creatorID` of what it creates."),
  key: z.null().describe("Always null: the service stores only hashes of keys."),
  prefix: text("First 8 characters of the key."),
  type: z.enum(keyTypes).describe("Kind of the key."),
  description: text("Name of the key."),
  owner: text("Who answers for the key.").nullable(),
  scopes: textList(
    "Scopes of a console key: `omni_read_write`, `omni_read_only`, or parts of the console API, such as `gates:write`.",
  ),
  status: z.enum(["active", "deactivated"]).describe("`deactivated` if it was revoked."),
  createdTime: z.int().describe("Time of creation, in ms since the epoch."),
  expiresTime: z.int().nullable().describe("Time from which it is refused, in ms since the epoch."),
  lastUsedTime: z
    .int()
    .nullable()
    .describe("Time of the last use, at most a minute too early, in ms since the epoch."),
});

const user = z.object({
  email: text("Email address."),
  firstName: text("First name."),
  lastName: text("Last name."),
  role: text("Role."),
});

export type Key = z.output<typeof key>;

const onProject = consoleRoutes("Project", "/console/v1", noParams);

/** Facts of the project. They are read only: operators manage keys on the data directory. */
export const projectRoutes = {
  readCompany: onProject("GET", "/company", "Read the company of the project", {
    ...extension,
    message: "Company read successfully.",
    query: noQuery,
    response: entityEnvelope(company),
  }),
  readProject: onProject("GET", "/project", "Read the project", {
    ...extension,
    message: "Project read successfully.",
    query: noQuery,
    response: entityEnvelope(project),
  }),
  listKeys: onProject("GET", "/keys", "List the keys of the service, without their secrets", {
    ...extension,
    message: "Keys listed successfully.",
    query: pageQuery,
    response: listEnvelope(key),
  }),
  listUsers: onProject("GET", "/users", "List the users of the service, which has none", {
    ...extension,
    message: "Users listed successfully.",
    query: pageQuery,
    response: listEnvelope(user),
  }),
} satisfies Record<string, Route>;
