import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AnyObject } from "../../src/contract/fields.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
  await call("POST", "prompts", { name: "greeting" });
});

afterEach(() => service.close());

async function call(method: string, path: string, body?: unknown, headers = {}) {
  const answer = await service.call<AnyObject & AnyObject[]>({
    method: method as "GET",
    path: `/console/v1/${path}`,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { ...answer.json, status: answer.status, etag: answer.headers["etag"] };
}

const content = (name: string) => ({
  name,
  prompts: [
    { role: "system", content: "You greet people." },
    { role: "user", content: `Greet {{name}}, ${name}` },
  ],
  model: "small",
  temperature: 0.5,
  max_tokens: 100,
});

const create = (name: string, headers = {}) =>
  call("POST", "prompts/greeting/versions", content(name), headers);

describe("the content of a prompt", () => {
  it("is a version of the prompt: 201, and lists of versions have it", async () => {
    expect((await call("GET", "prompts/greeting")).data).toMatchObject({
      content: null,
      published: null,
    });
    expect(await create("first")).toMatchObject({
      status: 201,
      message: "Prompt version created successfully.",
      data: { ...content("first"), version: 2 },
      etag: '"2"',
    });
    await create("second");
    expect((await call("GET", "prompts/greeting/versions")).data).toMatchObject([
      { version: 3, content: content("second") },
      { version: 2, content: content("first") },
      { version: 1, content: null },
    ]);
  });

  it("is published by its version, and newer content does not change that", async () => {
    await create("first");
    await create("second");
    const published = await call("PUT", "prompts/greeting/publish", { version: 2 });
    expect(published.data).toMatchObject({
      content: content("second"),
      published: { version: 2, content: content("first") },
      version: 4,
    });
    await create("third");
    await call("PATCH", "prompts/greeting", { description: "d" });
    expect(await call("GET", "prompts/greeting/published")).toMatchObject({
      status: 200,
      data: { ...content("first"), version: 2 },
      etag: '"6"',
    });
  });

  it("stays published when older settings are restored", async () => {
    await create("first");
    await call("PUT", "prompts/greeting/publish", { version: 2 });
    const restored = await call("PUT", "prompts/greeting/restore", { version: 1 });
    expect(restored.data).toMatchObject({ content: null, published: { version: 2 } });
  });

  it("can be published only if the version has one", async () => {
    expect(await call("PUT", "prompts/greeting/publish", { version: 1 })).toMatchObject({
      status: 400,
      errors: [{ property: "version" }],
    });
    expect(await call("PUT", "prompts/greeting/publish", { version: 9 })).toMatchObject({
      status: 404,
      message: "Version 9 of Prompt not found.",
    });
    expect(await call("GET", "prompts/greeting/published")).toMatchObject({ status: 404 });
  });

  it("is written only to the version that If-Match names, and not by a dry run", async () => {
    expect(await create("first", { "if-match": '"7"' })).toMatchObject({ status: 412 });
    const dry = await call("POST", "prompts/greeting/versions?dryRun=true", content("first"));
    expect(dry).toMatchObject({ status: 201, data: { version: 2 } });
    expect((await call("GET", "prompts/greeting")).data).toMatchObject({ content: null });
  });

  it.each([
    [{ name: undefined }, "name"],
    [{ prompts: [{ role: "robot", content: "" }] }, "prompts[0].role"],
    [{ prompts: [{ role: "user" }] }, "prompts[0].content"],
    [{ temperature: 3 }, "temperature"],
    [{ max_tokens: 0.5 }, "max_tokens"],
  ])("refuses %j", async (wrong, property) => {
    const body = { ...content("first"), ...wrong };
    const { status, errors } = await call("POST", "prompts/greeting/versions", body);
    expect({ status, errors }).toMatchObject({ status: 400, errors: [{ property }] });
  });
});
