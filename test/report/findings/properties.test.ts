import { describe, expect, it } from "vitest";
import { parseValue, valueText } from "../../../src/mapper/lossless-values.js";
import type { Report, ReportProperty } from "../../../src/profile/report.js";
import { findFindings } from "../../../src/report/findings/findings.js";
import { cleanReport, exampleEvent, exampleProperty, properties } from "../example-report.js";

const withProperties = (...keys: readonly ReportProperty[]): Report => ({
  ...cleanReport,
  events: [exampleEvent("bought", { properties: properties(...keys) })],
});
const withValues = (key: string, ...values: readonly string[]): Report =>
  withProperties(exampleProperty(key, { topValues: values.map((value) => ({ value, rows: 10 })) }));
const codesOf = (report: Report) => findFindings(report).map(({ code }) => code);
const only = (report: Report) => {
  expect(codesOf(report)).toHaveLength(1);
  return findFindings(report)[0];
};

/** Runs the module of a fix on an event. */
async function fixed(report: Report, event: object): Promise<unknown> {
  const text = only(report)?.fix?.module?.text ?? "";
  const module = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  return module.default(event);
}

it("ordinary properties have no findings", () => {
  expect(codesOf(withProperties(exampleProperty("colour")))).toEqual([]);
});

describe("types", () => {
  const mixed = withProperties(
    exampleProperty("price", { types: { number: 900, string: 80, object: 20, null: 7 } }),
  );

  it("are reported if a property has several, apart from null", () => {
    expect(only(mixed)).toMatchObject({
      code: "property_mixed_types",
      event: "bought",
      property: "metadata.price",
      rows: 100,
    });
    const nullable = exampleProperty("price", { types: { number: 900, null: 7 } });
    expect(codesOf(withProperties(nullable))).toEqual([]);
  });

  it("are converted to text by the module, lists and objects to JSON", async () => {
    const become = async (price: unknown) => fixed(mixed, { metadata: { price } });
    expect(await become(1.5)).toEqual({ metadata: { price: "1.5" } });
    expect(await become("x")).toEqual({ metadata: { price: "x" } });
    expect(await become(null)).toEqual({ metadata: { price: null } });
    expect(await become({ eur: 1 })).toEqual({ metadata: { price: '{"eur":1}' } });
    expect(await become([1])).toEqual({ metadata: { price: "[1]" } });
  });

  it("keep the digits of numbers in the texts, numbers and objects of the module", async () => {
    const through = async (report: Report, price: string) => {
      const event = (await fixed(report, { metadata: parseValue(`{"price":${price}}`) })) as object;
      return valueText(event);
    };
    const json = '{"id":12345678901234567890,"eur":[1.50,null,true,"\\u00fc 1.0"]}';
    expect(await through(mixed, json)).toBe(
      `{"metadata":{"price":${JSON.stringify(json.replace("\\u00fc", "ü"))}}}`,
    );
    expect(await through(mixed, "1.50")).toBe('{"metadata":{"price":"1.50"}}');

    const numbers = withValues("price", "1.5", "12", "0.25");
    expect(await through(numbers, '"9007199254740993"')).toContain(":9007199254740993}");
    expect(await through(numbers, '"1.50"')).toContain(":1.50}");
    for (const text of ["007", "0x1f", " ", "Infinity"]) {
      expect(await through(numbers, `"${text}"`)).toContain(`:"${text}"}`);
    }

    const texts = withValues("price", '{"sku":"T-1"}', '{"sku":"T-2"}');
    expect(await through(texts, JSON.stringify(json))).toBe(
      `{"metadata":{"price":${json.replace("\\u00fc", "ü")}}}`,
    );
    expect(await through(texts, '"[007, 1.0]"')).toContain(':"[007, 1.0]"}');
  });

  it("come with the functions that the statements call, for a module that is there", () => {
    const configuration = { ...mixed.configuration, transform: { path: "./mine.mjs" } };
    const finding = only({ ...mixed, configuration } as Report);
    expect(finding?.fix).toBeUndefined();
    expect(finding?.detail).toContain("const toJson = (value) => {");
  });

  it("are converted to numbers or objects if all texts are numbers or objects", async () => {
    const of = (types: ReportProperty["types"], ...values: readonly string[]) =>
      withProperties(
        exampleProperty("price", { types, topValues: values.map((value) => ({ value, rows: 1 })) }),
      );
    const numbers = of({ number: 9, string: 1 }, "1.5", "2");
    expect(await fixed(numbers, { metadata: { price: "1.5" } })).toEqual({
      metadata: { price: 1.5 },
    });
    const objects = of({ object: 9, string: 1 }, '{"eur":1}', '{"usd":2}');
    expect(await fixed(objects, { metadata: { price: '{"eur":1}' } })).toEqual({
      metadata: { price: { eur: 1 } },
    });
  });

  it("text that contains JSON, even if it is cut, is parsed by the module", async () => {
    const report = withValues("cart", '{"sku":"T-1"}', '{"sku":"T-2","coun…');
    expect(only(report)?.code).toBe("property_json_text");
    const event = { metadata: { cart: '{"sku":"T-1"}' } };
    expect(await fixed(report, event)).toEqual({ metadata: { cart: { sku: "T-1" } } });
    expect(codesOf(withValues("cart", "[draft]", "{x}"))).toEqual([]);
  });

  it("text of numbers with a fraction is reported; whole numbers may be ids", async () => {
    const report = withValues("total", "1.5", "12", "0.25");
    expect(only(report)?.code).toBe("property_numbers_as_text");
    expect(await fixed(report, { metadata: { total: "1.5" } })).toEqual({
      metadata: { total: 1.5 },
    });
    expect(codesOf(withValues("order", "15", "12", "25"))).toEqual([]);
  });
});

