import fc from "fast-check";

/** JSON tokens, and texts that no outline may accept. */
export const plainToken = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }).map((text) => JSON.stringify(text)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
  fc.bigInt({ min: -(10n ** 36n), max: 10n ** 36n }).map(String),
  fc.integer({ min: 12, max: 34 }).map((digits) => "7".repeat(digits)),
  fc.constantFrom("true", "false", "null", "-0", "1e5", "0.5", "1.25E-3", '""', '"\\u00e9"'),
  fc.constantFrom("01", "-", "1.", ".5", "+1", "nul", "1e", '"\\x"', '"', "1 1", "-a", "", "{}"),
);
