import { type Preset, words } from "./preset.js";
import { adobe } from "./presets/adobe.js";
import { braze } from "./presets/braze.js";
import { heap } from "./presets/heap.js";
import { matomo } from "./presets/matomo.js";
import { snowplow } from "./presets/snowplow.js";

/** Columns shared by Segment and the tools with its protocol. */
const trackingColumns = words(`
  anonymousId category channel context event groupId integrations messageId name
  originalTimestamp previousId properties receivedAt sentAt timestamp traits type userId version`);

const trackingRequired = [
  ["type", "event"],
  ["messageId"],
  ["userId", "anonymousId"],
  ["timestamp", "originalTimestamp", "receivedAt"],
];

const trackingMore = words("context integrations category channel groupId");

/** The parts of Segment's mapping shared by the tools with its protocol. */
const trackingMapping = {
  // A page or a screen without a name is named after its type.
  event: ["event", "name", "type"],
  timestamp: ["timestamp", "originalTimestamp"],
  userID: "userId",
  stableID: "anonymousId",
  metadata: "properties",
  insertID: "messageId",
};

/**
 * Mapping of a list of GA4's parameters, as BigQuery exports it, and with the levels `list.element` that
 * Parquet adds when it is loaded again.
 */
const ga4Pairs = (list: string) => ({
  pairs: [`${list}.list`, list],
  key: ["key", "element.key"],
  value: ["", "element."].flatMap((element) => [
    `${element}value.string_value`,
    ...["int_value", "float_value", "double_value"].map((type) => ({
      field: `${element}value.${type}`,
      as: "number" as const,
    })),
  ]),
});

