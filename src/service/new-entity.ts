import { randomInt } from "node:crypto";
import { NAME_CHARACTERS_MIN } from "../contract/fields.js";
import type { Stamp } from "./entity-type.js";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** 22 digits of base 62 hold 131 bits, enough to never repeat. */
const IDENTIFIER_CHARACTERS = 22;

/** Returns a new identifier for a rule or a group; tests replace it. */
export type NewIdentifier = () => string;

export const randomIdentifier: NewIdentifier = () =>
  Array.from({ length: IDENTIFIER_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join(
    "",
  );

/**
 * Returns the id of an entity that is created without one: its name in lower case, with an underscore
 * for each run of characters that an id must not have. `A Gate` → `a_gate`. An id that is too short is
 * padded: `a  ` → `a__`.
 */
export function identifierOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_\-.]+/g, "_")
    .padEnd(NAME_CHARACTERS_MIN, "_");
}

/** Returns the fields that the service sets on a new entity of any kind. */
export function newProvenance({ caller, time }: Stamp) {
  const who = { ID: caller.id, name: caller.name };
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

/** Placeholders that put id and name first in answers. Spread them first and set both later. */
export const identityFirst = { id: "", name: "" };
