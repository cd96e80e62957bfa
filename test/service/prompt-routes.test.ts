import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Prompt } from "../../src/contract/prompt.js";
import { startTestService, type TestService } from "../support/service.js";

const path = "/console/v1/prompts";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

const create = (body: unknown) => service.call<Prompt>({ method: "POST", path, body });

async function faultsOf(body: unknown) {
  const { status, json } = await create(body);
  expect(status).toBe(400);
  return json.errors;
}

describe("POST /console/v1/prompts", () => {
  it("creates a prompt: 200, `Prompt created successfully.`", async () => {
    const { status, json, headers } = await create({ name: "support-greeting" });
    expect(status).toBe(200);
    expect(json.message).toBe("Prompt created successfully.");
    expect(headers["etag"]).toBe('"1"');
  });

  it("answers every field that the specification lists", async () => {
    const { json } = await create({ name: "support-greeting" });
    const who = json.data.creatorID;
    expect(json.data).toEqual({
      id: "support-greeting",
      name: "support-greeting",
      displayName: "support-greeting",
      description: "",
      idType: "userID",
      creatorID: expect.any(String),
      creatorName: "CONSOLE API",
      creatorEmail: null,
      isArchived: false,
      createdTime: expect.any(Number),
      lastModifierID: who,
      lastModifierName: "CONSOLE API",
      lastModifierEmail: null,
      lastModifiedTime: json.data.createdTime,
      tags: [],
      targetApps: [],
      content: null,
      published: null,
      holdoutIDs: [],
      team: "",
      teamID: "",
      owner: { ownerID: who, ownerType: "SDK_KEY", ownerName: "CONSOLE API", ownerEmail: "" },
      version: 1,
    });
  });

  it("echoes every given field", async () => {
    const given = {
      name: "support greeting 2.0",
      displayName: "Support greeting",
      description: "First words.",
      targetApps: ["web", "ios"],
      team: "core",
      teamID: "team-1",
      tags: ["b", "a"],
      creatorID: null,
      owner: { ownerID: "o", ownerType: "USER", ownerName: "Someone", ownerEmail: "s@example.com" },
      creatorEmail: null,
    };
    expect((await create(given)).json.data).toMatchObject(given);
  });

  it.each([
    ["name: required", { name: undefined }, "name", "Required"],
    ["name: at least 3", { name: "ab" }, "name", "Must be at least 3 characters"],
    ["name: at most 100", { name: "a".repeat(101) }, "name", "Must be at most 100 characters"],
    ["name: pattern", { name: "a/b" }, "name", "Must match /^[a-zA-Z0-9_\\-. ]*$/"],
    [
      "displayName: at least 3",
      { displayName: "ab" },
      "displayName",
      "Must be at least 3 characters",
    ],
    [
      "displayName: at most 100",
      { displayName: "a".repeat(101) },
      "displayName",
      "Must be at most 100 characters",
    ],
    [
      "displayName: same pattern",
      { displayName: "a/b" },
      "displayName",
      "Must match /^[a-zA-Z0-9_\\-. ]*$/",
    ],
    [
      "description: max 1000",
      { description: "a".repeat(1001) },
      "description",
      "Must be at most 1000 characters",
    ],
    [
      "targetApps: list of app names",
      { targetApps: [1] },
      "targetApps",
      "Expected string or array of strings",
    ],
    ["tags: array of string", { tags: "a" }, "tags", "Expected array, received string"],
    [
      "creatorID: string or null",
      { creatorID: 1 },
      "creatorID",
      "Expected string, received number",
    ],
    [
      "creatorEmail: string or null",
      { creatorEmail: 1 },
      "creatorEmail",
      "Expected string, received number",
    ],
    ["owner: object", { owner: "me" }, "owner", "Expected object, received string"],
    [
      "owner: its fields are strings",
      { owner: { ownerID: 1 } },
      "owner.ownerID",
      "Expected string, received number",
    ],
  ])("refuses: %s (%j)", async (_, change, property, errorMessage) => {
    expect(await faultsOf({ name: "greeting", ...change })).toEqual([{ property, errorMessage }]);
  });

  it("a name in use is refused: `Name is already in use`", async () => {
    await create({ name: "greeting" });
    const { status, json } = await create({ name: "greeting" });
    expect(status).toBe(400);
    expect(json).toEqual({
      status: 400,
      message: "Name is already in use",
      errors: [{ property: "name", errorMessage: "Name is already in use" }],
    });
  });
});

describe("prompts that were created", () => {
  it("are listed, newest first: `Prompts listed successfully.`", async () => {
    for (const name of ["first", "second", "third"]) await create({ name });
    const { status, json } = await service.call<Prompt[]>({ path: `${path}?limit=2&page=2` });
    expect(status).toBe(200);
    expect(json.message).toBe("Prompts listed successfully.");
    expect(json.data.map(({ id }) => id)).toEqual(["first"]);
    expect(json.pagination).toMatchObject({
      totalItems: 3,
      previousPage: `${path}?page=1&limit=2`,
      nextPage: null,
    });
  });

  it.each(["greeting", "a greeting", "v2.0. final", "...", "a . b"])(
    "are read and deleted by their name: %j",
    async (name) => {
      const { json: created } = await create({ name });
      expect(created.data.id).toBe(name);
      const one = { path: `${path}/${encodeURIComponent(name)}` };
      const read = await service.call<Prompt>(one);
      expect(read.json).toEqual({ message: "Prompt read successfully.", data: created.data });
      const deleted = await service.call({ method: "DELETE", ...one });
      expect(deleted.status).toBe(200);
      expect(deleted.json).toEqual({ message: "Prompt deleted successfully." });
      const gone = await service.call(one);
      expect(gone.json).toEqual({ status: 404, message: "Prompt not found.", errors: [] });
    },
  );
});
