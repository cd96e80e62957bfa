import { expect, it } from "vitest";
import { maskCells, maskCutText, maskText } from "../../src/profile/masked-text.js";
import { eventRow } from "../sinks/event-rows.js";
import { profileInKernel } from "./kit/profile-rows.js";

/** Rows with personal contents of the property `p` with this value: email addresses, secrets, beyond queries. */
function contentsOf(value: unknown): readonly number[] {
  const { names } = profileInKernel([[eventRow({ metadata: JSON.stringify({ p: value }) })]]);
  const { personal } = names[0]?.properties?.keys[0] ?? {};
  return [personal?.emails ?? 0, personal?.secrets ?? 0, personal?.beyondQuery ?? 0];
}

const EMAIL = [1, 0, 0];
const EMAIL_BEYOND = [1, 0, 1];
const SECRET = [0, 1, 0];
const SECRET_BEYOND = [0, 1, 1];
const NOTHING = [0, 0, 0];
const token = `eyJ${"hbGciOiJIUzI1NiJ9"}.${"eyJzdWIiOiIxMjM0NTY3ODkwIn0"}.c2lnbmF0dXJl`;

const found: readonly (readonly [value: unknown, contents: readonly number[]])[] = [
  ["mina@tea.example", EMAIL_BEYOND],
  ["write to mina.b+tea@mail.tea.example.", EMAIL_BEYOND],
  ["https://tea.example/reset?mail=mina%40tea.example&x=1", EMAIL],
  ["https://tea.example/u/mina@tea.example?x=1", EMAIL_BEYOND],
  ["/reset?for=mina@tea.example", EMAIL],
  [{ contact: { address: "mina@tea.example" } }, EMAIL_BEYOND],
  [{ page: { url: "https://tea.example/?mail=mina@tea.example" } }, EMAIL],
  [["a", "https://tea.example/?token=8f14e45f"], SECRET],
  ["https://tea.example/?token=8f14e45f", SECRET],
  ["https://tea.example/?Reset-Token=8f14e45f", SECRET],
  ["https://tea.example/#access_token=8f14e45f&x=1", SECRET],
  ["https://tea.example/#/login?session=8f14e45fceea", SECRET],
  ["https://tea.example/?next=%2Fa%3Ftoken%3D8f14e45f", SECRET],
  ["https://tea.example/?a=1&amp;api_key=8f14e45f", SECRET],
  ["https://tea.example/?code=4/0AX4XfWjQ2p9", SECRET],
  ["https://tea.example/?phone=%2B4915112345678", SECRET],
  ["token=8f14e45f&x=1", SECRET_BEYOND],
  [token, SECRET_BEYOND],
  [`https://tea.example/?t=${token}`, SECRET],
  ["Authorization: Bearer 8f14e45fceea167a", SECRET_BEYOND],
  [{ login: { password: "correct horse" } }, SECRET_BEYOND],
  [{ ssn: 123_456_789 }, SECRET_BEYOND],
  ["https://tea.example/?mail=mina@tea.example&token=8f14e45f", [1, 1, 0]],
];

const absent: readonly unknown[] = [
  "https://tea.example/?page=2&sort=asc",
  "https://tea.example/@mina/posts",
  "https://tea.example/?token=",
  "https://tea.example/?token=[FILTERED]",
  "https://tea.example/?token=***",
  "https://tea.example/?password=redacted",
  "https://tea.example/?code=SUMMER&country_code=DE",
  "https://tea.example/?session=3",
  "https://tea.example/maps/@52.5,13.4,12z",
  "logo@2x.png",
  "react@18.2.0",
  "3 @ 4.50 each",
  "a@b",
  "the token = 5",
  "JavaScript eyJ BJ",
  { token_count: 5, session_id: "8f14e45fceea167a", tokens: ["a"] },
  { password: "", secret: null, passwords: true },
  12_345,
  "%",
  "%4",
  "\\",
  "@",
  "=",
];

it.each(found)("finds what %j contains", (value, contents) => {
  expect(contentsOf(value)).toEqual(contents);
});

it.each(absent)("finds nothing in %j", (value) => {
  expect(contentsOf(value)).toEqual(NOTHING);
});

it("finds them as JSON may write them, at any position of a vector", () => {
  for (let blanks = 0; blanks < 40; blanks++) {
    const texts = [
      `"${" ".repeat(blanks)}mina\\u0040tea.example"`,
      `"${" ".repeat(blanks)}x?a=1\\u0026token\\u003d8f14e45f"`,
    ];
    const rows = texts.map((text) => eventRow({ metadata: `{"p":${text}}` }));
    const { names } = profileInKernel([rows]);
    expect(names[0]?.properties?.keys[0]?.personal).toEqual({
      rows: 2,
      emails: 1,
      secrets: 1,
      beyondQuery: 2,
    });
  }
});

it("counts every row of a value, however many values there are", () => {
  const rows = Array.from({ length: 2_000 }, (_, index) =>
    eventRow({
      metadata: JSON.stringify({ p: index % 3 === 0 ? `u${index}@tea.example` : index }),
    }),
  );
  const { names } = profileInKernel([rows, rows]);
  expect(names[0]?.properties?.keys[0]?.personal?.emails).toBe(2 * 667);
});

it.each(found)("masks what %j contains", (value) => {
  const masked = maskText(JSON.stringify(value));
  for (const secret of [
    "mina@",
    "mina%40",
    "mina.b",
    "8f14e45f",
    "4/0AX4",
    "NTY3",
    "hbGci",
    "correct",
    "123",
    "4915",
  ]) {
    expect(masked).not.toContain(secret);
  }
  expect(masked).toContain("…");
  expect(maskText(masked)).toBe(masked);
});

it.each([
  ["https://tea.example/?mail=mina.b@tea.example&x=1", "https://tea.example/?mail=…&x=1"],
  [
    "https://tea.example/?to=mina@tea.example&token=8f14e45f#a",
    "https://tea.example/?to=m…@…&token=…#a",
  ],
  ["write to mina@tea.example, please", "write to m…@…, please"],
  ['{"a":"mina@tea.example","password":"x y","ssn":123}', '{"a":"m…@…","password":"…","ssn":…}'],
  ['"{\\"password\\":\\"x y\\"}"', '"{\\"password\\":\\"…\\"}"'],
  ["Authorization: Bearer 8f14e45fceea167a", "Authorization: Bearer …"],
])("masks %j as %j", (text, masked) => {
  expect(maskText(text)).toBe(masked);
});

it.each([
  "https://tea.example/@mina/posts",
  "react@18.2.0",
  "3 @ 4.50 each",
  "a=b&c=d",
  "token: 5",
])("leaves %j as it is", (text) => {
  expect(maskText(text)).toBe(text);
});

it("masks the part of an address that a cut has left", () => {
  expect(maskCutText("https://tea.example/?to=mina.ber…")).toBe("https://tea.example/?to=m…");
  expect(maskCutText("write to mina@tea.exa…")).toBe("write to m…@…");
});

it("masks the cells of secret columns", () => {
  const csv = { delimiter: ",", quote: '"', columns: ["a", "Password", "b", "api_key"] };
  expect(maskCells('"x, ""y""",hunter2,,"k,1"', csv)).toBe('"x, ""y""",…,,…');
  expect(maskCells("x,,y,", csv)).toBe("x,,y,");
  expect(maskCells("x,hunter2", { ...csv, columns: ["a", "b"] })).toBe("x,hunter2");
});

it("masks long texts in time that grows with their length", () => {
  const long = "abcdefgh".repeat(250_000);
  expect(maskText(long)).toBe(long);
});
