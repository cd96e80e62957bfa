import { type Preset, words } from "../preset.js";

/** Names of `page_event`, which tells the kind of a hit. */
const rawKinds = {
  "0": "page_view",
  "10": "custom_link",
  "11": "download_link",
  "12": "exit_link",
  "31": "video_start",
  "32": "video_update",
  "33": "video_update",
  "40": "survey",
  "50": "media_start",
  "51": "media_close",
  "52": "media_scrub",
  "53": "media_keep_alive",
  "54": "media_ad_start",
  "55": "media_ad_close",
  "56": "media_ad_scrub",
  "60": "media_start",
  "61": "media_close",
  "62": "media_scrub",
  "63": "media_keep_alive",
  "64": "media_ad_start",
  "65": "media_ad_close",
  "66": "media_ad_scrub",
  "70": "target_activity",
};

/** Names of `post_page_event`, which counts links and videos otherwise. */
const kinds = {
  ...rawKinds,
  "76": "video_start",
  "77": "video_update",
  "78": "video_update",
  "80": "survey",
  "100": "custom_link",
  "101": "download_link",
  "102": "exit_link",
};

/** A visitor or hit has two numbers of 64 bits, and only both together tell it from others. */
const bothOf = (name: string) => ({
  field: `${name}_high`,
  joinedWith: `${name}_low`,
  unless: ["0-0"],
});

/** The hits of a data feed of Adobe Analytics. */
export const adobe = {
  vendor: "Adobe Analytics",
  mapping: {
    event: [
      { field: "post_page_event", names: kinds },
      { field: "page_event", names: rawKinds },
      "post_page_event",
      "page_event",
    ],
    timestamp: [
      { field: "hit_time_gmt", format: "s" },
      { field: "cust_hit_time_gmt", format: "s" },
    ],
    userID: ["post_cust_visid", "cust_visid"],
    stableID: [bothOf("post_visid"), bothOf("visid")],
    metadata: {
      rest: "",
      // Without what Adobe documents as its own or as not used, and addresses of the network.
      except: words(`
        click_action click_action_type click_context click_context_type click_sourceid click_tag
        daily_visitor date_time exclude_hit hit_source homepage hourly_visitor ip ip2 ipv6
        monthly_visitor namespace p_plugins page_event_var3 partner_plugins plugins prev_page
        product_merchandising quarterly_visitor sampled_hit service sourceid stats_server ua_color
        ua_os ua_pixels user_hash userid visid_high visid_low visid_new visid_timestamp visid_type
        weekly_visitor yearly_visitor`),
    },
    insertID: bothOf("hitid"),
    filter: [
      { field: "exclude_hit", exclude: [..."123456789", "??"] },
      // Sums and transactions that are uploaded from elsewhere.
      { field: "hit_source", exclude: [..."5789"] },
    ],
  },
  required: [
    ["hit_time_gmt", "cust_hit_time_gmt"],
    ["post_page_event", "page_event"],
    ["post_visid_high", "visid_high", "post_cust_visid", "cust_visid"],
  ],
  columns: words(`
    accept_language browser browser_height browser_width campaign carrier channel color
    connection_type cookies country currency cust_hit_time_gmt cust_visid date_time domain
    duplicate_events duplicate_purchase event_list exclude_hit first_hit_page_url
    first_hit_pagename first_hit_referrer first_hit_time_gmt geo_city geo_country geo_dma
    geo_region geo_zip hit_source hit_time_gmt hitid_high hitid_low ip java_enabled javascript
    language last_hit_time_gmt mcvisid mobile_id new_visit os page_event page_event_var1
    page_event_var2 page_type page_url pagename post_browser_height post_browser_width
    post_campaign post_channel post_currency post_cust_hit_time_gmt post_cust_visid
    post_event_list post_page_event post_page_event_var1 post_page_event_var2 post_page_type
    post_page_url post_pagename post_product_list post_purchaseid post_referrer post_search_engine
    post_t_time_info post_visid_high post_visid_low post_visid_type product_list purchaseid
    ref_domain ref_type referrer resolution search_engine secondary_hit t_time_info transactionid
    truncated_hit user_agent user_server username visid_high visid_low visid_new visid_timestamp
    visid_type visit_num visit_page_num visit_ref_domain visit_ref_type visit_referrer
    visit_start_page_url visit_start_pagename visit_start_time_gmt`),
  marks: [
    { path: "post_visid_high" },
    { path: "hit_time_gmt" },
    { path: "exclude_hit" },
    { path: "post_event_list" },
    { path: "post_page_event" },
  ],
  zone: "UTC",
  doubts: [
    "A hit is one event, named after its kind: purchases and the events of an implementation are numbers in post_event_list. " +
      "Pass a transform that makes events of them: docs/sources/adobe.md.",
  ],
} satisfies Preset;
