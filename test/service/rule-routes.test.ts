import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { startTestService, type TestService } from "../support/service.js";

interface Entity extends AnyObject {
  readonly rules: readonly (AnyObject & { readonly id: string; readonly baseID: string })[];
}

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

async function call<Data = Entity>(method: string, path: string, body?: unknown, headers = {}) {
  const answer = await service.call<Data>({
    method: method as "GET",
    path: `/console/v1/${path}`,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { ...answer.json, status: answer.status, etag: answer.headers["etag"] };
}

const rule = (name: string, more: AnyObject = {}) => ({
  name,
  passPercentage: 10,
  conditions: [{ type: "public" }],
  ...more,
});

describe.each([
  ["gates", "Gate"],
  ["dynamic_configs", "Dynamic Config"],
])("the rules of /console/v1/%s", (path, title) => {
  const one = `${path}/one`;
  const rules = `${one}/rules`;
  let stored: Entity["rules"];

  beforeEach(async () => {
    const body = { name: "one", description: "d", rules: [rule("A"), rule("B"), rule("C")] };
    stored = (await call("POST", path, body)).data.rules;
  });

  const idOf = (index: number) => encodeURIComponent(stored[index]?.id ?? "");
  const namesOf = ({ data }: { readonly data: Entity }) => data.rules.map(({ name }) => name);

  it("are listed in their order, in pages", async () => {
    expect(await call("GET", rules)).toMatchObject({
      message: `${title} rules read successfully.`,
      data: stored,
      pagination: { totalItems: 3, all: `/console/v1/${rules}` },
    });
    expect(await call("GET", `${rules}?limit=1&page=2`)).toMatchObject({
      data: [{ name: "B" }],
      pagination: { nextPage: `/console/v1/${rules}?page=3&limit=1` },
    });
  });

  it("are read by id or baseID, with the version of the entity, under both paths", async () => {
    const expected = { data: stored[1], etag: '"1"', message: `${title} rules read successfully.` };
    expect(await call("GET", `${rules}/${idOf(1)}`)).toMatchObject(expected);
    expect(await call("GET", `${rules}/${stored[1]?.baseID}`)).toMatchObject(expected);
    expect(await call("GET", `${one}/rule/${idOf(1)}`)).toMatchObject(expected);
    expect(await call("PUT", `${one}/rule/${idOf(1)}`)).toMatchObject({ status: 405 });
  });

  it("are added as the last ones", async () => {
    const added = await call("POST", `${one}/rule`, rule("D"));
    expect(added).toMatchObject({
      status: 200,
      message: `${title} rules added successfully.`,
      data: { version: 2, description: "d" },
    });
    const more = await call("POST", rules, { rules: [rule("E"), rule("F")] });
    expect(namesOf(more)).toEqual(["A", "B", "C", "D", "E", "F"]);
    expect(more.data.rules.slice(0, 3)).toEqual(stored);
    expect(new Set(more.data.rules.map(({ baseID }) => baseID)).size).toBe(6);
  });

  it("are updated in the given fields; the others and their identifiers stay", async () => {
    const body = { passPercentage: 25, environments: ["staging"], id: "x", baseID: "y" };
    const { data, message } = await call("PATCH", `${rules}/${idOf(1)}`, body);
    expect(message).toBe(`${title} rules updated successfully.`);
    expect(data).toMatchObject({ version: 2, description: "d" });
    expect(data.rules[1]).toMatchObject({
      name: "B",
      passPercentage: 25,
      environments: ["staging"],
      conditions: [{ type: "public" }],
      baseID: stored[1]?.baseID,
    });
    expect([data.rules[0], data.rules[2]]).toEqual([stored[0], stored[2]]);
  });

  it("are updated together, named by id, baseID or name", async () => {
    const { data } = await call("PATCH", rules, {
      rules: [
        { id: stored[2]?.id, passPercentage: 3 },
        { baseID: stored[1]?.baseID, passPercentage: 2, name: "Beta" },
        { name: "A", passPercentage: 1 },
      ],
    });
    expect(data.rules).toMatchObject([
      { name: "A", passPercentage: 1, baseID: stored[0]?.baseID },
      { name: "Beta", passPercentage: 2, baseID: stored[1]?.baseID },
      { name: "C", passPercentage: 3, baseID: stored[2]?.baseID },
    ]);
  });

  it("that are not there are a 400 in a list of updates, and nothing is changed", async () => {
    const patches = [{ name: "A", passPercentage: 1 }, { id: "x" }, { name: "X" }, {}];
    expect(await call("PATCH", rules, { rules: patches })).toMatchObject({
      status: 400,
      errors: [
        { property: "rules[1]", errorMessage: "There is no rule x" },
        { property: "rules[2]", errorMessage: "There is no rule X" },
        { property: "rules[3]" },
      ],
    });
    expect((await call("GET", one)).data).toMatchObject({ version: 1, rules: stored });
  });

  it("are deleted one by one", async () => {
    const deleted = await call("DELETE", `${rules}/${idOf(1)}`);
    expect(deleted.message).toBe(`${title} rule deleted successfully.`);
    expect(namesOf(deleted)).toEqual(["A", "C"]);
    expect(deleted.data.rules.map(({ baseID }) => baseID)).toEqual([
      stored[0]?.baseID,
      stored[2]?.baseID,
    ]);
  });

  it.each([
    ["GET", undefined],
    ["PATCH", {}],
    ["DELETE", undefined],
  ])("%s: a rule or an entity that is not there is a 404", async (method, body) => {
    expect(await call(method, `${rules}/nothing`, body)).toMatchObject({
      status: 404,
      message: "Rule nothing not found.",
    });
    expect(await call(method, `${path}/nobody/rules/x`, body)).toMatchObject({
      status: 404,
      message: `${title} not found.`,
    });
  });

  it("are written only to the version that If-Match names, and not by a dry run", async () => {
    const late = { "if-match": '"7"' };
    const calls = [
      ["POST", `${one}/rule`, rule("D")],
      ["PATCH", `${rules}/${idOf(0)}`, { passPercentage: 1 }],
      ["DELETE", `${rules}/${idOf(0)}`, undefined],
    ] as const;
    for (const [method, where, body] of calls) {
      expect(await call(method, where, body, late)).toMatchObject({ status: 412 });
      const dry = await call(method, `${where}?dryRun=true`, body);
      expect(dry).toMatchObject({ status: 200, data: { version: 2 } });
    }
    expect((await call("GET", one)).data).toMatchObject({ version: 1, rules: stored });
  });

  it.each([
    ["POST", "rule", { name: "A", passPercentage: 1, conditions: [] }, "rules[3].name"],
    ["POST", "rule", { name: "D", conditions: [] }, "passPercentage"],
    ["POST", "rules", { rules: [rule("D", { passPercentage: 101 })] }, "rules[0].passPercentage"],
    ["PATCH", "rules/0", { passPercentage: "many" }, "passPercentage"],
    ["PATCH", "rules/0", { name: "B" }, "rules[1].name"],
  ])("%s %s refuses %j", async (method, subpath, body, property) => {
    const where = `${one}/${subpath.replace("/0", `/${idOf(0)}`)}`;
    const { status, errors } = await call(method, where, body);
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ property }] });
  });
});

