import { expect, it } from "vitest";
import { identifierOf, randomIdentifier } from "../../src/service/new-entity.js";

it.each([
  ["A Gate", "a_gate"],
  ["New   checkout (2)", "new_checkout_2_"],
  ["kept-as_it.is", "kept-as_it.is"],
  ["a  ", "a__"],
  ["   ", "___"],
])("makes an id of the name %j: %s", (name, id) => {
  expect(identifierOf(name)).toBe(id);
});

it("makes identifiers of 22 digits of base 62 without repetition", () => {
  const made = Array.from({ length: 1_000 }, randomIdentifier);
  expect(made.every((identifier) => /^[0-9A-Za-z]{22}$/.test(identifier))).toBe(true);
  expect(new Set(made).size).toBe(made.length);
});
