import { randomInt } from "node:crypto";
import { NAME_CHARACTERS_MIN } from "../contract/fields.js";
import { ACTOR_NAME, type Stamp } from "./entity-operations.js";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 22 digits of base 62 hold 131 bits: two alike are not to be expected. */
const IDENTIFIER_CHARACTERS = 22;

/** A new identifier for a rule or a group; a parameter where tests want to know it beforehand. */
export type NewIdentifier = () => string;

export const randomIdentifier: NewIdentifier = () =>
  Array.from({ length: IDENTIFIER_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join(
    "",
  );

/**
 * The id of an entity that is created without one: its name in lower case, each run of characters
 * that an id may not hold an underscore. `A Gate` → `a_gate`. What a run made too short for an id is
 * filled up: `a  ` → `a__`.
 */
export function identifierOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_\-.]+/g, "_")
    .padEnd(NAME_CHARACTERS_MIN, "_");
}

/** What the service writes on a new entity of any kind. */
export function newProvenance({ caller, time }: Stamp) {
  const who = { ID: caller.id, name: ACTOR_NAME };
  return {
    creatorID: who.ID,
    creatorName: who.name as string | null,
    creatorEmail: null as string | null,
    createdTime: time,
    lastModifierID: who.ID,
    lastModifierName: who.name,
    lastModifierEmail: null,
    lastModifiedTime: time,
    version: 1,
    owner: {
      ownerID: who.ID,
      ownerType: "SDK_KEY",
      ownerName: who.name,
      ownerEmail: "",
    },
  };
}

/** To be spread first, so that id and name lead in answers; both are given their values later. */
export const identityFirst = { id: "", name: "" };
