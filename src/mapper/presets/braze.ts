import { type Preset, words } from "../preset.js";

/** Currents: Avro files whose path has the type of their events. */
export const braze = {
  vendor: "Braze",
  mapping: {
    // Custom events have a name; others are named after their type.
    event: ["name", "path.event_type"],
    timestamp: { field: "time", format: "s" },
    userID: "external_user_id",
    stableID: ["device_id", "user_id"],
    metadata: "properties",
    insertID: "id",
  },
  moreMetadata: words(`
    product_id price currency app_id app_group_id platform os_version device_model session_id
    campaign_id campaign_name canvas_id canvas_name canvas_step_id canvas_variation_id
    message_variation_id dispatch_id send_id email_address url link_id link_alias
    ad_tracking_enabled`),
  required: [["id"], ["time"], ["user_id"], ["external_user_id", "app_group_id"]],
  columns: words(`
    ad_id ad_id_type ad_tracking_enabled app_group_api_id app_group_id app_id browser button_id
    campaign_api_id campaign_id campaign_name canvas_api_id canvas_id canvas_name
    canvas_step_api_id canvas_step_id canvas_step_name canvas_variation_api_id canvas_variation_id
    canvas_variation_name card_api_id card_id carrier country currency device_id device_model
    dispatch_id duration email_address esp external_user_id gender id ip_pool language link_alias
    link_id machine_open message_variation_api_id message_variation_id message_variation_name name
    os_version platform price product_id properties random_bucket_number resolution sdk_version
    send_id sending_ip session_id time timezone url user_agent user_id user_phone_number`),
  marks: [
    { path: "external_user_id" },
    { path: "app_group_id" },
    { path: "dispatch_id" },
    { path: "canvas_step_id" },
    { path: "ad_tracking_enabled" },
  ],
  zone: "UTC",
  doubts: [],
} satisfies Preset;
