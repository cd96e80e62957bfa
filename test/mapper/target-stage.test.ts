import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLostName, repairKey, repairName } from "../../src/target/rename.js";
import type { Target } from "../../src/target/target.js";
import { type Repair, repairs } from "../../src/target/target-rules.js";
import { loadTarget } from "../../src/target/targets.js";
import type { CellRow } from "../support/cells.js";
import { mapRow, mapRows } from "../support/mapping.js";
import { propertyRuns } from "../support/property-runs.js";

const rules = loadTarget("statsig");
const good = { event_type: "checkout", event_time: 1_700_000_000_000, user_id: "mina" };

function repaired(metadata: string, user = "{}", repair: readonly Repair[] = repairs) {
  const cells = {
    ...good,
    event_properties: { json: metadata },
    user_properties: { json: user },
  };
  return mapRow(cells, { target: { rules, repair } });
}

describe("metadata", () => {
  it.each([
    ["{}", "{}"],
    ['{"a":1.50}', '{"a":1.50}'],
    ['{"page.path":"/x.y"}', '{"page_dot_path":"/x.y"}'],
    ['{"a":{"b":{"c":1},"d":2},"e":3}', '{"a__b__c":1,"a__d":2,"e":3}'],
    ['{"a":[1,{"b":"\\"c"}]}', '{"a":"[1,{\\"b\\":\\"\\\\\\"c\\"}]"}'],
    ['{"a":{},"b":[]}', '{"a":"{}","b":"[]"}'],
    ['{ "a" : { "b" : 1 } , "c":2}', '{"a__b":1,"c":2}'],
    ['{"a\\u002eb":1}', '{"a_dot_b":1}'],
    ['{"x.y\\"z":1}', '{"x_dot_y\\"z":1}'],
    [
      '{"a_key_that_is_longer_than_sixteen.bytes":1}',
      '{"a_key_that_is_longer_than_sixteen_dot_bytes":1}',
    ],
    ['{"url":"https://a.b/c","n":{}}', '{"url":"https://a.b/c","n":"{}"}'],
  ])("makes %s %s", (before, after) => {
    expect(repaired(before).metadata).toBe(after);
  });

  it("stays as it is without the repair", () => {
    expect(repaired('{"a.b":{"c":1}}', "{}", ["names"]).metadata).toBe('{"a.b":{"c":1}}');
  });

  it("is rejected if it is longer than the target stores", () => {
    const { charactersMax = 0 } = rules.metadata ?? {};
    const frame = '{"a":""}'.length;
    const most = `{"a":"${"ü".repeat(charactersMax - frame)}"}`;
    expect(repaired(most).outcome).toBe("deliver");
    const cells = { ...good, event_properties: { json: most.replace("ü", "üü") } };
    const { rows, words } = mapRows([cells], { target: { rules, repair: ["metadata"] } });
    expect(rows[0]?.outcome).toBe("target_metadata_long");
    expect(words[0]).toBe("the metadata has more than 16383 characters, the most of Statsig");
    expect(repaired(most.replace("ü", "üü"), "{}", []).outcome).toBe("deliver");
  });

  it.each([
    ["letters in escapes", String.raw`\u0434`, "д"],
    ["pairs in escapes", String.raw`\ud83d\ude00`, "😀"],
    ["halves of pairs", String.raw`\ud83d`, "\ud83d"],
    ["second halves", String.raw`\ude00`, "\ude00"],
    ["control characters", String.raw`\u000b`, "\v"],
    ["line feeds in long escapes", String.raw`\u000a`, "\n"],
    ["line feeds", String.raw`\n`, "\n"],
    ["quotes", String.raw`\"`, '"'],
    ["quotes in long escapes", String.raw`\u0022`, '"'],
    ["slashes", String.raw`\/`, "/"],
  ])("is measured as JSON.stringify writes it: %s", (_, written, character) => {
    const { charactersMax = 0 } = rules.metadata ?? {};
    const units = JSON.stringify(character).length - 2;
    const count = Math.floor((charactersMax - '{"a":""}'.length) / units);
    const filled = "x".repeat(charactersMax - '{"a":""}'.length - count * units);
    const most = `{ "a" : "${written.repeat(count)}${filled}" }`;
    expect(JSON.stringify(JSON.parse(most))).toHaveLength(charactersMax);
    expect(repaired(most).outcome).toBe("deliver");
    expect(repaired(most.replace('"a"', '"ab"')).outcome).toBe("target_metadata_long");
  });

  it("grows the output for keys that repeat a long path", () => {
    const inner = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`k${index}`, 1]));
    const long = "x".repeat(1000);
    const target = { ...rules, metadata: { ...rules.metadata!, charactersMax: 16_000_000 } };
    const cells = { ...good, event_properties: { json: JSON.stringify({ [long]: inner }) } };
    const { rows } = mapRows([cells, cells], { target: { rules: target, repair: ["metadata"] } });
    const expected = JSON.stringify(
      Object.fromEntries(Object.keys(inner).map((key) => [`${long}__${key}`, 1])),
    );
    expect(rows.map(({ metadata }) => metadata)).toEqual([expected, expected]);
  });
});

