import { expect, test } from "vitest";
import { createFormatDetection } from "../../src/formats/input-formats.js";

const detect = createFormatDetection({ csv: {} });
const read = async (text: string) =>
  detect({ bytes: Buffer.from(text), extent: "whole" }, "day.csv.gz");

test.each([
  ["<!DOCTYPE html>\n<html><head><title>Sign  in</title></head>", "an HTML page (Sign in)"],
  ["\ufeff \n<html lang=en><body>502 Bad Gateway", "an HTML page"],
  ['<?xml version="1.0"?>\n<!-- x -->\n<!DOCTYPE HTML PUBLIC "x">', "an HTML page"],
  [
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>',
    "an error of a store (AccessDenied: Request has expired)",
  ],
  ["<Error><Code>NoSuchKey</Code></Error>", "an error of a store (NoSuchKey)"],
  ['<?xml version="1.0"?><events><event id="1"/></events>', "XML"],
  [
    "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    "a pointer of Git LFS",
  ],
  ['{"error":"Invalid API key"}\n', "an error (Invalid API key)"],
  [
    '{\n  "error": {"http_code": 404, "type": "not_found"}\n}',
    'an error ({"http_code":404,"type":"not_found"})',
  ],
  ['{"message":"Unauthorized"}', "an error (Unauthorized)"],
  ['{"result":"error","message":"No access to site 1."}', "an error (No access to site 1.)"],
  [
    '{"type":"authentication_error","code":"not_authenticated","detail":"No key.","attr":null}',
    "an error (No key.)",
  ],
  ['{"request":"/api/2.0/export","error":"rate limit"}', "an error (rate limit)"],
  ['{"statusCode":401,"error":"Unauthorized","message":"x"}', "an error (Unauthorized)"],
])("%j is not data", async (text, what) => {
  await expect(read(text)).rejects.toMatchObject({
    code: "source_not_data",
    message: expect.stringContaining(`day.csv.gz: the file is ${what}, not data.`),
  });
  const given = createFormatDetection({ csv: {}, kind: "ndjson" });
  const sample = { bytes: Buffer.from(text), extent: "whole" } as const;
  await expect((async () => given(sample, "a"))()).rejects.toMatchObject({
    code: "source_not_data",
  });
});

test.each([
  ['{"event":"error","user_id":"u","error":"boom"}\n', "ndjson"],
  ['{"error":"x"}\n{"error":"y"}\n', "ndjson"],
  ['{"message":"hello","user_id":"u","time":1}', "ndjson"],
  ["<tag>,b\n1,2\n3,4\n", "csv"],
  ["version,b\n1,2\n3,4\n", "csv"],
])("%j is data", async (text, kind) => {
  expect(await read(text)).toMatchObject({ kind });
});

test.each([
  ["date,visitors,pageviews,visits\n2026-01-31,12,40,13\n", "count visitors, pageviews, visits"],
  ["name,visitors,pageviews,bounce_rate,time_on_page\n/,1,2,3,4\n", "count visitors, pageviews"],
  ["Timestamp,Hostname,Pathname,Views,Uniques\n2026-01-31,a,/,1,1\n", "count Views, Uniques"],
  [
    "# ----------------------------------------\n# Events: Event name\n# Account: Tea\n#\n# Start date: 20260101\nEvent name,Event count,Total users\npurchase,12,3\n",
    "BigQuery (docs/sources/ga4.md)",
  ],
])("%j is an aggregated export", async (text, words) => {
  await expect(read(text)).rejects.toMatchObject({
    code: "source_not_data",
    message: expect.stringContaining(words),
  });
});

test.each([
  "date,visitors,pageviews,user_id\n2026-01-31,1,2,u\n",
  "event_name,timestamp,user_id\na,2026-01-31,u\n",
  "event name,timestamp,visitor\na,2026-01-31,u\n",
  "name,date,value\na,2026-01-31,1\n",
  "timestamp,page,visits\n2026-01-31,/,1\n",
  "# ----\nevent_name,event_count,user_pseudo_id\na,1,u\n",
])("%j is not an aggregated export for certain", async (text) => {
  expect(await read(text)).toMatchObject({ kind: "csv" });
});
