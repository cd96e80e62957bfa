import { type Preset, words } from "../preset.js";

/** Visits of `Live.getLastVisitsDetails`, each with its actions. */
export const matomo = {
  vendor: "Matomo",
  mapping: {
    rows: "actionDetails",
    // Page views, downloads and outgoing links are named after their type.
    event: ["eventAction", "goalName", "type"],
    timestamp: { field: "timestamp", format: "s" },
    userID: "^.userId",
    stableID: "^.visitorId",
    value: ["eventValue", "revenue"],
    metadata: [
      {
        rest: "",
        except: words(`
          icon iconSVG serverTimePretty timeSpentPretty title subtitle bandwidth bandwidth_pretty
          generationTime pageLoadTime pageIdAction`),
      },
      {
        fields: words(`
          ^.idSite ^.idVisit ^.referrerType ^.referrerName ^.country ^.city ^.deviceType
          ^.operatingSystemName ^.browserName ^.languageCode`),
      },
    ],
    insertID: "pageId",
  },
  // Conversions have no id of their own, and an id is not unique to a visitor in all versions.
  dedupeBy: ["insertID", "event", "timestamp", "stableID"],
  required: [["actionDetails"], ["visitorId"], ["idVisit"]],
  columns: words(`
    actionDetails actions browser browserCode browserIcon browserName browserVersion city continent
    continentCode country countryCode countryFlag customVariables daysSinceFirstVisit
    daysSinceLastEcommerceOrder deviceBrand deviceModel deviceType events fingerprint
    firstActionTimestamp goalConversions idSite idVisit interactions language languageCode
    lastActionDateTime lastActionTimestamp latitude location longitude operatingSystem
    operatingSystemCode operatingSystemName plugins referrerKeyword referrerName referrerType
    referrerTypeName referrerUrl region regionCode resolution searches serverDate
    serverTimePrettyFirstAction serverTimestamp siteCurrency siteName totalEcommerceRevenue userId
    visitCount visitDuration visitDurationPretty visitIp visitLocalTime visitServerHour visitorId
    visitorType`),
  marks: [
    { path: "idVisit" },
    { path: "visitorId" },
    { path: "goalConversions" },
    { path: "visitServerHour" },
  ],
  zone: "UTC",
  doubts: [
    "The timestamp of an action is the local time of its site, unlike firstActionTimestamp of the " +
      "visit, which is UTC. If the site's zone is not UTC, name it: " +
      '"mapping": { "timestamp": { "field": "timestamp", "format": "s", "zone": "Europe/Paris", "shifted": true } }.',
  ],
} satisfies Preset;
