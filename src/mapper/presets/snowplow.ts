import { snowplowColumns } from "../../base/snowplow-columns.js";
import { type Preset, words } from "../preset.js";

/** Enriched events: the files, whose columns are known by their positions, and the tables of the lake. */
export const snowplow = {
  vendor: "Snowplow",
  mapping: {
    event: ["event_name", "event"],
    timestamp: ["derived_tstamp", "collector_tstamp"],
    userID: "user_id",
    stableID: ["domain_userid", "network_userid"],
    // The data of a self-describing event, without its schema.
    metadata: [
      ["unstruct_event.data.data"],
      {
        fields: [
          { field: "contexts.data", name: "contexts" },
          { field: "derived_contexts.data", name: "derived_contexts" },
          ...words(`
            page_url page_title page_referrer refr_medium refr_source refr_term mkt_medium
            mkt_source mkt_term mkt_content mkt_campaign se_category se_action se_label se_property
            se_value tr_orderid tr_total tr_currency ti_orderid ti_sku ti_name ti_price ti_quantity
            pp_yoffset_max app_id platform domain_sessionid geo_country geo_region geo_city
            br_lang os_family dvce_type`),
        ],
      },
    ],
    insertID: "event_id",
    // Events of one id can differ, and a repeated one has the same fingerprint.
    distinctID: "event_fingerprint",
  },
  dedupeBy: ["insertID", "distinctID"],
  columnsOfKinds: { objects: "unstruct_event_", values: "contexts_" },
  required: [["event_id"], ["event_name", "event"], ["collector_tstamp"]],
  columns: snowplowColumns,
  marks: [
    { path: "collector_tstamp" },
    { path: "domain_userid" },
    { path: "derived_tstamp" },
    { path: "v_tracker" },
    { path: "event_fingerprint" },
  ],
  zone: "UTC",
  doubts: [],
} satisfies Preset;
