import { expect, it } from "vitest";
import { withoutSecrets } from "../../src/base/without-secrets.js";

it.each([
  ["as it is", "key SEK/RET+9? is wrong", "key (the secret) is wrong"],
  ["in base64", "Basic dXNlcjpTRUsvUkVUKzk/", "Basic (the secret)"],
  ["in base64 for URLs", "?auth=dXNlcjpTRUsvUkVUKzk_&x", "?auth=(the secret)&x"],
  ["in a URL", "?key=SEK%2FRET%2B9%3F", "?key=(the secret)"],
  ["in a URL with small letters", "?key=SEK%2fRET%2b9%3f", "?key=(the secret)"],
  ["with its user", "'user:SEK/RET+9?'", "'(the secret)'"],
  ["not at all", "user SEK is wrong", "user SEK is wrong"],
])("a secret is masked: %s", (_, text, masked) => {
  expect(withoutSecrets(["", "SEK/RET+9?", "user:SEK/RET+9?"])(text)).toBe(masked);
});

it("a secret with quotes is masked in JSON", () => {
  const secret = 'a"b\\c';
  const text = JSON.stringify({ error: `not ${secret}` });
  expect(withoutSecrets([secret])(text)).toBe('{"error":"not (the secret)"}');
});
