import { type Preset, words } from "../preset.js";

/** Heap Connect: a directory of Avro files for each table, and the same rows as JSON. */
export const heap = {
  vendor: "Heap",
  mapping: {
    event: ["event_table_name", "path.$directory", "type", "object"],
    timestamp: "time",
    userID: "identity",
    stableID: "user_id",
    metadata: [
      ["properties"],
      { rest: "", except: ["properties", "event_table_name", "session_time"] },
    ],
    insertID: "event_id",
    // Tables of Heap Connect without events.
    filter: { field: "path.$directory", exclude: ["users", "user_migrations"] },
  },
  required: [
    ["event_id"],
    ["user_id"],
    ["time"],
    // Single rows as JSON have no sessions.
    ["session_id", "properties"],
    ["session_id", "type"],
    // Other tools have the columns above as well.
    ["session_time", "event_table_name", "heap_device_id", "landing_page", "target_text", "object"],
  ],
  columns: words(`
    app_name app_version browser browser_type carrier city continent country device device_type
    domain event_id event_table_name hash heap_app_name heap_app_version heap_device_id
    heap_previous_page href identity initial_keyword ip landing_page landing_page_hash
    landing_page_query library object path platform previous_page properties query referrer region
    search_keyword session_id session_time target_class target_id target_text time title type
    user_id utm_campaign utm_content utm_medium utm_source utm_term view_controller`),
  marks: [
    { path: "session_time" },
    { path: "event_table_name" },
    { path: "landing_page" },
    { path: "heap_device_id" },
  ],
  zone: "UTC",
  doubts: [
    "Rows without event_table_name are named after the directory of their file. If that is not the name of a " +
      'table of Heap, add "mapping": { "event": ["event_table_name", "type", "object"] }.',
  ],
} satisfies Preset;
