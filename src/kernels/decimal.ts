const digits: usize = memory.data(32);

/** Writes a whole number in decimal digits and returns the address after them; at most 20 bytes. */
export function writeInteger(target: usize, value: i64): usize {
  if (value < 0) {
    store<u8>(target++, 0x2d);
    value = -value;
  }
  let rest = <u64>value;
  let p = digits + 32;
  do {
    const tenth = rest / 10;
    store<u8>(--p, <u8>(0x30 + (rest - tenth * 10)));
    rest = tenth;
  } while (rest != 0);
  const length = digits + 32 - p;
  memory.copy(target, p, length);
  return target + length;
}
