/** Something that only one tool's rows have. */
export interface PresetMark {
  /** Steps joined by dots. */
  readonly path: string;
  /** What its text contains, in any case, where the name alone says nothing. */
  readonly contains?: string;
}

/** How the rows of one tool's export are told from those of others. */
export interface PresetSignature {
  /** Name of the preset. */
  readonly preset: string;
  /** As people call the tool. */
  readonly vendor: string;
  /** Paths without which the preset delivers nothing; of each list one is in most rows. */
  readonly required: readonly (readonly string[])[];
  /** Names at the root of its rows, as far as they are known. */
  readonly columns: readonly string[];
  readonly marks: readonly PresetMark[];
  /** What its times that name no zone are, where the tool documents it. */
  readonly zone?: "UTC";
  /** What rows cannot tell, and the line of the configuration that it would take. */
  readonly doubts: readonly string[];
}

/** Columns that Segment and the tools with its protocol have in common. */
const trackingColumns = [
  ...["anonymousId", "channel", "context", "event", "integrations", "messageId", "name"],
  ...["originalTimestamp", "previousId", "properties", "receivedAt", "sentAt", "timestamp"],
  ...["traits", "type", "userId", "version", "groupId", "category"],
] as const;

const trackingRequired = [
  ["type", "event"],
  ["messageId"],
  ["userId", "anonymousId"],
  ["timestamp", "originalTimestamp", "receivedAt"],
] as const;

/** One for each preset, from the vendors' own documentation of their exports. */
export const presetSignatures: readonly PresetSignature[] = [
  {
    preset: "amplitude",
    vendor: "Amplitude",
    required: [["event_type"], ["event_time"]],
    columns: [
      ...["$insert_id", "$schema", "adid", "amplitude_attribution_ids", "amplitude_event_type"],
      ...["amplitude_id", "app", "city", "client_event_time", "client_upload_time", "country"],
      ...["data", "data_type", "device_brand", "device_carrier", "device_family", "device_id"],
      ...["device_manufacturer", "device_model", "device_type", "dma", "event_id"],
      ...["event_properties", "event_time", "event_type", "global_user_properties"],
      ...["group_properties", "groups", "idfa", "ip_address", "is_attribution_event", "language"],
      ...["library", "location_lat", "location_lng", "os_name", "os_version", "partner_id"],
      ...["paying", "plan", "platform", "processed_time", "region", "sample_rate"],
      ...["server_received_time", "server_upload_time", "session_id", "source_id"],
      ...["start_version", "user_creation_time", "user_id", "user_properties", "uuid"],
      ...["version_name"],
    ],
    marks: [
      { path: "amplitude_id" },
      { path: "server_upload_time" },
      { path: "amplitude_event_type" },
      { path: "client_event_time" },
      { path: "event_properties" },
    ],
    zone: "UTC",
    doubts: [],
  },
  {
    preset: "mixpanel",
    vendor: "Mixpanel",
    required: [["event"], ["properties.time"]],
    columns: ["event", "properties"],
    marks: [
      { path: "properties.distinct_id" },
      { path: "properties.$insert_id" },
      { path: "properties.mp_lib" },
      { path: "properties.$mp_api_endpoint" },
      { path: "properties.mp_processing_time_ms" },
    ],
    zone: "UTC",
    doubts: [
      'Projects made before 2023 have times of their own zone: for one of them add "mapping": ' +
        '{ "timestamp": { "field": "properties.time", "zone": "America/Los_Angeles", "shifted": true } }',
    ],
  },
  {
    preset: "posthog",
    vendor: "PostHog",
    required: [["event"], ["timestamp"], ["distinct_id"], ["uuid", "properties"]],
    columns: [
      ...["_inserted_at", "bq_ingested_timestamp", "created_at", "distinct_id", "elements"],
      ...["elements_chain", "event", "historical_migration", "inserted_at", "ip", "person_id"],
      ...["person_mode", "person_properties", "person_version", "properties", "set", "set_once"],
      ...["site_url", "team_id", "timestamp", "uuid"],
    ],
    marks: [
      { path: "team_id" },
      { path: "person_properties" },
      { path: "person_id" },
      { path: "elements_chain" },
      { path: "properties.$lib" },
    ],
    zone: "UTC",
    doubts: [],
  },
  {
    preset: "ga4",
    vendor: "Google Analytics 4",
    required: [["event_name"], ["event_timestamp"], ["event_params", "user_pseudo_id"]],
    columns: [
      ...["app_info", "batch_event_index", "batch_ordering_id", "batch_page_id"],
      ...["collected_traffic_source", "device", "ecommerce", "event_bundle_sequence_id"],
      ...["event_date", "event_dimensions", "event_name", "event_params"],
      ...["event_previous_timestamp", "event_server_timestamp_offset", "event_timestamp"],
      ...["event_value_in_usd", "geo", "is_active_user", "items", "platform", "privacy_info"],
      ...["publisher", "session_traffic_source_last_click", "stream_id", "traffic_source"],
      ...["user_first_touch_timestamp", "user_id", "user_ltv", "user_properties"],
      ...["user_pseudo_id"],
    ],
    marks: [
      { path: "event_params" },
      { path: "user_pseudo_id" },
      { path: "event_bundle_sequence_id" },
      { path: "stream_id" },
    ],
    zone: "UTC",
    doubts: [],
  },
  {
    preset: "segment",
    vendor: "Segment",
    required: trackingRequired,
    columns: [...trackingColumns, "_metadata", "projectId", "writeKey", "sourceId"],
    marks: [
      { path: "projectId" },
      { path: "writeKey" },
      { path: "_metadata" },
      { path: "integrations" },
      { path: "context.library.name", contains: "analytics" },
    ],
    zone: "UTC",
    doubts: [],
  },
  {
    preset: "rudderstack",
    vendor: "RudderStack",
    required: trackingRequired,
    columns: [
      ...[...trackingColumns, "rudderId", "request_ip", "requestIP", "sourceId"],
      ...["destinationId", "userProperties", "recordId"],
    ],
    marks: [
      { path: "rudderId" },
      { path: "request_ip" },
      { path: "context.library.name", contains: "rudder" },
      { path: "context.sources.job_run_id" },
    ],
    zone: "UTC",
    doubts: [],
  },
];
