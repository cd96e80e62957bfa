import { describe, expect, it } from "vitest";
import { mapRows } from "../support/mapping.js";

/** The times of texts in ms, or the codes of their rejects. */
function timesOf(texts: readonly string[], target: object = {}) {
  const overrides = { timestamp: { field: "t", ...target } };
  const rows = texts.map((t) => ({ event_type: "e", user_id: "u", t }));
  return mapRows(rows, { overrides }).rows.map(({ timestamp, outcome }) => timestamp ?? outcome);
}

const at = Date.UTC(2026, 2, 2, 20, 1, 9);

describe("auto reads", () => {
  it.each([
    ["2026-03-02\u00a020:01:09", at],
    ["2026-03-02\u202f20:01:09.25Z", at + 250],
    ["\u200e2026-03-02T20:01:09Z\u00a0", at],
    ["\u30002026-03-02T20:01:09Z\ufeff", at],
    ["2026-03-02 08:01:09\u202fPM", at],
    ["2026-03-02 8:01:09 p.m. UTC", at],
    ["2026-03-02 21:01:09 GMT+0100", at],
    ["2026-03-02T21:01:09+01:00[Europe/Berlin]", at],
    ["2026-03-02T21:01:09.999999999+01:00[Europe/Berlin]", at + 999],
    ["20260302T200109Z", at],
    ["20260302T210109+0100", at],
    ["20260302T200109", at],
    ["20260302T200109.123456Z", at + 123],
    ["20260302T2001Z", at - 9_000],
    ["20260302 20:01:09", at],
    ["20260302200109Z", at],
    ["2026-03-02 20:01:09,123", at + 123],
    ["20260302T200109,5Z", at + 500],
    ["Mon Mar 02 2026 21:01:09 GMT+0100 (CET)", at],
    ["Mon Mar 02 2026 21:01:09 GMT+0100 (Central European Standard Time)", at],
    ["Mon Mar 02 2026 20:01:09 GMT+0000 (Coordinated Universal Time)", at],
    ["Mon, 02 Mar 2026 20:01:09 GMT", at],
    ["Mon, 2 Mar 2026 21:01:09 +0100", at],
    ["2 Mar 2026 21:01:09 +0100 (CET)", at],
    ["Mon, 02 Mar 2026 15:01:09 EST", at],
    ["Monday, 02-Mar-26 20:01:09 GMT", at],
    ["Mon Mar  2 20:01:09 2026", at],
    ["Mon Mar  2 20:01:09 UTC 2026", at],
    ["02/Mar/2026:21:01:09 +0100", at],
    ["02-MAR-2026 20:01:09", at],
    ["Mar 2, 2026, 8:01:09 PM", at],
    ["Mar 2, 2026, 8:01:09\u202fPM UTC", at],
    ["March 2, 2026 at 8:01:09\u202fPM", at],
    ["Mar 2, 2026", at - 72_069_000],
    ["2 March 2026", at - 72_069_000],
    ["Mar 2, 2026 12:00 AM", at - 72_069_000],
    ["Mar 2, 2026 12:30 PM", at - 72_069_000 + 45_000_000],
  ])("%j", (text, expected) => {
    expect(timesOf([text])).toEqual([expected]);
  });

  it("such texts in the zone of the mapping if they name none", () => {
    const zone = "Europe/Berlin";
    const texts = ["2026-03-02\u00a021:01:09", "20260302T210109", "Mar 2, 2026 9:01:09 PM"];
    expect(timesOf([...texts, "Mon, 02 Mar 2026 20:01:09 GMT"], { zone })).toEqual(
      Array(4).fill(at),
    );
  });
});

