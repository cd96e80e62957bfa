import { describe, expect, it } from "vitest";
import type { Gate, GateReplace } from "../../src/contract/gate.js";
import { ServiceError } from "../../src/http/service-error.js";
import {
  archiveGate,
  createGate,
  disableGate,
  enableGate,
  launchGate,
  patchGate,
  replaceGate,
  unarchiveGate,
} from "../../src/service/gates.js";
import { countedIdentifiers as identifiers, stamp } from "../support/stamp.js";

const made = (): Gate => createGate({ name: "A Gate" }, stamp, identifiers());
const rule = { name: "staff", passPercentage: 10, conditions: [] };
const full: GateReplace = { isEnabled: true, description: "", rules: [] };

describe("a new gate", () => {
  it("has defaults for absent fields", () => {
    expect(made()).toEqual({
      id: "a_gate",
      name: "A Gate",
      description: "",
      idType: "userID",
      isEnabled: true,
      status: "In Progress",
      type: "TEMPORARY",
      typeReason: "NONE",
      rules: [],
      checksPerHour: 0,
      tags: [],
      targetApps: [],
      holdoutIDs: [],
      team: null,
      teamID: null,
      creatorID: "key-1",
      creatorName: "CONSOLE API",
      creatorEmail: null,
      createdTime: 1_700_000_000_000,
      lastModifierID: "key-1",
      lastModifierName: "CONSOLE API",
      lastModifierEmail: null,
      lastModifiedTime: 1_700_000_000_000,
      reviewSettings: { requiredReview: false, allowedReviewers: [] },
      measureMetricLifts: false,
      store0100Exposures: false,
      monitoringMetrics: [],
      owner: {
        ownerID: "key-1",
        ownerType: "SDK_KEY",
        ownerName: "CONSOLE API",
        ownerEmail: "",
      },
      version: 1,
      isTemplate: false,
      releasePipelineID: null,
    });
  });

  it("keeps given fields, including the creator", () => {
    const given = { name: "g-1", id: "other", tags: ["b", "a"], creatorID: "me", isEnabled: false };
    expect(createGate(given, stamp, identifiers())).toMatchObject({ ...given, status: "Disabled" });
  });

  it("shares no list with the next one", () => {
    expect(made().tags).not.toBe(made().tags);
  });

  it("gives rules a base ID and an ID, and keeps given ones", () => {
    const { rules } = createGate(
      {
        name: "A Gate",
        rules: [
          { ...rule, id: "" },
          { ...rule, name: "mine", id: "i", baseID: "b" },
          { ...rule, name: "based", baseID: "b2", id: null },
        ],
      },
      stamp,
      identifiers(),
    );
    expect(rules.map(({ id, baseID }) => ({ id, baseID }))).toEqual([
      { id: "identifier-1", baseID: "identifier-1" },
      { id: "i", baseID: "b" },
      { id: "b2", baseID: "b2" },
    ]);
  });

  it("takes the ID of a rule as its base, and refuses an ID that two rules have", () => {
    const make = (...rules: object[]) =>
      createGate(
        { name: "A Gate", rules: rules.map((one, n) => ({ ...rule, name: `${n}`, ...one })) },
        stamp,
        identifiers(),
      ).rules.map(({ id, baseID }) => [id, baseID]);
    expect(make({ id: "i" }, {})).toEqual([
      ["i", "i"],
      ["identifier-1", "identifier-1"],
    ]);
    expect(() => make({ id: "i" }, { baseID: "i" })).toThrow("Duplicate rule id(s) given");
  });

  it("is refused if two rules have the same name", () => {
    const body = { name: "A Gate", rules: [rule, { ...rule, name: "other" }, rule] };
    const refused = () => createGate(body, stamp, identifiers());
    expect(refused).toThrow(ServiceError);
    expect(refused).toThrow("Duplicate rule name(s) given");
  });
});

describe("a full update", () => {
  it("resets absent fields to defaults, except name, ID type and the service's own fields", () => {
    const before: Gate = {
      ...made(),
      idType: "stableID",
      checksPerHour: 7,
      holdoutIDs: ["h"],
      team: "growth",
      tags: ["x"],
      type: "PERMANENT",
      measureMetricLifts: true,
      creatorID: "someone",
    };
    expect(replaceGate(before, { ...full, description: "new" }, identifiers())).toEqual({
      ...made(),
      description: "new",
      idType: "stableID",
      checksPerHour: 7,
      holdoutIDs: ["h"],
      creatorID: "someone",
    });
  });
});

describe("a partial update", () => {
  it("changes the given fields only", () => {
    expect(patchGate(made(), { tags: ["core"] }, identifiers())).toEqual({
      ...made(),
      tags: ["core"],
    });
  });

  it("clears a nullable field with null", () => {
    const before = { ...made(), team: "growth" };
    expect(patchGate(before, { team: null }, identifiers()).team).toBeNull();
  });
});

describe("the status", () => {
  const inStatus = (status: Gate["status"]): Gate => ({ ...made(), status });

  it.each(["In Progress", "Archived", "Disabled", "Launched"] as const)(
    "is Disabled after an update of a gate in %s with isEnabled false",
    (status) => {
      const body = { ...full, isEnabled: false };
      expect(replaceGate(inStatus(status), body, identifiers()).status).toBe("Disabled");
      expect(patchGate(inStatus(status), { isEnabled: false }, identifiers()).status).toBe(
        "Disabled",
      );
    },
  );

  it.each([
    ["In Progress", "In Progress"],
    ["Archived", "In Progress"],
    ["Disabled", "In Progress"],
    ["Launched", "Launched"],
  ] as const)("goes from %s to %s with isEnabled true", (from, to) => {
    expect(patchGate(inStatus(from), { isEnabled: true }, identifiers()).status).toBe(to);
  });

  it("stays if an update has no isEnabled", () => {
    expect(patchGate(inStatus("Launched"), { tags: [] }, identifiers()).status).toBe("Launched");
  });

  it("stays when the gate is disabled, and is In Progress when it is enabled", () => {
    expect(disableGate(inStatus("Launched"))).toMatchObject({
      isEnabled: false,
      status: "Launched",
    });
    expect(enableGate(inStatus("Disabled"))).toMatchObject({
      isEnabled: true,
      status: "In Progress",
    });
  });

  it("is Launched after launch, Archived after archive, In Progress after unarchive", () => {
    expect(launchGate(made()).status).toBe("Launched");
    expect(archiveGate(made()).status).toBe("Archived");
    expect(unarchiveGate(archiveGate(made())).status).toBe("In Progress");
  });

  it("stays on unarchive if the gate is not archived", () => {
    expect(unarchiveGate(inStatus("Launched")).status).toBe("Launched");
  });
});