describe("users", () => {
  it.each([
    ['{"plan":"x","email":"a@b.c"}', '"email":"a@b.c","plan":"x"'],
    ['{"app_version":"1","plan":"x"}', '"appVersion":"1","app_version":"1","plan":"x"'],
    ['{"os":"a","$os":"b"}', '"systemName":"b","os":"a","$os":"b"'],
    ['{"country":null,"$country_code":"DE"}', '"country":"DE","$country_code":"DE"'],
    ['{"country":{"a":1},"$country_code":"DE"}', '"country":{"a":1},"$country_code":"DE"'],
    ['{"country":null}', '"country":null'],
    ['{"email":"a","email":"b"}', '"email":"b"'],
    ['{"my_email":"a","emails":1}', '"my_email":"a","emails":1'],
    [
      '{"browser":"Firefox","ip":"::1","locale":"de"}',
      '"ip":"::1","locale":"de","browserName":"Firefox","browser":"Firefox"',
    ],
  ])("moves the fields of %s to the front", (before, after) => {
    expect(repaired("{}", before).user).toBe(`{"userID":"mina",${after}}`);
  });

  it("stays as it is without the repair", () => {
    const { user } = repaired("{}", '{"plan":"x","email":"a"}', []);
    expect(user).toBe('{"userID":"mina","plan":"x","email":"a"}');
  });
});

it("forbids characters of any alphabet", () => {
  const names = { forbidden: "ü;", prefixes: {}, sources: [] };
  const target = { name: "mine", title: "Mine", names };
  const of = (event: string) =>
    mapRow({ ...good, event_type: event }, { target: { rules: target, repair: ["names"] } }).event;
  expect(["Tür", "é", "a name of many bytes;", "zest", "plain"].map(of)).toEqual([
    repairName("Tür", names),
    "é",
    repairName("a name of many bytes;", names),
    "zest",
    "plain",
  ]);
});

it("rejects values that are longer than the target stores", () => {
  const value = (text: string) => ({
    ...good,
    event_properties: { json: JSON.stringify({ v: text }) },
    price: { json: JSON.stringify(text) },
  });
  const overrides = { value: "price" };
  const outcomes = (repair: readonly Repair[]) =>
    mapRows([value("\n".repeat(127)), value("x".repeat(128)), value("𝒜".repeat(64))], {
      overrides,
      target: { rules, repair },
    }).rows.map(({ outcome }) => outcome);
  expect(outcomes(["values"])).toEqual(["deliver", "target_value_long", "target_value_long"]);
  expect(outcomes([])).toEqual(["deliver", "deliver", "deliver"]);
});

