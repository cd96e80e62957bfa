import { z } from "zod";
import { entityEnvelope, owner, provenance, version } from "./common.js";
import { descriptionText, flag, pathName, text } from "./fields.js";
import { namedSteps, storedRoutes } from "./lifecycle-routes.js";
import { listQuery } from "./list-query.js";
import { consoleRoutes, extension, idParams, noParams, type Route } from "./route.js";

/** Fields of everything that other entities mention by its name. */
const fields = {
  name: pathName("Name, which is also the id and never changes."),
  description: descriptionText,
};

interface Registry<Name extends string, Shape extends z.ZodRawShape> {
  /** In names of operations. */
  readonly name: Name;
  /** In messages: `Tag` in `Tag read successfully.` */
  readonly title: string;
  /** In summaries: `a tag`. */
  readonly noun: string;
  readonly path: Route["path"];
  readonly created: 200 | 201;
  /** Fields beside name and description. */
  readonly shape: Shape;
  /** Fields of a create only. */
  readonly createShape?: z.ZodRawShape;
}

/** Returns the routes of things that have a name and a description. Clients create, change and delete them. */
function registryRoutes<const Name extends string, Shape extends z.ZodRawShape>({
  name,
  title,
  noun,
  path,
  created,
  shape,
  createShape = {},
}: Registry<Name, Shape>) {
  const entity = z
    .object({ id: text("The name."), ...fields, ...shape, ...provenance, owner, version })
    .describe(`${noun.charAt(0).toUpperCase()}${noun.slice(1)}.`);
  const writable = z.object({ ...fields, ...shape }).exactPartial();
  const group = `${title}s`;
  const onMany = consoleRoutes(group, path, noParams);
  const onOne = consoleRoutes(group, `${path}/{id}`, idParams);
  const response = entityEnvelope(entity);
  const updated = `${title} updated successfully.`;
  return {
    ...namedSteps(name, {
      "create*": onMany("POST", "", `Create ${noun}`, {
        ...extension,
        status: created,
        message: `${title} created successfully.`,
        body: writable.extend({ name: fields.name, ...createShape }),
        response,
      }),
      "patch*": onOne("PATCH", "", `Update some fields of ${noun}`, {
        ...extension,
        message: updated,
        body: writable,
        response,
      }),
    }),
    ...storedRoutes({
      name,
      title,
      noun,
      onMany,
      onOne,
      updated,
      entity,
      query: listQuery.pick({ limit: true, page: true, offset: true, search: true }),
    }),
  };
}

/** Tags of entities. An entity may have tags that are not among these. */
export const tagRoutes = registryRoutes({
  name: "Tag",
  title: "Tag",
  noun: "a tag",
  path: "/console/v1/tags",
  created: 200,
  shape: { isCore: flag("True for a tag of the core set of a team.") },
}) satisfies Record<string, Route>;

/** Types of IDs beside `userID` and `stableID`, which every project has. */
export const unitIDTypeRoutes = registryRoutes({
  name: "UnitIDType",
  title: "Unit ID Type",
  noun: "a unit ID type",
  path: "/console/v1/unit_id_types",
  created: 201,
  shape: {},
}) satisfies Record<string, Route>;

/** A list of entities that may only be empty: they name their target apps themselves. */
const unassigned = (entities: string) =>
  z
    .array(z.string())
    .check(({ value, issues }) => {
      if (value.length === 0) return;
      const message = `Cannot be assigned here: write targetApps of each of the ${entities}`;
      issues.push({ code: "custom", message, input: value });
    })
    .describe(`Only empty. Write \`targetApps\` of each of the ${entities} instead.`)
    .exactOptional();

/** Applications that use entities. */
export const targetAppRoutes = registryRoutes({
  name: "TargetApp",
  title: "Target app",
  noun: "a target app",
  path: "/console/v1/target_app",
  created: 200,
  shape: {},
  createShape: {
    gates: unassigned("gates"),
    dynamicConfigs: unassigned("dynamic configs"),
    experiments: unassigned("experiments"),
  },
}) satisfies Record<string, Route>;