it("keys that differ only by case are unified by the module", async () => {
  const report = withProperties(exampleProperty("plan"), exampleProperty("Plan", { rows: 5 }));
  expect(only(report)).toMatchObject({
    code: "property_keys_alike",
    property: "metadata.Plan",
    rows: 5,
  });
  expect(await fixed(report, { metadata: { Plan: "free" } })).toEqual({
    metadata: { plan: "free" },
  });
});

describe("personal data", () => {
  it.each([
    ["phone numbers", "+49 30 1234567", "(212) 555-0101"],
    ["card numbers", "4111111111111111", "5500 0000 0000 0004"],
    ["IP addresses", "198.51.100.7", "2001:db8::1"],
  ])("%s are left out by the line and not repeated in the finding", (words, ...values) => {
    const finding = only(withValues("contact", ...values));
    expect(finding?.title).toBe(`"metadata.contact" seems to contain ${words}`);
    expect(finding?.fix?.line).toBe('"drop": ["metadata.contact"]');
    for (const value of values) expect(JSON.stringify(finding)).not.toContain(value);
  });

  it.each([
    ["versions", "1.2.3", "10.14.6"],
    ["dates", "2026-01-31", "2026-02-01"],
    ["ids", "4111111111111112", "9007199254740993"],
    ["handles", "@mina", "mina at example"],
    ["times", "10:30:05", "1:2"],
  ])("%s are not personal", (_, ...values) => {
    expect(codesOf(withValues("contact", ...values))).toEqual([]);
  });

  it("is recognized by its key, unless the values are hashes", () => {
    expect(only(withValues("password", "tea"))?.title).toContain("secrets");
    expect(codesOf(withValues("password", "0".repeat(64)))).toEqual([]);
  });

  const withPersonal = (rows: number, emails: number, secrets: number, beyondQuery: number) =>
    withProperties(exampleProperty("page", { personal: { rows, emails, secrets, beyondQuery } }));

  it("within values is counted, and left out by the line", () => {
    const finding = only(withPersonal(658, 658, 0, 1));
    expect(finding).toMatchObject({
      code: "property_personal",
      severity: "warning",
      title: '"metadata.page" contains email addresses',
      rows: 658,
      property: "metadata.page",
      fix: { line: '"drop": ["metadata.page"]', isSafe: false },
    });
    expect(finding?.detail).toContain(
      "658 of 1,000 values (65.8 %) contain email addresses (658). ",
    );
  });

  it("in the queries of URLs is cut by the line", () => {
    const finding = only(withPersonal(658, 600, 650, 0));
    expect(finding?.title).toBe('"metadata.page" contains email addresses and secrets');
    expect(finding?.detail).toContain(
      "email addresses (600) and secrets such as tokens or passwords (650), all in the queries of URLs.",
    );
    expect(finding?.fix?.line).toBe('"cutQuery": ["metadata.page"]');
    expect(only(withPersonal(1, 0, 1, 0))?.title).toBe('"metadata.page" contains secrets');
  });

  it("keeps properties that are left out already in the line", () => {
    const configuration = {
      ...cleanReport.configuration,
      privacy: { drop: ["user.name"], hash: [] },
    };
    const report = { ...withValues("mail", "198.51.100.7"), configuration };
    expect(only(report)?.fix?.value).toEqual(["user.name", "metadata.mail"]);
  });
});

describe("sizes", () => {
  const long = (max: number) =>
    withProperties(exampleProperty("page", { bytes: { min: 1, mean: 9, max } }));

  it("of values are reported beyond 1 KiB, and can be left out beyond 32 KiB", () => {
    expect(codesOf(long(1_024))).toEqual([]);
    expect(only(long(1_025))).toMatchObject({ code: "property_long", severity: "info" });
    expect(only(long(40_000))?.fix?.line).toBe('"drop": ["metadata.page"]');
  });

  it("of events name the property that makes them large", () => {
    const largest = [{ event: "bought", bytes: 300_000, source: "a.json", row: 4 }];
    const report = { ...long(299_000), sizes: { ...cleanReport.sizes, largest } };
    // The long value is told with the event, and not once more.
    const finding = only(report);
    expect(finding?.code).toBe("event_too_large");
    expect(finding).toMatchObject({ event: "bought", property: "metadata.page" });
    expect(finding?.fix?.line).toBe('"drop": ["metadata.page"]');
  });
});

describe("the module", () => {
  const two = withProperties(
    exampleProperty("plan"),
    exampleProperty("Plan", { rows: 5 }),
    exampleProperty("price", { types: { number: 9, string: 1 } }),
  );

  it("is one for all findings", () => {
    const modules = new Set(findFindings(two).map(({ fix }) => fix?.module?.text));
    expect(modules.size).toBe(1);
  });

  it("becomes text to add if the configuration has a transform already", () => {
    const configuration = { ...cleanReport.configuration, transform: "digest" };
    for (const { fix, detail } of findFindings({ ...two, configuration })) {
      expect(fix).toBeUndefined();
      expect(detail).toContain("Add to it:\n");
    }
  });
});

it("counts findings of one code together from the eleventh on", () => {
  const keys = Array.from({ length: 14 }, (_, index) =>
    exampleProperty(`key${index}`, { types: { number: 9, string: 100 - index } }),
  );
  const findings = findFindings(withProperties(...keys));
  expect(findings).toHaveLength(11);
  expect(findings.find(({ title }) => title === "4 more of this kind")?.rows).toBe(36);
});
