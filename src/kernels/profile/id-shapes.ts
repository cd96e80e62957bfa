// Recognizes ids that tracking libraries generate for devices and browsers.

const DASH: u8 = 0x2d;
const LETTER_R: u8 = 0x52;

/** `$device:`, Mixpanel's prefix, as a little-endian number. */
const DEVICE_PREFIX: u64 = 0x3a65636976656424;
const DEVICE_PREFIX_BYTES: usize = 8;

const UUID_BYTES: usize = 36;
const UUID_DASHES: u64 = (1 << 8) | (1 << 13) | (1 << 18) | (1 << 23);

/** Five groups of hexadecimal digits from clock, random and screen, as in mixpanel-js and posthog-js. */
const GROUPS_BYTES_MIN: usize = 44;
const GROUPS_BYTES_MAX: usize = 70;
const GROUP_BYTES_MIN: usize = 5;
const GROUP_DASHES: i32 = 4;

export function hasDevicePrefix(start: usize, length: usize): bool {
  return length > DEVICE_PREFIX_BYTES && load<u64>(start) == DEVICE_PREFIX;
}

/** Returns true for a UUID, one with an `R` after it (Amplitude), and five groups of digits. */
export function isGenerated(start: usize, length: usize): bool {
  if (length == UUID_BYTES) return isUUID(start);
  if (length == UUID_BYTES + 1) return load<u8>(start, UUID_BYTES) == LETTER_R && isUUID(start);
  return length >= GROUPS_BYTES_MIN && length <= GROUPS_BYTES_MAX && isGroups(start, length);
}

function isHex(byte: u8): bool {
  const letter = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}

function isUUID(start: usize): bool {
  for (let index: usize = 0; index < UUID_BYTES; index++) {
    const byte = load<u8>(start + index);
    const isDash = ((UUID_DASHES >> <u64>index) & 1) != 0;
    if (isDash ? byte != DASH : !isHex(byte)) return false;
  }
  return true;
}

function isGroups(start: usize, length: usize): bool {
  let dashes = 0;
  let group: usize = 0;
  for (let index: usize = 0; index < length; index++) {
    const byte = load<u8>(start + index);
    if (byte != DASH) {
      if (!isHex(byte)) return false;
      group++;
      continue;
    }
    if (group < GROUP_BYTES_MIN) return false;
    group = 0;
    dashes++;
  }
  return dashes == GROUP_DASHES && group >= GROUP_BYTES_MIN;
}