interface Row {
  readonly event: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const key = fc
  .array(fc.constantFrom("a", ".", "_", "__", "_dot_", "~", '"', "\\", "ü", "key of many bytes"), {
    maxLength: 3,
  })
  .map((parts) => parts.join(""));
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, 1, "x.y", 'q"', true, '"a.b":{'),
    fc.dictionary(key, tie("any"), { maxKeys: 3 }),
    fc.array(tie("any"), { maxLength: 2 }),
  ),
})).any;
const row: fc.Arbitrary<Row> = fc.record({
  event: fc
    .array(fc.constantFrom("a", "$", "[Amplitude] ", ";", " ", "~", ":", "ü"), { minLength: 1 })
    .map((parts) => parts.join("")),
  metadata: fc.dictionary(key, value, { maxKeys: 5 }),
});

/** Repairs metadata member by member, on objects. */
function flat(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const walk = (value: unknown, path: readonly string[]): [string, unknown][] => {
    const isNested = typeof value === "object" && value !== null;
    if (!isNested) return [[repairKey(path), value]];
    const entries = Object.entries(value);
    if (Array.isArray(value) || entries.length === 0)
      return [[repairKey(path), JSON.stringify(value)]];
    return entries.flatMap(([name, inner]) => walk(inner, [...path, name]));
  };
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, inner]) => walk(inner, [name])),
  );
}

