import { SEND_BATCH_ROWS_MAX, SEND_CONCURRENCY_MAX } from "../../base/limits.js";
import { bodyForms } from "../../sinks/webhook/request-batch.js";
import {
  choiceType,
  countType,
  pathType,
  rejectLimitType,
  switchType,
  textType,
  urlType,
} from "./configuration-types.js";
import { option } from "./option-description.js";

/** What `send` can be told, in the order of help and documentation. */
export const sendOptions = {
  sendTo: option({
    section: "send",
    key: "to",
    type: urlType,
    description:
      "Base URL of the service that takes the events, without /v1/webhooks/event_webhook",
  }),
  body: option({
    section: "send",
    type: choiceType(bodyForms),
    description: "What one request carries: an event as an object, or several as an array",
    default: "object",
  }),
  batchSize: option({
    section: "send",
    type: countType(1, SEND_BATCH_ROWS_MAX),
    description: "Events of one request, with --body array",
    default: "500",
  }),
  concurrency: option({
    section: "send",
    type: countType(1, SEND_CONCURRENCY_MAX),
    description: "Requests under way at the same time; so many may be sent again after a kill",
    default: "32",
  }),
  rate: option({
    section: "send",
    type: countType(1, 10_000_000),
    placeholder: "<events>",
    description: "Events per second, at most",
    default: "as fast as the service takes them",
  }),
  burst: option({
    section: "send",
    type: countType(1, 10_000_000),
    placeholder: "<events>",
    description: "Events that may go out at once after a rest, with --rate",
    default: "those of one second",
  }),
  timeout: option({
    section: "send",
    type: countType(1, 3_600),
    placeholder: "<seconds>",
    description: "Time for a connection, and for a whole answer",
    default: "30",
  }),
  giveUpAfter: option({
    section: "send",
    type: countType(1, 604_800),
    placeholder: "<seconds>",
    description: "Stop, to be resumed, after so long without one success",
    default: "900",
  }),
  sendAuthHeader: option({
    section: "send",
    key: "authHeader",
    type: { ...textType, schema: { type: "string", format: "header-name" } },
    placeholder: "<header>",
    description: "Header that carries the server secret",
    default: "SERVICE-API-KEY",
  }),
  serverSecretFile: option({
    section: "send",
    type: pathType,
    placeholder: "<file>",
    description:
      "File that holds the server secret; SWITCHYARD_SERVER_SECRET can hold the secret itself",
  }),
  runs: option({
    section: "send",
    type: pathType,
    placeholder: "<dir>",
    description: "Directory that remembers what was sent, and keeps the rejects",
    default: "./.switchyard/runs",
  }),
  sendMaxRejects: option({
    section: "send",
    key: "maxRejects",
    type: rejectLimitType,
    description: "Rejected rows, or their share of all rows, up to which the exit code is still 0",
    default: "0",
  }),
  sendFresh: option({
    section: "send",
    key: "fresh",
    type: switchType,
    description: "Forget what an earlier run of the same command has sent, and send all of it",
    default: "off",
  }),
} as const;
