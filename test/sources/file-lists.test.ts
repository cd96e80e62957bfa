import { expect, it, test } from "vitest";
import { parseFileList } from "../../src/sources/file-lists.js";

const md5 = "994c3109e0ddbd7c66c360426eaf0cd1";
const sha256 = md5 + md5;

test("a manifest of Adobe lists its data files", () => {
  const text = [
    "Datafeed-Manifest-Version: 1.0",
    " Lookup-Files: 1",
    " Data-Files: 2",
    " Total-Records: 611",
    "",
    " Lookup-File: shop_2026-01-13-lookup_data.tar.gz",
    ` MD5-Digest: ${md5}`,
    " File-Size: 63750",
    "",
    " Data-File: 01-shop_2026-01-13.tsv.gz",
    ` MD5-Digest: ${md5.toUpperCase()}`,
    " File-Size: 122534",
    " Record-Count: 611",
    "",
    " Data-File: 02-shop_2026-01-13.tsv.gz",
    "",
  ];
  const files = [
    {
      file: "01-shop_2026-01-13.tsv.gz",
      bytes: 122_534,
      digest: { algorithm: "md5", hex: md5 },
      rows: 611,
    },
    { file: "02-shop_2026-01-13.tsv.gz" },
  ];
  expect(parseFileList(text.join("\n"), "shop.txt")).toEqual(files);
  expect(parseFileList(text.join("\r\n"), "shop.txt")).toEqual(files);
  expect(parseFileList("Datafeed-Manifest-Version: 1.0\nData-Files: 0\n", "a.txt")).toEqual([]);
});

test("a manifest of PostHog lists keys", () => {
  const text = JSON.stringify({ files: ["events/a.parquet", "events/b.parquet"] });
  const files = [{ file: "events/a.parquet" }, { file: "events/b.parquet" }];
  expect(parseFileList(text, "x_manifest.json")).toEqual(files);
});

it.each([
  [`${md5}\n`, "in/a.csv.md5", "a.csv", "md5"],
  [`${md5}  a.csv\n`, "in/a.csv.md5", "a.csv", "md5"],
  [`${sha256} *./b/a.csv\n`, "SHA256SUMS", "b/a.csv", "sha256"],
  [`SHA256 (a b.csv) = ${sha256}\n`, "SHA256SUMS", "a b.csv", "sha256"],
])("reads the digest of %s", (text, name, file, algorithm) => {
  const hex = algorithm === "md5" ? md5 : sha256;
  expect(parseFileList(text, name)).toEqual([{ file, digest: { algorithm, hex } }]);
});

it.each(["", "x, y\n", "{}", '{"files": [1]}', "abc  a.csv", `${md5}  a.csv\nx\n`, "{"])(
  "does not take %j for a list",
  (text) => expect(parseFileList(text, "a.md5")).toBeUndefined(),
);