describe("the values of a dynamic config's rule", () => {
  const one = "dynamic_configs/one";

  beforeEach(async () => {
    const value = { returnValueJson5: "{a: 1} // one" };
    const schema = '{"properties": {"a": {"type": "number"}}}';
    await call("POST", "dynamic_configs", { name: "one", schema, rules: [rule("A", value)] });
  });

  const patch = async (body: AnyObject) => {
    const { data } = await call("GET", one);
    return call("PATCH", `${one}/rules/${data.rules[0]?.baseID}`, body);
  };

  it("changes both fields of its JSON5 pair by one of them", async () => {
    const { data } = await patch({ returnValue: { a: 2 } });
    expect(data.rules).toMatchObject([{ returnValue: { a: 2 }, returnValueJson5: '{"a":2}' }]);
  });

  it("keeps the text if another field changes", async () => {
    const { data } = await patch({ passPercentage: 50 });
    expect(data.rules).toMatchObject([
      {
        returnValue: { a: 1 },
        returnValueJson5: "{a: 1} // one",
        id: expect.stringMatching(/:50\.00:1$/),
      },
    ]);
  });

  it("refuses a pair that differs, and a value that does not fit the schema", async () => {
    expect(await patch({ returnValue: { a: 2 }, returnValueJson5: "{a: 3}" })).toMatchObject({
      status: 400,
    });
    expect(await patch({ returnValue: { a: "text" } })).toMatchObject({
      status: 400,
      errors: [{ property: "rules[0].returnValue" }],
    });
  });
});
