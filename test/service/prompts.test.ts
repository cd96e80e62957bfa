import { expect, it } from "vitest";
import { createPrompt } from "../../src/service/prompts.js";
import { stamp, stampedFields } from "../support/stamp.js";

it("a new prompt has its name as id, and defaults for absent fields", () => {
  expect(createPrompt({ name: "A Prompt. 2" }, stamp)).toEqual({
    ...stampedFields,
    isArchived: false,
    id: "A Prompt. 2",
    name: "A Prompt. 2",
    displayName: "A Prompt. 2",
    description: "",
    targetApps: [],
    team: "",
    teamID: "",
    tags: [],
    idType: "userID",
    holdoutIDs: [],
    content: null,
    published: null,
  });
});

it("a new prompt keeps given fields, including the owner", () => {
  const given = {
    name: "greeting",
    displayName: "Greeting",
    description: "says hello",
    targetApps: "web",
    team: "core",
    teamID: "team-1",
    tags: ["b", "a"],
    creatorID: null,
    creatorEmail: "someone@example.com",
    owner: { ownerID: "someone", ownerType: "USER" },
  };
  expect(createPrompt(given, stamp)).toEqual({
    ...stampedFields,
    isArchived: false,
    ...given,
    id: "greeting",
    idType: "userID",
    holdoutIDs: [],
    content: null,
    published: null,
  });
});
