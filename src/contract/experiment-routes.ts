import { pageQuery } from "./common.js";
import { entityEnvelope, listEnvelope, messageEnvelope } from "./envelope.js";
import {
  enableGroups,
  experiment,
  experimentCreate,
  experimentPatch,
  experimentReplace,
  restartAsNew,
} from "./experiment.js";
import { idParams, noBody, noParams, noQuery, type Route } from "./route.js";

const path = "/console/v1/experiments";
const onExperiments = {
  access: "console",
  group: "Experiments",
  params: noParams,
  query: noQuery,
} as const;
const onExperiment = { ...onExperiments, params: idParams, status: 200, body: noBody } as const;
const specified = { origin: "specification" } as const;
const extension = { origin: "extension" } as const;
const updated = {
  message: "Experiment updated successfully.",
  response: entityEnvelope(experiment),
} as const;
const listed = {
  message: "Experiments listed successfully.",
  response: listEnvelope(experiment),
} as const;

/** Experiments, in the order of the specification's table. */
export const experimentRoutes = {
  createExperiment: {
    ...onExperiments,
    ...specified,
    method: "POST",
    path,
    summary: "Create an experiment",
    body: experimentCreate,
    status: 201,
    message: "Experiment created successfully.",
    response: entityEnvelope(experiment),
  },
  replaceExperiment: {
    ...onExperiment,
    ...specified,
    ...updated,
    method: "POST",
    path: `${path}/{id}`,
    summary: "Update an experiment fully",
    body: experimentReplace,
  },
  patchExperiment: {
    ...onExperiment,
    ...specified,
    ...updated,
    method: "PATCH",
    path: `${path}/{id}`,
    summary: "Update some fields of an experiment",
    body: experimentPatch,
  },
  enableExperimentGroups: {
    ...onExperiment,
    ...specified,
    ...updated,
    method: "POST",
    path: `${path}/{id}/enable_groups`,
    summary: "Enable groups of an experiment",
    body: enableGroups,
    status: 201,
  },
  restartExperimentAsNew: {
    ...onExperiment,
    ...specified,
    method: "POST",
    path: `${path}/{id}/restart_as_new`,
    summary: "Start a copy of an experiment under another name",
    body: restartAsNew,
    message: "Restart As New Experiment Success",
    response: entityEnvelope(experiment),
  },
  listExperimentVersions: {
    ...onExperiment,
    ...specified,
    ...listed,
    method: "GET",
    path: `${path}/{id}/versions`,
    summary: "List the versions of an experiment, newest first",
    query: pageQuery,
  },
  listExperiments: {
    ...onExperiments,
    ...extension,
    ...listed,
    method: "GET",
    path,
    summary: "List experiments, newest first",
    query: pageQuery,
    body: noBody,
    status: 200,
  },
  readExperiment: {
    ...onExperiment,
    ...extension,
    method: "GET",
    path: `${path}/{id}`,
    summary: "Read an experiment",
    message: "Experiment read successfully.",
    response: entityEnvelope(experiment),
  },
  deleteExperiment: {
    ...onExperiment,
    ...extension,
    method: "DELETE",
    path: `${path}/{id}`,
    summary: "Delete an experiment",
    message: "Experiment deleted successfully.",
    response: messageEnvelope,
  },
} as const satisfies Record<string, Route>;
