import type {
  Finding,
  ReportDay,
  ReportEvent,
  ReportReject,
  ReportSample,
} from "../../src/profile/report.js";

export function exampleFindings(
  days: readonly ReportDay[],
  events: readonly ReportEvent[],
): readonly Finding[] {
  const gap = days.find((day) => day.events === 0)?.day;
  const event = events[1]?.event;
  return [
    {
      code: "time_zone_missing",
      severity: "error",
      title: "Times without a zone look like local time of America/Los_Angeles",
      detail:
        "412,077 times name no zone and are taken as UTC. The quietest hours lie eight hours from where people sleep.",
      rows: 412_077,
      fix: {
        path: ["mapping", "timestamp", "zone"],
        value: "America/Los_Angeles",
        line: '"mapping": {"timestamp": {"zone": "America/Los_Angeles"}}',
        isSafe: false,
      },
    },
    {
      code: "time_unparsable",
      severity: "error",
      title: "1,204 rows have a time in a form that is not known",
      detail: "They look like 03/14/2026 18:02:11.",
      rows: 1_204,
      rejectCode: "time_unparsable",
      fix: {
        path: ["mapping", "timestamp", "format"],
        value: "MM/dd/yyyy HH:mm:ss",
        line: '"mapping": {"timestamp": {"format": "MM/dd/yyyy HH:mm:ss"}}',
        isSafe: true,
      },
    },
    ...(gap === undefined
      ? []
      : [
          {
            code: "gap",
            severity: "warning",
            title: `No events on ${gap}`,
            detail: "The days around it have some 30,000 each.",
            rows: 0,
            day: gap,
          } as const,
        ]),
    ...(event === undefined
      ? []
      : [
          {
            code: "mixed_types",
            severity: "warning",
            title: "A property holds both numbers and texts",
            detail: "1,200 of its values are texts such as “19,99”.",
            rows: 1_200,
            event,
            property: "price",
          } as const,
        ]),
    {
      code: "junk_ids",
      severity: "info",
      fix: {
        path: ["transform"],
        value: "./fixes.mjs",
        line: '"transform": "./fixes.mjs"',
        isSafe: false,
        module: {
          name: "fixes.mjs",
          text: 'export default (event) => {\n  if (event.userID === "undefined") event.userID = null;\n  return event;\n};\n',
        },
      },
      title: "Some ids are placeholders",
      detail: "An empty text, undefined and a UUID of zeros: 1,190 events together.",
      rows: 1_190,
    },
  ];
}

export function exampleRejects(): readonly ReportReject[] {
  return [
    {
      code: "time_unparsable",
      rows: 1_204,
      advice: "set the format of the time in the mapping",
      samples: [1, 2, 3, 4].map((row) => ({
        source: "exports/2026-02.jsonl.gz",
        row: 1_000 * row,
        byte: 812_004 * row,
        message: `the time "03/1${row}/2026 18:02:11" is in no known form`,
        raw: `{"event_type":"Page Viewed","event_time":"03/1${row}/2026 18:02:11","user_id":"u-${row}","event_properties":{"path":"/"}}`,
        isBase64: false,
      })),
    },
    {
      code: "invalid_utf8",
      rows: 3,
      advice: "convert the input to UTF-8",
      samples: [
        {
          source: "exports/2026-01.jsonl.gz",
          row: 71,
          message: "byte 18 of the row is no UTF-8",
          raw: "eyJldmVudF90eXBlIjoi/yJ9",
          isBase64: true,
        },
      ],
    },
  ];
}

const columns = "$insert_id,event_type,event_time,user_id,device_id,city,event_properties".split(
  ",",
);

const exampleTrace = [
  { target: "event", from: ["event_type"], to: ["event"] },
  { target: "timestamp", from: ["event_time"], to: ["timestamp"] },
  { target: "userID", from: ["user_id"], to: ["user", "userID"] },
  { target: "stableID", from: ["device_id"], to: ["user", "stableID"] },
  { target: "insertID", from: ["$insert_id"], to: ["insertID"] },
  { target: "user", from: ["user_properties"], to: ["user"] },
  { target: "metadata", from: ["event_properties"], to: ["metadata"] },
] as const;

/** One in JSON with its time as text, one as a record of CSV; in turn, one for each event name. */
export function exampleSamples(events: readonly ReportEvent[]): readonly ReportSample[] {
  return events.slice(0, 20).map(({ event }, place) => {
    const name = JSON.stringify(event);
    const at = 1_772_475_849_120 + place * 60_000;
    const text = new Date(at).toISOString().replace("T", " ").replace("Z", "000");
    const isRecord = place % 2 === 1;
    const properties = `{"path":"/product/88${place}","price":19.99,"isReturning":true,"plan":"team"}`;
    const quoted = `"${properties.replaceAll('"', '""')}"`;
    const device = `c7d1e0a4-90${place}`;
    return {
      event,
      source: isRecord ? "exports/2026-03.csv" : "exports/2026-01.jsonl.gz",
      row: 1_841 + place,
      byte: 1_204_881 + place,
      ...(isRecord
        ? { csv: { delimiter: ",", quote: '"', backslashes: false, nulls: [], columns } }
        : {}),
      raw: isRecord
        ? `$insert-${place},"${event.replaceAll('"', '""')}",${text},user_00${place},${device},Amsterdam,${quoted}`
        : `{"$insert_id":"5c1f-${place}","event_type":${name},"event_time":"${text}","user_id":"user_00${place}","device_id":"${device}","city":"Amsterdam","library":"js/2.1","event_properties":${properties},"user_properties":{"plan":"team","seats":12}}`,
      result: `{"event":${name},"timestamp":${at},"user":{"userID":"user_00${place}","stableID":"${device}"${isRecord ? "" : ',"plan":"team","seats":12'}},"metadata":${properties},"insertID":"${isRecord ? "$insert" : "5c1f"}-${place}"}`,
      trace: exampleTrace,
    };
  });
}
