import { describe, expect, it } from "vitest";
import { createSegment, segmentType } from "../../src/service/segments.js";
import { countedIdentifiers, stamp, stampedFields } from "../support/stamp.js";

const rule = { name: "staff", passPercentage: 100, conditions: [] };

describe("a new segment", () => {
  it("has defaults for absent fields", () => {
    const made = createSegment({ name: "A Segment", type: "id_list" }, stamp, countedIdentifiers());
    expect(made).toEqual({
      ...stampedFields,
      isArchived: false,
      id: "a_segment",
      name: "A Segment",
      type: "id_list",
      description: "",
      idType: "userID",
      tags: [],
      team: null,
      teamID: null,
      rules: [],
      isEnabled: true,
      count: 0,
    });
  });

  it("has its name as id if that is valid, else an id derived from it", () => {
    const idOf = (name: string) =>
      createSegment({ name, type: "id_list" }, stamp, countedIdentifiers()).id;
    expect(["Staff", "Staff-2_b", "My Staff"].map(idOf)).toEqual([
      "Staff",
      "Staff-2_b",
      "my_staff",
    ]);
  });

  it("keeps what is given", () => {
    const given = {
      id: "staff",
      name: "Staff only",
      type: "rule_based",
      description: "who works here",
      idType: "stableID",
      tags: ["b", "a"],
      creatorID: "someone",
      creatorEmail: "someone@example.com",
      team: "core",
      teamID: "team-1",
    } as const;
    const made = createSegment({ ...given, tags: [...given.tags] }, stamp, countedIdentifiers());
    expect(made).toMatchObject(given);
  });

  it("gives rules their base ID as id, and keeps given ones", () => {
    const rules = [rule, { ...rule, name: "guests", baseID: "b", id: "i" }];
    const made = createSegment(
      { name: "Staff", type: "rule_based", rules },
      stamp,
      countedIdentifiers(),
    );
    expect(made.rules).toEqual([
      { ...rule, baseID: "identifier-1", id: "identifier-1" },
      { ...rule, name: "guests", baseID: "b", id: "i" },
    ]);
  });

  it("shares nothing with the next one", () => {
    const [one, other] = ["one", "other"].map((name) =>
      createSegment({ name, type: "id_list" }, stamp, countedIdentifiers()),
    );
    expect(one?.tags).not.toBe(other?.tags);
    expect(one?.rules).not.toBe(other?.rules);
  });

  it("references the segments in its rules", () => {
    const conditions = [
      { type: "passes_segment" as const, targetValue: ["a", "b"] },
      { type: "fails_segment" as const, targetValue: "c" },
      { type: "user_id" as const, operator: "any", targetValue: ["d"] },
    ];
    const made = createSegment(
      { name: "Staff", type: "rule_based", rules: [{ ...rule, conditions }] },
      stamp,
      countedIdentifiers(),
    );
    expect(segmentType.referencesOf(made)).toEqual([
      { kind: "segment", id: "a" },
      { kind: "segment", id: "b" },
      { kind: "segment", id: "c" },
    ]);
  });
});
