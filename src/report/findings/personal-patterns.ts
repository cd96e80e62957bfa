/** What values have to look like, as a whole, to be somebody's. */
export const emailPattern = /^[^\s@"<>]+@[^\s@.]+(?:\.[^\s@.]+)*\.[a-z]{2,}$/i;

const phonePattern = /^(?:\+\d[\d ().-]{7,18}\d|\(\d{3}\) ?\d{3}-\d{4}|\d{3}-\d{3}-\d{4})$/;
const cardPattern = /^(?:\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{1,7}|[3-6]\d{12,18})$/;
const ipv4Pattern = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/;
const ipv6Pattern = /^(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}$/i;

interface PersonalKind {
  /** Several of them, as a sentence names them. */
  readonly words: string;
  matches(value: string): boolean;
}

export const personalKinds: readonly PersonalKind[] = [
  { words: "email addresses", matches: (value) => emailPattern.test(value) },
  { words: "phone numbers", matches: (value) => phonePattern.test(value) && !isDate(value) },
  { words: "card numbers", matches: isCard },
  { words: "IP addresses", matches: isAddress },
];

/** Keys whose values are nobody's business, whatever they look like. */
export const secretKeyPattern =
  /^(?:password|passwd|pwd|ssn|iban|cvv|cvc|credit_?card(?:_?number)?)$/i;

function isDate(value: string): boolean {
  return /^\d{4}-\d\d-\d\d/.test(value);
}

/** Of twenty numbers by chance, two have the right check digit: a single one proves little. */
function isCard(value: string): boolean {
  if (!cardPattern.test(value)) return false;
  const digits = [...value.replaceAll(/[ -]/g, "")].reverse().map(Number);
  const sum = digits.reduce((total, digit, place) => {
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** Addresses of the machine itself are nobody's. */
function isAddress(value: string): boolean {
  if (ipv4Pattern.test(value)) return !/^(?:0|127)\./.test(value);
  return ipv6Pattern.test(value) && value.length > 6;
}
