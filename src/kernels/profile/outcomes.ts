
/** Returns how many of `rows` u8 outcomes have this value. */
export function countOutcomes(outcomes: usize, rows: i32, outcome: u32): i32 {
  const wanted = i8x16.splat(<i8>outcome);
  const end = outcomes + <usize>rows;
  let place = outcomes;
  let count = 0;
  for (; place + 16 <= end; place += 16) {
    count += i32.popcnt(i8x16.bitmask(i8x16.eq(v128.load(place), wanted)));
  }
  for (; place < end; place++) count += i32(load<u8>(place) == outcome);
  return count;
}
