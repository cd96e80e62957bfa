const MASK = "(the secret)";

/**
 * Returns a function that masks secrets in texts of others, such as an answer that repeats the request: as
 * they are, in base64, in URLs and in JSON. Longer forms go first, which may have others in them.
 */
export function withoutSecrets(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.flatMap(formsOf))].filter((form) => form !== "");
  forms.sort((one, other) => other.length - one.length);
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const inUrl = encodeURIComponent(secret);
  return [
    secret,
    bytes.toString("base64"),
    // Without padding.
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    inUrl,
    inUrl.replaceAll(/%../g, (code) => code.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
  ];
}
