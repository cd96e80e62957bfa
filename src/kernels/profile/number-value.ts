// The value of a JSON number as a double, to within a few units in the last place: for ranges, not
// for values in the output.

const POWERS: usize = memory.data<f64>([
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  1e18, 1e19, 1e20, 1e21, 1e22,
]);

@inline
function digitAt(p: usize): u32 {
  return <u32>load<u8>(p) - 0x30;
}

function scaled(mantissa: f64, power: i32): f64 {
  const size = <usize>(power < 0 ? -power : power);
  if (size <= 22) {
    const factor = load<f64>(POWERS + (size << 3));
    return power < 0 ? mantissa / factor : mantissa * factor;
  }
  // In two steps, because the power alone may be too small or too large for a double.
  return mantissa * Math.pow(10, <f64>(power / 2)) * Math.pow(10, <f64>(power - power / 2));
}

/** Returns the checked number in [start, end); too large ones become the largest double. */
export function numberValue(start: usize, end: usize): f64 {
  let p = start;
  const negative = load<u8>(p) == 0x2d;
  if (negative) p++;
  let mantissa: u64 = 0;
  let power: i32 = 0;
  let digits = 0;
  for (; p < end; p++) {
    const digit = digitAt(p);
    if (digit > 9) break;
    if (digits < 18) mantissa = mantissa * 10 + digit;
    else power++;
    if (mantissa != 0) digits++;
  }
  if (p < end && load<u8>(p) == 0x2e) {
    for (p++; p < end; p++) {
      const digit = digitAt(p);
      if (digit > 9) break;
      if (digits >= 18) continue;
      mantissa = mantissa * 10 + digit;
      power--;
      if (mantissa != 0) digits++;
    }
  }
  if (p < end) {
    p++;
    const isSmall = load<u8>(p) == 0x2d;
    if (isSmall || load<u8>(p) == 0x2b) p++;
    let exponent: i32 = 0;
    for (; p < end; p++) exponent = min<i32>(exponent * 10 + <i32>digitAt(p), 100000);
    power += isSmall ? -exponent : exponent;
  }
  const size = mantissa == 0 ? 0 : min<f64>(scaled(<f64>mantissa, max<i32>(min<i32>(power, 400), -400)), f64.MAX_VALUE);
  return negative ? -size : size;
}
