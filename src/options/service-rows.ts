import { SEND_BATCH_ROWS_MAX, SEND_CONCURRENCY_MAX } from "../base/limits.js";
import { logLevels } from "../base/log-levels.js";
import { announcements } from "../target/target-rules.js";
import { daysOption } from "./days-option.js";
import * as type from "./option-types.js";
import { EVENTS_MAX } from "./option-values.js";
import { webhooksOption } from "./webhooks-option.js";

/** An idempotency key comes from the position of its events in the inputs, or from their insert id. */
const idempotencyKeys = ["position", "insertID"] as const;

/** The options of the sections `send`, `qualify`, `ready` and `serve`; part of `optionTable`. */
export const serviceRows = {
  sendTo: {
    section: "send",
    key: "to",
    type: type.url,
    description: "Base URL of the service that receives the events",
  },
  batchSize: {
    section: "send",
    replaces: "body",
    type: type.count(1, SEND_BATCH_ROWS_MAX),
    description: "Events in one request, as an array if several",
    default: 1,
  },
  concurrency: {
    section: "send",
    type: type.count(1, SEND_CONCURRENCY_MAX),
    description: "Requests in flight at the same time",
    default: 32,
  },
  idempotency: {
    section: "send",
    type: type.choice(idempotencyKeys),
    placeholder: "<source>",
    description: "Source of the Idempotency-Key of a request",
    default: "position",
  },
  rate: {
    section: "send",
    replaces: "burst",
    type: type.rate,
    description: "Maximum events per second, or 500,burst=2000",
    otherwise: "as fast as the service accepts them; a burst is one second",
  },
  timeout: {
    section: "send",
    type: type.seconds(3_600),
    description: "Time limit for a response",
    default: 30,
  },
  giveUpAfter: {
    section: "send",
    type: type.seconds(604_800),
    description: "Stop after this time without a success",
    default: 900,
  },
  serverSecretFile: {
    section: "send",
    type: type.file,
    description: "File with the server secret",
  },
  runs: {
    section: "send",
    type: type.output,
    description: "Directory or address in a store for the records of sends",
    default: "./.switchyard/runs",
  },
  sendFresh: {
    section: "send",
    key: "fresh",
    ...type.off,
    description: "Forget what an earlier run of the same command has sent",
  },
  console: {
    section: "qualify",
    type: type.text,
    placeholder: "<url>",
    description: "Address of the console, without /console/v1",
  },
  consoleKeyFile: {
    section: "qualify",
    type: type.file,
    description: "File with the console key",
  },
  nameTemplate: {
    section: "qualify",
    type: type.text,
    placeholder: "<template>",
    description: "Name of the qualifying events",
    default: "{event}",
  },
  sqlTemplate: {
    section: "qualify",
    type: type.text,
    placeholder: "<template>",
    description: "SQL of the qualifying events",
    default: "SELECT * FROM {table} WHERE event = {event}",
  },
  table: {
    section: "qualify",
    type: type.text,
    placeholder: "<table>",
    description: "Table that the exported days are loaded into, as SQL writes it",
    default: "events",
  },
  timestampColumn: {
    section: "qualify",
    type: type.text,
    placeholder: "<column>",
    description: "Column of the table with the time of an event",
    default: "timestamp",
  },
  tag: {
    section: "qualify",
    type: type.list,
    placeholder: "<tag>",
    description: "Tag of the qualifying events",
    otherwise: "the tags that they have",
  },
  yes: {
    section: "qualify",
    ...type.off,
    description: "Make the changes instead of showing them",
  },
  dryRun: {
    section: "qualify",
    ...type.off,
    description: "Let the console check every change and store none",
  },
  announce: {
    section: "ready",
    type: type.choice(announcements),
    placeholder: "<way>",
    description: "Announce finished days by a file in the output, or by a call for each",
    default: "file",
  },
  maxReload: {
    section: "ready",
    type: type.count(0, EVENTS_MAX),
    placeholder: "<events>",
    description: "Announce nothing if the target would load more events again",
    otherwise: "no limit",
  },
  listen: {
    section: "serve",
    replaces: "port host",
    type: type.address,
    description: "Address to listen on, such as 8080, 0.0.0.0:8080, or 0 for a free port",
    default: 8080,
  },
  data: {
    section: "serve",
    type: type.directory,
    description: "Directory for the service's databases, or :memory:",
    otherwise: "./.switchyard",
  },
  corsOrigin: {
    section: "serve",
    type: type.origins,
    description: "Origin of pages that may evaluate and send events, or * for all",
    otherwise: "none",
  },
  webhook: {
    section: "serve",
    type: webhooksOption,
    description: "URL that is told of every change, with a signature",
    otherwise: "none",
  },
  keepEvents: {
    section: "serve",
    type: daysOption,
    description: "Days after which events are removed, such as 90d",
    otherwise: "events are kept",
  },
  logLevel: {
    section: "serve",
    type: type.choice(logLevels),
    placeholder: "<level>",
    description: "Lowest level that is logged",
    default: "info",
  },
} satisfies Readonly<Record<string, type.OptionRow>>;