describe("auto does not read", () => {
  it.each([
    "02/03/2026 20:01:09",
    "02.03.2026 20:01:09",
    "Tue, 02 Mar 2026 20:01:09 GMT",
    "Mon, 30 Feb 2026 20:01:09 GMT",
    "20260230T200109Z",
    "20260302T250109Z",
    "2026-03-02 13:01:09 PM",
    "2026-03-02 0:01:09 AM",
    "2026-03-02 20:01:60 GMT+0100",
    "2026-03-02 20:01:09 GMT+2500",
    "2026-03-02 20:01:09 (CET)",
    "Mon Mar 02 2026 21:01:09 CET",
    "Mon Mar 02 2026 21:01:09 GMT+0100 (CET) and more",
    "02 Mac 2026 20:01:09",
    "2 Mar 26",
    "Mar 2026",
    "2026\u00a003-02 20:01:09",
    "\u00a0",
  ])("%j", (text) => {
    expect(timesOf([text])).toEqual(["time_unparsable"]);
  });
});

describe("several formats", () => {
  const format = ["auto", "dd.MM.yyyy HH:mm", "MM/dd/yyyy"];
  const minute = Date.UTC(2026, 2, 2, 20, 1);

  it("are tried in order for each row, and the first that reads a text wins", () => {
    const texts = ["2026-03-02T20:01Z", "02.03.2026 20:01", "03/02/2026", "soon", "1772481660"];
    const day = Date.UTC(2026, 2, 2);
    expect(timesOf(texts, { format })).toEqual([minute, minute, day, "time_unparsable", minute]);
  });

  it("share the zone", () => {
    const texts = ["2026-03-02 21:01", "02.03.2026 21:01"];
    expect(timesOf(texts, { format, zone: "Europe/Berlin" })).toEqual([minute, minute]);
  });

  it("may have an epoch after a pattern", () => {
    const texts = ["02.03.2026 20:01", "1772481660"];
    expect(timesOf(texts, { format: ["dd.MM.yyyy HH:mm", "s"] })).toEqual([minute, minute]);
  });

  it("of one field do not read another field's text", () => {
    const rows = [{ event_type: "e", user_id: "u", a: "02.03.2026 20:01", b: "2026-03-02" }];
    const timestamp = ["a", { field: "b", format: ["auto", "dd.MM.yyyy HH:mm"] }];
    const { rows: mapped, words } = mapRows(rows, { overrides: { timestamp } });
    expect(mapped[0]?.outcome).toBe("time_unparsable");
    expect(words[0]).toContain('a is the text "02.03.2026 20:01"');
  });

  it("read texts with blanks of other scripts by patterns", () => {
    const format = "M/d/yyyy, h:mm a";
    expect(timesOf(["3/2/2026, 8:01\u202fPM", "3/2/2026,\u00a08:01 pm"], { format })).toEqual([
      minute,
      minute,
    ]);
  });
});

describe("counts from another day", () => {
  it.each([
    ["100ns since 0001-01-01", "639080784691239999", at + 123],
    ["100ns since 0001-01-01", "639080784691229999.9", at + 122],
    ["100ns since 0001-01-01", "621355967999999999", -1],
    ["100ns since 1601-01-01", "134169552691230000", at + 123],
    ["us since 1601-01-01", "13416955269123999", at + 123],
    ["s since 2001-01-01", "794174469.1239", at + 123],
    ["ns since 2001-01-01", "794174469123999999", at + 123],
    ["s since 1900-01-01", "3981470469", at],
    ["days since 1899-12-30", "46083.83413336806", at + 123],
    ["days since 1970-01-01", "20514", at - 72_069_000],
  ])("%s read %s without losing digits", (format, text, expected) => {
    expect(timesOf([text], { format })).toEqual([expected]);
  });

  it("may be those of a wall clock", () => {
    const target = { format: "days since 1899-12-30", zone: "Europe/Berlin", shifted: true };
    expect(timesOf(["46083.5"], target)).toEqual([Date.UTC(2026, 2, 2, 11)]);
  });

  it.each(["100ns since 2023-02-30", "weeks since 1970-01-01", "auto since 1970-01-01"])(
    "%s is not a format",
    (format) => {
      expect(() => timesOf(["1"], { format })).toThrow(/cannot be used/);
    },
  );
});
