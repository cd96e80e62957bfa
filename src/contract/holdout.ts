import { z } from "zod";
import {
  entityEnvelope,
  idType,
  metricName,
  owner,
  provenance,
  tags,
  team,
  teamID,
  version,
} from "./common.js";
import { descriptionText, flag, list, nameLike, numeric, textList } from "./fields.js";
import { archivable, lifecycleRoutes } from "./lifecycle-routes.js";
import { listQuery } from "./list-query.js";
import { consoleRoutes, extension, idParams, noParams, type Route } from "./route.js";

/** The fields that clients write. */
const fields = {
  id: nameLike(/^[a-zA-Z0-9_-]*$/, "Name ID; derived from the name by default."),
  name: nameLike(/^[a-zA-Z0-9_\- ]*$/, "Display name."),
  description: descriptionText,
  idType,
  isEnabled: flag("True if units are held out."),
  passPercentage: numeric("Percentage of the units that are held out.", { min: 0, max: 100 }),
  gateIDs: textList("Gates that the held out units do not pass."),
  experimentIDs: textList("Experiments that the held out units do not take part in."),
  layerIDs: textList("Layers whose experiments the held out units do not take part in."),
  isGlobal: flag("True if it is meant for all. Held out are only the listed ones."),
  targetingGateID: z
    .string()
    .nullable()
    .describe("Gate that units must pass to be held out; null for all units."),
  monitoringMetrics: list(metricName).describe("Metrics watched while units are held out."),
  tags,
  targetApps: textList("Applications that use the holdout."),
  team,
  teamID,
};

const writable = z.object(fields);

/** Defaults of the optional fields of a create and a full update. */
export const holdoutDefaults: Omit<z.output<typeof writable>, "id" | "name"> = {
  description: "",
  idType: "userID",
  isEnabled: true,
  passPercentage: 0,
  gateIDs: [],
  experimentIDs: [],
  layerIDs: [],
  isGlobal: false,
  targetingGateID: null,
  monitoringMetrics: [],
  tags: [],
  targetApps: [],
  team: null,
  teamID: null,
};

const holdoutCreate = writable.exactPartial().extend({ name: fields.name });
const holdoutPatch = writable.omit({ id: true, idType: true }).exactPartial();
const holdoutReplace = holdoutPatch.extend({
  isEnabled: fields.isEnabled,
  description: fields.description,
  passPercentage: fields.passPercentage,
  gateIDs: fields.gateIDs,
  experimentIDs: fields.experimentIDs,
  layerIDs: fields.layerIDs,
  isGlobal: fields.isGlobal,
  targetingGateID: fields.targetingGateID,
});

const holdout = z
  .object({ ...fields, ...provenance, owner, version, ...archivable })
  .describe(
    "A holdout: units that features are withheld from, to measure what all of them change.",
  );

export type Holdout = z.output<typeof holdout>;

const path = "/console/v1/holdouts";
const onHoldouts = consoleRoutes("Holdouts", path, noParams);
const onHoldout = consoleRoutes("Holdouts", `${path}/{id}`, idParams);
const response = entityEnvelope(holdout);
const updated = { ...extension, message: "Holdout updated successfully.", response };

export const holdoutRoutes = {
  createHoldout: onHoldouts("POST", "", "Create a holdout", {
    ...extension,
    message: "Holdout created successfully.",
    body: holdoutCreate,
    response,
  }),
  replaceHoldout: onHoldout("POST", "", "Update a holdout fully", {
    ...updated,
    body: holdoutReplace,
  }),
  patchHoldout: onHoldout("PATCH", "", "Update some fields of a holdout", {
    ...updated,
    body: holdoutPatch,
  }),
  ...lifecycleRoutes({
    name: "Holdout",
    title: "Holdout",
    noun: "a holdout",
    onMany: onHoldouts,
    onOne: onHoldout,
    updated: updated.message,
    entity: holdout,
    query: listQuery.omit({ type: true, layerID: true }),
  }),
} satisfies Record<string, Route>;
