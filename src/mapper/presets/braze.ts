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
    duration campaign_id campaign_name canvas_id canvas_name canvas_step_id canvas_step_name
    canvas_variation_id canvas_variation_name canvas_step_message_variation_id
    message_variation_id message_variation_name dispatch_id send_id email_address url link_id
    link_alias button_id card_id content_card_id banner_placement_id feature_flag_id_name
    template_name subscription_group_id subscription_status state_change_source channel
    conversion_behavior conversion_behavior_index in_control_group experiment_step_id
    experiment_split_id experiment_split_name exit_reason abort_type bounce_reason machine_open
    is_suspected_bot_click ad_tracking_enabled timezone`),
  required: [["id"], ["time"], ["user_id"], ["external_user_id", "app_group_id"]],
  columns: words(`
    abort_log abort_type ad_id ad_id_type ad_tracking_enabled altitude app_group_api_id
    app_group_id app_id attempt_count banner_placement_id bounce_reason browser button_id
    campaign_api_id campaign_id campaign_name canvas_api_id canvas_entry_id canvas_id canvas_name
    canvas_step_api_id canvas_step_id canvas_step_message_variation_id canvas_step_name
    canvas_variation_api_id canvas_variation_id canvas_variation_name card_api_id card_id carrier
    category channel channel_identifier content_card_id conversion_behavior
    conversion_behavior_index country currency deferral_reason device_class device_id device_model
    device_os dispatch_id duration email_address error esp exit_reason experiment_split_id
    experiment_split_name experiment_step_id external_user_id feature_flag_id_name from_domain
    from_phone_number gender id in_control_group ip_pool is_amp is_canvas_entry is_drop
    is_sms_fallback is_suspected_bot_click is_terminal language latitude link_alias link_id
    locale_key longitude machine_open mailbox_provider message_extras message_id
    message_variation_api_id message_variation_id message_variation_name name next_step_id
    orphaned_by_id os_version phone_number platform prev_random_bucket_number price product_id
    progression_type properties provider_error_code push_token random_bucket_number
    recipient_domain resolution retry_log retry_type sdk_version send_id sending_ip session_id
    short_url source state_change_source subscription_group_id subscription_status
    suspected_bot_click_reason template_name time time_ms timezone to_phone_number url user_agent
    user_id user_phone_number`),
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
