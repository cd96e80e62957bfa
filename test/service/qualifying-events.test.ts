import { describe, expect, it } from "vitest";
import type { QualifyingEvent } from "../../src/contract/qualifying-event.js";
import {
  createNamed,
  createQualifyingEvent,
  replaceQualifyingEvent,
} from "../../src/service/qualifying-events.js";
import { stamp, stampedFields } from "../support/stamp.js";

const required = {
  sql: "select * from purchases",
  timestampColumn: "time",
  idTypeMapping: [{ serviceUnitID: "userID", column: "user_id" }],
};

const given = {
  ...required,
  name: "Purchase",
  description: "what was bought",
  tags: ["b", "a"],
  timestampAsDay: true,
  sourceType: "table" as const,
  tableName: "purchases",
  datePartitionColumn: "day",
  customFieldMapping: [{ key: "total", formula: "price * count" }],
  isReadOnly: true,
  isVerified: true,
  owner: { ownerID: "someone" },
  team: "core",
  teamID: "team-1",
};

const defaults = {
  description: "",
  tags: [],
  timestampAsDay: false,
  sourceType: "query",
  tableName: "",
  customFieldMapping: [],
  isReadOnly: false,
  isVerified: false,
  team: null,
  teamID: null,
};

const nameFault = {
  status: 400,
  faults: [
    {
      property: "name",
      errorMessage: "Cannot be changed: leave it out, or send the name in the path",
    },
  ],
};

describe("a new qualifying event", () => {
  it("has defaults for absent fields", () => {
    expect(createQualifyingEvent({ name: "Purchase", ...required }, stamp)).toEqual({
      ...stampedFields,
      isArchived: false,
      ...defaults,
      ...required,
      name: "Purchase",
    });
  });

  it("keeps given fields, except dryRun", () => {
    expect(createQualifyingEvent({ ...given, dryRun: true }, stamp)).toEqual({
      ...stampedFields,
      isArchived: false,
      ...given,
    });
  });

  it("gets its name from the path if an update creates it", () => {
    expect(createNamed("Purchase", { ...required, dryRun: false }, stamp)).toEqual(
      createQualifyingEvent({ name: "Purchase", ...required }, stamp),
    );
  });

  it("is refused if the body has another name than the path", () => {
    expect(() => createNamed("Sale", given, stamp)).toThrow(expect.objectContaining(nameFault));
  });
});

describe("an update", () => {
  const current: QualifyingEvent = createQualifyingEvent(given, stamp);

  it("resets absent fields to defaults, except the name and the owner", () => {
    expect(replaceQualifyingEvent(current, { ...required, dryRun: false })).toEqual({
      ...stampedFields,
      isArchived: false,
      ...defaults,
      ...required,
      name: "Purchase",
      owner: { ownerID: "someone" },
    });
  });

  it("takes what is given", () => {
    const next = { ...given, description: "sold", sql: "select 1", owner: { ownerID: "other" } };
    expect(replaceQualifyingEvent(current, next)).toEqual({
      ...stampedFields,
      isArchived: false,
      ...next,
    });
  });

  it("accepts its own name and refuses another", () => {
    expect(replaceQualifyingEvent(current, given).name).toBe("Purchase");
    expect(() => replaceQualifyingEvent(current, { ...given, name: "Sale" })).toThrow(
      expect.objectContaining(nameFault),
    );
  });
});