/** Returns the members of a JSON object; texts that are lists or objects as `JSON.stringify` writes them. */
function withoutBlanks(json: string): unknown {
  return JSON.parse(json, (_, inner: unknown) =>
    typeof inner === "string" && /^[[{]/.test(inner) ? JSON.stringify(JSON.parse(inner)) : inner,
  );
}

/** JSON as other languages write it, with a blank after commas and colons. */
function spaced(members: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(members).map(
    ([name, inner]) => `${JSON.stringify(name)}: ${JSON.stringify(inner)}`,
  );
  return `{${texts.join(", ")}}`;
}

describe("every user", () => {
  const fields = Object.entries(rules.users?.fields ?? {});
  const names = ["email", "$email", "country", "os", "$os", "systemName", "plan", "my_email", "a"];
  const plain = fc.constantFrom(null, "x", 1, true, "", 'q"', '"email":"no"');
  const any = fc.oneof({ weight: 6, arbitrary: plain }, fc.constantFrom({}, [1], { email: "no" }));
  const user = fc.dictionary(fc.constantFrom(...names), any, { maxKeys: 8 });

  /** Finds the value of each field as the documentation says: the first property that has one. */
  function placed(before: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const isUsable = (inner: unknown) =>
      inner !== undefined && inner !== null && typeof inner !== "object";
    const top = fields.flatMap(([field, properties]) => {
      const own = before[field];
      if (typeof own === "object" && own !== null) return [];
      const name = [field, ...properties].find((property) => isUsable(before[property]));
      return name === undefined ? [] : [[field, before[name]] as const];
    });
    return { ...before, ...Object.fromEntries(top) };
  }

  it("has the fields of the target, and all that it had", () => {
    fc.assert(
      fc.property(
        fc.array(user, { minLength: 1, maxLength: 10 }),
        fc.constantFrom(undefined, 1, 2),
        (users, indent) => {
          const cells = users.map((one) => ({
            ...good,
            user_properties: {
              json: indent === 2 ? spaced(one) : JSON.stringify(one, undefined, indent),
            },
          }));
          const mapped = mapRows(cells, { target: { rules, repair: ["users"] } }).rows;
          expect(mapped.map((one) => JSON.parse(one.user ?? "") as unknown)).toEqual(
            users.map((one) => ({ userID: "mina", ...placed(one) })),
          );
          const moved = mapped.map((one) => Object.keys(JSON.parse(one.user ?? "{}") as object));
          for (const [index, keys] of moved.entries()) {
            const top = fields
              .map(([field]) => field)
              .filter((field) => {
                const inner = placed(users[index] ?? {})[field];
                return inner !== undefined && inner !== null && typeof inner !== "object";
              });
            expect(keys.slice(1, top.length + 1)).toEqual(top);
          }
        },
      ),
      { numRuns: propertyRuns(300) },
    );
  });
});

describe("every row", () => {
  const nameRules = rules.names as NonNullable<Target["names"]>;

  it("is repaired as by an oracle that works on objects, in any style of JSON", () => {
    const styles = fc.constantFrom(undefined, 1);
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), styles, (rows, indent) => {
        const cells = rows.map(({ event, metadata }) => ({
          ...good,
          event_type: event,
          event_properties: { json: JSON.stringify(metadata, undefined, indent) },
        }));
        const mapped = mapRows(cells, { target: { rules, repair: repairs } }).rows;
        expect(mapped.map(({ event }) => event)).toEqual(
          rows.map(({ event }) => repairName(event, nameRules)),
        );
        expect(mapped.map(({ metadata }) => withoutBlanks(metadata ?? ""))).toEqual(
          rows.map(({ metadata }) => flat(metadata)),
        );
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("keeps its names and properties in a dry run, which counts and rejects all the same", () => {
    const large = { "a.b": "x".repeat(17_000), email: "a@example.com" };
    const cells = [
      { ...good, event_type: "$a", event_properties: { json: '{"a.b":1}' } },
      { ...good, event_properties: { json: JSON.stringify(large) } },
      { ...good, user_properties: { json: '{"$email":"a@b.c"}' } },
    ];
    const of = (keeps: boolean) => mapRows(cells, { target: { rules, repair: repairs, keeps } });
    const delivered = of(true).rows.filter(({ outcome }) => outcome === "deliver");
    const [first, , third] = mapRows(cells).rows;
    expect(delivered).toEqual([first, third]);
    expect(of(true).rows.map(({ outcome }) => outcome)).toEqual(
      of(false).rows.map(({ outcome }) => outcome),
    );
    expect(of(true).notices).toEqual(of(false).notices);
    expect(of(true).notices).toMatchObject({
      repaired_name: 1,
      repaired_dots: 1,
      repaired_user: 1,
    });
  });

  it("does not count the names of events that it rejects", () => {
    const odd = { "page.path": "/a", n: { m: 1 } };
    const events = [odd, { ...odd, more: "x".repeat(20_000) }, { long: "x".repeat(20_000) }, odd];
    const cells = [
      ...events.map((event) => ({ json: JSON.stringify(event) })).map((json) => [json, "1"]),
      [{ json: JSON.stringify(odd) }, "x".repeat(128)],
    ].map(([event_properties, price]) => ({
      ...good,
      event_type: "$a",
      event_properties,
      price: { json: JSON.stringify(price) },
      user_properties: { json: '{"$email":"a@b.c"}' },
    })) as CellRow[];
    for (const keeps of [false, true]) {
      const target = { rules, repair: repairs, keeps };
      const { rows, notices, renames } = mapRows(cells, { target, overrides: { value: "price" } });
      expect(rows.map(({ outcome }) => outcome)).toEqual([
        "deliver",
        "target_metadata_long",
        "target_metadata_long",
        "deliver",
        "target_value_long",
      ]);
      expect(notices).toMatchObject({ repaired_name: 2, repaired_dots: 2, repaired_user: 2 });
      expect(renames).toEqual({
        names: [["$a", 2]],
        keys: [
          [["page.path"], 2],
          [["n", "m"], 2],
        ],
        users: [["$email", 2]],
      });
    }
  });

  it("is counted by the rules that it breaks", () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
        const cells = rows.map(({ event, metadata }) => ({
          ...good,
          event_type: event,
          event_properties: { json: JSON.stringify(metadata) },
        }));
        const { notices } = mapRows(cells, { target: { rules, repair: [] } });
        const count = (test: (row: Row) => boolean) => rows.filter(test).length;
        const isLost = ({ event }: Row) => isLostName(event, nameRules);
        const hasDots = ({ metadata }: Row) =>
          Object.keys(metadata).some((name) => name.includes("."));
        const hasNested = ({ metadata }: Row) =>
          Object.values(metadata).some((inner) => typeof inner === "object" && inner !== null);
        expect(notices).toMatchObject({
          target_name: count(isLost),
          target_dots: count(hasDots),
          target_nested: count(hasNested),
          target_lost: count(isLost),
          target_changed: count((one) => !isLost(one) && (hasDots(one) || hasNested(one))),
        });
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});
