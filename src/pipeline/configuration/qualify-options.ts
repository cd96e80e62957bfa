import { listType, pathType, switchType, textType } from "./configuration-types.js";
import { option } from "./option-description.js";

/** Options of `qualify`. */
export const qualifyOptions = {
  console: option({
    section: "qualify",
    type: textType,
    placeholder: "<base_url>",
    description: "Address of the console, without /console/v1",
  }),
  consoleKeyFile: option({
    section: "qualify",
    type: pathType,
    placeholder: "<file>",
    description: "File that holds the console key; SWITCHYARD_CONSOLE_KEY can hold the key itself",
  }),
  qualifyAuthHeader: option({
    section: "qualify",
    key: "authHeader",
    type: { ...textType, schema: { type: "string", format: "header-name" } },
    placeholder: "<header>",
    description: "Header that carries the console key",
    default: "SERVICE-API-KEY",
  }),
  from: option({
    section: "qualify",
    type: pathType,
    placeholder: "<dir|manifest>",
    description: "Export whose events are qualified: its directory, or its manifest.json",
    default:
      "what the command line names, else the directory of export.to, else the inputs are read",
  }),
  nameTemplate: option({
    section: "qualify",
    type: textType,
    placeholder: "<template>",
    description: "Name of the qualifying events; {event} is the event's name",
    default: "{event}",
  }),
  sqlTemplate: option({
    section: "qualify",
    type: textType,
    placeholder: "<template>",
    description:
      "SQL of the qualifying events; {event} is the event's name as a quoted literal, {table} the table",
    default: "SELECT * FROM {table} WHERE event = {event}",
  }),
  table: option({
    section: "qualify",
    type: textType,
    placeholder: "<table>",
    description: "Table that the exported days are loaded into, as SQL writes it",
    default: "events",
  }),
  timestampColumn: option({
    section: "qualify",
    type: textType,
    placeholder: "<column>",
    description: "Column of the table that says when an event happened",
    default: "timestamp",
  }),
  tag: option({
    section: "qualify",
    type: listType,
    placeholder: "<tag>",
    description: "Tag of the qualifying events",
    default: "those that they have",
  }),
  yes: option({
    section: "qualify",
    type: switchType,
    description: "Make the changes; without it they are only shown",
    default: "off",
  }),
  dryRun: option({
    section: "qualify",
    type: switchType,
    description: "Have the console check every change and keep none",
    default: "off",
  }),
} as const;
