import { logLevels } from "../../base/log-levels.js";
import * as type from "./option-types.js";

/** The options of the console service: the sections `qualify` and `serve`. */
export const serviceRows = {
  console: {
    section: "qualify",
    type: type.text,
    placeholder: "<url>",
    description: "Address of the console, without /console/v1",
  },
  consoleKeyFile: {
    section: "qualify",
    type: type.file,
    description: "File with the console key; SWITCHYARD_CONSOLE_KEY can hold the key itself",
  },
  qualifyAuthHeader: {
    section: "qualify",
    key: "authHeader",
    type: type.header,
    description: "Header that carries the console key",
    default: "SERVICE-API-KEY",
  },
  from: {
    section: "qualify",
    type: type.file,
    placeholder: "<path>",
    description: "Export whose events are qualified: its directory, or its manifest.json",
    otherwise: "the one on the command line, else in export.to, else the inputs are read",
  },
  nameTemplate: {
    section: "qualify",
    type: type.text,
    placeholder: "<template>",
    description: "Name of the qualifying events; {event} is the event's name",
    default: "{event}",
  },
  sqlTemplate: {
    section: "qualify",
    type: type.text,
    placeholder: "<template>",
    description:
      "SQL of the qualifying events; {event} is the event's name as a quoted literal, {table} the table",
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
    description: "Make the changes; without it they are only shown",
  },
  dryRun: {
    section: "qualify",
    ...type.off,
    description: "Let the console check every change and store none",
  },
  port: {
    section: "serve",
    type: type.count(0, 65_535),
    placeholder: "<port>",
    description: "Port to listen on; 0 picks a free one, and the first line printed names it",
    default: 8080,
  },
  host: {
    section: "serve",
    type: type.text,
    placeholder: "<host>",
    description: "Address to listen on; 0.0.0.0 is every IPv4 address of the machine",
    default: "127.0.0.1",
  },
  data: {
    section: "serve",
    type: type.directory,
    description:
      "Directory for the service's databases, created if it is missing; :memory: stores nothing",
    otherwise: "./.switchyard",
  },
  authHeader: {
    section: "serve",
    type: type.header,
    description: "Header that carries the key of a request",
    default: "SERVICE-API-KEY",
  },
  logLevel: {
    section: "serve",
    type: type.choice(logLevels),
    placeholder: "<level>",
    description: "Lowest level that is logged; the log is one JSON object a line on standard error",
    default: "info",
  },
} satisfies Readonly<Record<string, type.OptionRow>>;
