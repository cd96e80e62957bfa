/** Columns that count many events, of visits or of other things. */
const METRICS = new Set(
  `
    activeusers averageengagementtime averageengagementtimeperactiveuser avgduration bouncerate
    conversionrate conversions engagedsessions engagementrate entrances entryrate eventcount
    eventcountperactiveuser events exitrate exits keyevents newusers pageviews returningusers
    scrolldepth sessions timeonpage totalevents totalrevenue totalusers uniqueentrances
    uniqueexits uniques uniquevisitors viewduration views viewsperactiveuser viewspervisit
    visitduration visitors visits
  `
    .trim()
    .split(/\s+/),
);

/** Columns that such tables have beside them; none of them names a person, a device or an event's time. */
const DIMENSIONS = new Set(
  `
    browser browserversion city country date day device devicecategory devicetype entrypage
    eventname exitpage firstuserdefaultchannelgroup goal goalname hostname hour landingpage month
    name nthday operatingsystem operatingsystemversion os osversion page pagepath
    pagepathandscreenclass pagetitle pagetitleandscreenclass pagetitleandscreenname pathname
    property referrer region screensize sessiondefaultchannelgroup sessionsourcemedium site size
    source streamname timestamp utmcampaign utmcontent utmmedium utmsource utmterm value week
  `
    .trim()
    .split(/\s+/),
);

/** Metrics that make a table an aggregate, at least; one is enough below the comments of GA4. */
const METRICS_MIN = 2;

/** A file whose rows count events. */
export interface Aggregated {
  readonly words: string;
  readonly advice: string;
}

/**
 * Returns what is known about a table whose rows count events, by the names of its columns; undefined for any
 * other text. All columns must be known, so that a table with an id is none.
 */
export function findAggregated(text: string): Aggregated | undefined {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/, 40);
  const header = lines.find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "";
  const names = header.split(/[,\t;]/).map((cell) => cell.trim().replaceAll('"', ""));
  const isKnown = names.every((name) => {
    return METRICS.has(lettersOf(name)) || DIMENSIONS.has(lettersOf(name));
  });
  if (!isKnown) return undefined;
  const metrics = names.filter((name) => METRICS.has(lettersOf(name)));
  const isGa4 = /^# -{3,}/.test(lines[0] ?? "");
  if (metrics.length < (isGa4 ? 1 : METRICS_MIN)) return undefined;
  const words = `an aggregated export: its rows count ${metrics.slice(0, 3).join(", ")}, and none is an event of a person or a device`;
  return { words, advice: isGa4 ? GA4_ADVICE : ADVICE };
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "");
}

const GA4_ADVICE =
  "Export the raw events of Google Analytics 4 from BigQuery (docs/sources/ga4.md); its reports cannot be migrated.";
const ADVICE =
  "Ask the vendor for raw events, one a row: Plausible exports them to enterprise customers, Google Analytics 4 to BigQuery.";