/** One row for each preset; docs/sources/ has a page of the same name. */
export const presets = {
  /** Export API, S3 export, and warehouse tables unloaded to files. */
  amplitude: {
    vendor: "Amplitude",
    mapping: {
      event: "event_type",
      timestamp: "event_time",
      userID: "user_id",
      stableID: "device_id",
      metadata: "event_properties",
      user: "user_properties",
      insertID: ["$insert_id", "uuid"],
    },
    moreMetadata: words(`
      platform os_name os_version version_name device_family device_type device_brand
      device_manufacturer device_model country region city language session_id`),
    required: [["event_type"], ["event_time"]],
    columns: words(`
      $insert_id $schema adid amplitude_attribution_ids amplitude_event_type amplitude_id app city
      client_event_time client_upload_time country data data_type device_brand device_carrier
      device_family device_id device_manufacturer device_model device_type dma event_id
      event_properties event_time event_type global_user_properties group_properties groups idfa
      ip_address is_attribution_event language library location_lat location_lng os_name os_version
      partner_id paying plan platform processed_time region sample_rate server_received_time
      server_upload_time session_id source_id start_version user_creation_time user_id
      user_properties uuid version_name`),
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

  /** The raw export. */
  mixpanel: {
    vendor: "Mixpanel",
    mapping: {
      event: "event",
      timestamp: "properties.time",
      userID: [
        "properties.$user_id",
        {
          field: "properties.distinct_id",
          unlessPrefix: "$device:",
          unlessSameAs: "properties.$device_id",
        },
      ],
      stableID: "properties.$device_id",
      metadata: { rest: "properties" },
      insertID: "properties.$insert_id",
      distinctID: "properties.distinct_id",
    },
    dedupeBy: ["insertID", "event", "timestamp", "distinctID"],
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
      "Projects created before 2023 have times in their own zone. For such a project add " +
        '"mapping": { "timestamp": { "field": "properties.time", "zone": "America/Los_Angeles", "shifted": true } }.',
    ],
  },

  /** Batch exports of events as JSON Lines or Parquet. */
  posthog: {
    vendor: "PostHog",
    mapping: {
      event: "event",
      timestamp: "timestamp",
      // Until a visitor is identified, the distinct id is the device's.
      userID: { field: "distinct_id", unlessSameAs: "properties.$device_id" },
      stableID: "properties.$device_id",
      metadata: "properties",
      user: "person_properties",
      insertID: "uuid",
    },
    moreMetadata: words(`
      person_id person_mode elements_chain elements ip site_url group0_properties group1_properties
      group2_properties group3_properties group4_properties`),
    required: [["event"], ["timestamp"], ["distinct_id"], ["uuid", "properties"]],
    columns: words(`
      _inserted_at bq_ingested_timestamp created_at distinct_id elements elements_chain event
      historical_migration inserted_at ip person_id person_mode person_properties person_version
      properties set set_once site_url team_id timestamp uuid`),
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

  /** The BigQuery export, written to files as JSON or Parquet. */
  ga4: {
    vendor: "Google Analytics 4",
    mapping: {
      event: "event_name",
      timestamp: { field: "event_timestamp", format: "us" },
      userID: "user_id",
      stableID: "user_pseudo_id",
      metadata: ga4Pairs("event_params"),
      user: ga4Pairs("user_properties"),
    },
    moreMetadata: words(`
      platform stream_id device geo app_info traffic_source collected_traffic_source
      session_traffic_source_last_click ecommerce items event_value_in_usd user_ltv privacy_info
      is_active_user event_bundle_sequence_id`),
    required: [["event_name"], ["event_timestamp"], ["event_params", "user_pseudo_id"]],
    columns: words(`
      app_info batch_event_index batch_ordering_id batch_page_id collected_traffic_source device
      ecommerce event_bundle_sequence_id event_date event_dimensions event_name event_params
      event_previous_timestamp event_server_timestamp_offset event_timestamp event_value_in_usd geo
      is_active_user items platform privacy_info publisher session_traffic_source_last_click
      stream_id traffic_source user_first_touch_timestamp user_id user_ltv user_properties
      user_pseudo_id`),
    marks: [
      { path: "event_params" },
      { path: "user_pseudo_id" },
      { path: "event_bundle_sequence_id" },
      { path: "stream_id" },
    ],
    zone: "UTC",
    doubts: [],
  },

  /** Raw logs of the object-store destinations. Calls that only identify a user are not events. */
  segment: {
    vendor: "Segment",
    mapping: {
      filter: { field: "type", exclude: ["identify", "group", "alias", "delete"] },
      ...trackingMapping,
      user: ["traits", "context.traits"],
    },
    moreMetadata: trackingMore,
    required: trackingRequired,
    columns: [...trackingColumns, "_metadata", "projectId", "sourceId", "writeKey"],
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

  /** Raw events of the object-store destinations; like Segment's. */
  rudderstack: {
    vendor: "RudderStack",
    mapping: {
      filter: {
        field: "type",
        exclude: ["identify", "group", "alias", "merge", "delete", "audiencelist", "record"],
      },
      ...trackingMapping,
      user: "context.traits",
    },
    moreMetadata: trackingMore,
    required: trackingRequired,
    columns: [
      ...trackingColumns,
      ...words("destinationId recordId request_ip requestIP rudderId sourceId userProperties"),
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

  /** Batches of the object-store outputs: a user with several events. */
  mparticle: {
    vendor: "mParticle",
    mapping: {
      rows: "events",
      // Events of commerce have a screen as well; their action is what happened.
      event: ["data.event_name", "data.product_action.action", "data.screen_name", "event_type"],
      timestamp: { field: "data.timestamp_unixtime_ms", format: "ms" },
      // Outputs have a list of identities; what is sent to mParticle is an object of them.
      userID: [
        "^.user_identities.[identity_type=customer_id].identity",
        "^.user_identities.customer_id",
      ],
      stableID: ["^.mp_deviceid", "^.mpid"],
      metadata: "data.custom_attributes",
      user: "^.user_attributes",
      insertID: ["data.event_id", "data.source_message_id"],
    },
    moreMetadata: words(`
      data.custom_event_type data.product_action.products data.product_action.transaction_id
      data.product_action.total_amount data.product_action.tax_amount
      data.product_action.shipping_amount data.product_action.coupon_code data.currency_code
      data.promotion_action data.product_impressions data.screen_name
      data.application_transition_type data.session_uuid data.session_duration_ms data.location
      ^.device_info.platform ^.device_info.os_version ^.application_info.application_version
      ^.environment`),
    required: [["events"], ["mpid", "mp_deviceid"]],
    columns: words(`
      application_info attribution_info batch_id consent_state context data_plan device_info
      environment events integration_attributes ip job_id message_id message_type mp_deviceid mpid
      partner_identity schema_version source_info source_request_id timestamp_unixtime_ms
      unique_id user_attributes user_identities`),
    marks: [
      { path: "mpid" },
      { path: "mp_deviceid" },
      { path: "user_identities" },
      { path: "user_attributes" },
    ],
    zone: "UTC",
    doubts: [],
  },

  snowplow,
  heap,
  braze,
  matomo,
  adobe,
} satisfies Readonly<Record<string, Preset>>;

export type PresetName = keyof typeof presets;

export const presetNames = Object.keys(presets) as readonly PresetName[];

export const defaultPreset: PresetName = "amplitude";

/** Returns the names of the columns that rows of some preset must have. */
export function presetRowFields(): ReadonlySet<string> {
  return new Set(Object.values(presets).flatMap(({ required }) => required.flat()));
}
