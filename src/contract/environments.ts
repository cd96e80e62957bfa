import { z } from "zod";
import { entityEnvelope, partFields } from "./common.js";
import { flag, list, pathName, text, withRule } from "./fields.js";
import { consoleRoutes, extension, noParams, noQuery, type Route } from "./route.js";

const ENVIRONMENTS_MAX = 100;

const environment = z.object({
  name: pathName("Name, as rules and users of SDKs mention it."),
  id: text("Identifier; generated if it is absent."),
  isProduction: flag("True for an environment of production."),
  requiresReview: flag("True if changes need a review. This service does not hold changes back."),
  requiresReleasePipeline: flag(
    "True if changes need a release pipeline. This service does not hold changes back.",
  ),
  requiredReviewGroupID: text("Group whose reviews are required.").exactOptional(),
});

const environmentRequest = environment.exactPartial({
  id: true,
  requiresReview: true,
  requiresReleasePipeline: true,
});

const described = "Environments, in the order of their use.";

const environmentsRequest = withRule(
  z.object({
    environments: z.array(environmentRequest).min(1).max(ENVIRONMENTS_MAX).describe(described),
  }),
  duplicateFaults,
);

const environments = z
  .object({ ...partFields, environments: list(environment).describe(described) })
  .describe("The environments of the project.");

/** Returns a fault for each environment with the name or the id of one before it. */
function duplicateFaults(body: unknown) {
  const { environments } = (body ?? {}) as { readonly environments?: unknown };
  if (!Array.isArray(environments)) return [];
  return (["name", "id"] as const).flatMap((field) => {
    const values = environments.map(
      (one) => (one as { readonly [field]?: unknown } | null)?.[field],
    );
    return values.flatMap((value, index) =>
      value !== undefined && values.indexOf(value) < index
        ? [{ path: ["environments", index, field], message: `Another environment has it too` }]
        : [],
    );
  });
}

export type EnvironmentRequest = z.output<typeof environmentRequest>;
export type Environment = z.output<typeof environment>;
export type Environments = z.output<typeof environments>;

/** The id of the only entity of its kind. */
export const ENVIRONMENTS_ID = "environments";

/** The environments of a new project. */
export const defaultEnvironments: readonly Environment[] = [
  "development",
  "staging",
  "production",
].map((name) => ({
  name,
  id: name,
  isProduction: name === "production",
  requiresReview: false,
  requiresReleasePipeline: false,
}));

/** Returns the names in lower case, as users and rules are compared with them. */
export function environmentNames(
  { environments }: Pick<Environments, "environments"> = { environments: [...defaultEnvironments] },
): ReadonlySet<string> {
  return new Set(environments.map(({ name }) => name.toLowerCase()));
}

const onEnvironments = consoleRoutes("Environments", "/console/v1/environments", noParams);

export const environmentRoutes = {
  readEnvironments: onEnvironments("GET", "", "Read the environments of the project", {
    ...extension,
    message: "Environments read successfully.",
    query: noQuery,
    response: entityEnvelope(environments),
  }),
  replaceEnvironments: onEnvironments("POST", "", "Replace the environments of the project", {
    ...extension,
    message: "Environments updated successfully.",
    single: true,
    body: environmentsRequest,
    response: entityEnvelope(environments),
  }),
} satisfies Record<string, Route>;
