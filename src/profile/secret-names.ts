import type { Kernel } from "../batch/kernel.js";
import { placeRecord } from "../batch/kernel-record.js";
import { secretNameLayout, secretNamesLayout } from "../batch/layouts.js";

interface SecretName {
  /** In lower case, without what separates words. */
  readonly name: string;
  /** The least bytes of a value: short codes and signatures are common, and no secrets. */
  readonly valueBytesMin: number;
  /** Other words may come before it: `reset_token`. */
  readonly isSuffix: boolean;
  /** Properties with this name are secrets too, not only parameters of URLs. */
  readonly isKey: boolean;
}

const VALUE_BYTES_MIN = 4;
const LONG_VALUE_BYTES_MIN = 12;

const named = (names: string, more: Omit<SecretName, "name">): readonly SecretName[] =>
  names.split(" ").map((name) => ({ name, ...more }));

/** Names of parameters and properties with secret values. */
const secretNames: readonly SecretName[] = [
  ...named("password passwd secret apikey privatekey accesstoken refreshtoken authtoken idtoken", {
    valueBytesMin: VALUE_BYTES_MIN,
    isSuffix: true,
    isKey: true,
  }),
  ...named("pwd ssn iban cvv cvc creditcard creditcardnumber jwt", {
    valueBytesMin: VALUE_BYTES_MIN,
    isSuffix: false,
    isKey: true,
  }),
  // Analytics tools write public tokens and sessions as properties.
  ...named("token accesskey", { valueBytesMin: VALUE_BYTES_MIN, isSuffix: true, isKey: false }),
  ...named("pass otp phone phonenumber", {
    valueBytesMin: VALUE_BYTES_MIN,
    isSuffix: false,
    isKey: false,
  }),
  ...named("auth authorization code session sessionid sid jsessionid phpsessid sig signature", {
    valueBytesMin: LONG_VALUE_BYTES_MIN,
    isSuffix: false,
    isKey: false,
  }),
];

/** Returns true if a property with this key has secret values, whatever they look like. */
export function isSecretKey(key: string): boolean {
  return nameOf(key)?.isKey === true;
}

/** Returns true if a parameter of a URL with this name may be a secret, or an email address. */
export function isSecretParameter(name: string): boolean {
  return nameOf(name) !== undefined || /mail$/i.test(name);
}

function nameOf(text: string): SecretName | undefined {
  const word = text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
  return secretNames.find(({ name, isSuffix }) => (isSuffix ? word.endsWith(name) : word === name));
}

/** Number of a pair of letters with which names end, for the first test of kernels. */
const endingOf = (name: string) =>
  (name.charCodeAt(name.length - 2) * 7 + name.charCodeAt(name.length - 1)) % 64;

/** Bytes of the longest name that is compared, and of the vector that it is read with. */
const SCRATCH_BYTES = 64;

/** Places the names in kernel memory and returns the address of their record. */
export function placeSecretNames(kernel: Kernel): number {
  const { bytes, words } = secretNameLayout;
  const first = kernel.allocate(secretNames.length * bytes);
  for (const [index, { name, valueBytesMin, isSuffix, isKey }] of secretNames.entries()) {
    const start = kernel.allocate(name.length);
    kernel.bytes.set(Buffer.from(name), start);
    const at = (first + index * bytes) / 4;
    kernel.u32[at + words.start] = start;
    kernel.u32[at + words.length] = name.length;
    kernel.u32[at + words.valueBytesMin] = valueBytesMin;
    kernel.u32[at + words.isSuffix] = isSuffix ? 1 : 0;
    kernel.u32[at + words.isKey] = isKey ? 1 : 0;
  }
  const endings = secretNames.reduce((bits, { name }) => bits | (1n << BigInt(endingOf(name))), 0n);
  const address = placeRecord(kernel, secretNamesLayout, {
    first,
    end: first + secretNames.length * bytes,
    scratch: kernel.allocate(SCRATCH_BYTES),
    unused: 0,
  });
  kernel.longs[address / 8 + secretNamesLayout.longs.endings] = endings;
  return address;
}
