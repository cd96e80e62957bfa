import { expect } from "vitest";

/** A 400 with one fault, for `toMatchObject`. */
export const refusal = (property: string, errorMessage: string | RegExp) => ({
  status: 400,
  json: {
    errors: [
      {
        property,
        errorMessage:
          typeof errorMessage === "string" ? errorMessage : expect.stringMatching(errorMessage),
      },
    ],
  },
});
