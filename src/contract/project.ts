import { z } from "zod";
import { entityEnvelope, listEnvelope, pageQuery } from "./common.js";
import { flag, text } from "./fields.js";
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

const user = z.object({
  email: text("Email address."),
  firstName: text("First name."),
  lastName: text("Last name."),
  role: text("Role."),
});

const onProject = consoleRoutes("Project", "/console/v1", noParams);

/** Facts of the project. They are read only. */
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
  listUsers: onProject("GET", "/users", "List the users of the service, which has none", {
    ...extension,
    message: "Users listed successfully.",
    query: pageQuery,
    response: listEnvelope(user),
  }),
} satisfies Record<string, Route>;
