import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

async function call(method: string, path: string, body?: unknown, headers = {}) {
  const { status, json } = await service.call<AnyObject & AnyObject[]>({
    method: method as "GET",
    path: `/console/v1/${path}`,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { ...json, status };
}

interface Registry {
  readonly path: string;
  readonly title: string;
  readonly created: number;
  /** A field beside name and description, and two values of it. */
  readonly field: string;
  readonly values: readonly [unknown, unknown];
}

const registries: readonly Registry[] = [
  { path: "tags", title: "Tag", created: 200, field: "isCore", values: [false, true] },
  {
    path: "unit_id_types",
    title: "Unit ID Type",
    created: 201,
    field: "description",
    values: ["", "of companies"],
  },
  {
    path: "target_app",
    title: "Target app",
    created: 200,
    field: "description",
    values: ["", "the shop"],
  },
];

describe.each(registries)("/console/v1/$path", ({ path, title, created, field, values }) => {
  const name = "Q3 / checkout";
  const one = `${path}/${encodeURIComponent(name)}`;

  it("are created with their name as id, read, listed and deleted", async () => {
    const made = await call("POST", path, { name, description: "d", [field]: values[1] });
    expect(made).toMatchObject({
      status: created,
      message: `${title} created successfully.`,
      data: { id: name, name, description: "d", [field]: values[1], version: 1 },
    });
    expect(await call("GET", one)).toMatchObject({ data: made.data, status: 200 });
    expect(await call("GET", `${path}?search=q3`)).toMatchObject({
      message: `${title}s listed successfully.`,
      data: [{ id: name }],
      pagination: { totalItems: 1, all: `/console/v1/${path}` },
    });
    expect(await call("DELETE", one)).toEqual({
      status: 200,
      message: `${title} deleted successfully.`,
    });
    expect(await call("GET", one)).toMatchObject({ status: 404, message: `${title} not found.` });
  });

  it("have defaults, and are refused twice", async () => {
    const made = await call("POST", path, { name });
    expect(made.data).toMatchObject({ description: "", [field]: values[0] });
    expect(await call("POST", path, { name })).toMatchObject({
      status: 400,
      message: "Name is already in use",
    });
  });

  it("are changed in the given fields, as a new version, which can be taken back", async () => {
    await call("POST", path, { name, [field]: values[0] });
    const patched = await call("PATCH", one, { name, [field]: values[1] }, { "if-match": '"1"' });
    expect(patched.data).toMatchObject({ [field]: values[1], version: 2 });
    const late = await call("PATCH", one, { description: "e" }, { "if-match": '"1"' });
    expect(late.status).toBe(412);
    expect((await call("GET", `${one}/versions`)).data).toMatchObject([
      { version: 2, [field]: values[1] },
      { version: 1, [field]: values[0] },
    ]);
    const restored = await call("PUT", `${one}/restore`, { version: 1 });
    expect(restored.data).toMatchObject({ version: 3, [field]: values[0] });
  });

  it("keep their name: another one is a 400", async () => {
    await call("POST", path, { name });
    const { status, errors } = await call("PATCH", one, { name: "other" });
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ property: "name" }] });
  });

  it("are not stored by a dry run", async () => {
    expect(await call("POST", `${path}?dryRun=true`, { name })).toMatchObject({ status: created });
    expect((await call("GET", path)).data).toEqual([]);
  });

  it.each(["", " a", "a ", ".", "..", "a\nb", "a".repeat(101), 7, undefined])(
    "refuse the name %j",
    async (wrong) => {
      const { status, errors } = await call("POST", path, { name: wrong });
      expect({ status, errors }).toMatchObject({ status: 400, errors: [{ property: "name" }] });
    },
  );
});

describe("a tag that entities have", () => {
  it("stays on them when it is deleted, and lists find it", async () => {
    await call("POST", "tags", { name: "q3" });
    await call("POST", "gates", { name: "one", tags: ["q3"] });
    await call("DELETE", "tags/q3");
    expect((await call("GET", "gates?tags=q3")).data).toMatchObject([{ tags: ["q3"] }]);
  });
});

describe("a target app", () => {
  it("does not assign entities, and says so", async () => {
    const apps = { name: "web", gates: ["a_gate"], experiments: [] };
    expect(await call("POST", "target_app", apps)).toMatchObject({
      status: 400,
      errors: [{ property: "gates", errorMessage: expect.stringContaining("targetApps") }],
    });
    expect(await call("POST", "target_app", { ...apps, gates: [] })).toMatchObject({ status: 200 });
  });
});
