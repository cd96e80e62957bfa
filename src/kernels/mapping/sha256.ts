// SHA-256 (FIPS 180-4), one message at a time: `beginHash`, `addToHash` for each of its pieces,
// `endHash`. Names are those of the standard: eight words of state go through 64 rounds for each
// block of 64 bytes.

const ROUND_CONSTANTS: usize = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);
const INITIAL: usize = memory.data<u32>([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);

const BLOCK_BYTES: usize = 64;
const state: usize = memory.data(32, 4);
const block: usize = memory.data(64, 4);
const schedule: usize = memory.data(256, 4);
/** Bytes of the message so far; those of them that fill no block yet wait in `block`. */
let total: u64 = 0;

export function beginHash(): void {
  memory.copy(state, INITIAL, 32);
  total = 0;
}

export function addToHash(p: usize, length: usize): void {
  let filled = <usize>(total & 63);
  total += <u64>length;
  while (length > 0) {
    const piece = min(length, BLOCK_BYTES - filled);
    memory.copy(block + filled, p, piece);
    p += piece;
    length -= piece;
    filled += piece;
    if (filled == BLOCK_BYTES) {
      compress();
      filled = 0;
    }
  }
}

function compress(): void {
  for (let i: usize = 0; i < 64; i += 4) store<u32>(schedule + i, bswap<u32>(load<u32>(block + i)));
  for (let p = schedule + 64; p < schedule + 256; p += 4) {
    const early = load<u32>(p - 60);
    const late = load<u32>(p - 8);
    const first = rotr<u32>(early, 7) ^ rotr<u32>(early, 18) ^ (early >> 3);
    const second = rotr<u32>(late, 17) ^ rotr<u32>(late, 19) ^ (late >> 10);
    store<u32>(p, load<u32>(p - 64) + first + load<u32>(p - 28) + second);
  }
  let a = load<u32>(state);
  let b = load<u32>(state, 4);
  let c = load<u32>(state, 8);
  let d = load<u32>(state, 12);
  let e = load<u32>(state, 16);
  let f = load<u32>(state, 20);
  let g = load<u32>(state, 24);
  let h = load<u32>(state, 28);
  for (let i: usize = 0; i < 256; i += 4) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const mixedE = rotr<u32>(e, 6) ^ rotr<u32>(e, 11) ^ rotr<u32>(e, 25);
    const mixedA = rotr<u32>(a, 2) ^ rotr<u32>(a, 13) ^ rotr<u32>(a, 22);
    const next = h + mixedE + choice + load<u32>(ROUND_CONSTANTS + i) + load<u32>(schedule + i);
    h = g;
    g = f;
    f = e;
    e = d + next;
    d = c;
    c = b;
    b = a;
    a = next + mixedA + majority;
  }
  store<u32>(state, load<u32>(state) + a);
  store<u32>(state, load<u32>(state, 4) + b, 4);
  store<u32>(state, load<u32>(state, 8) + c, 8);
  store<u32>(state, load<u32>(state, 12) + d, 12);
  store<u32>(state, load<u32>(state, 16) + e, 16);
  store<u32>(state, load<u32>(state, 20) + f, 20);
  store<u32>(state, load<u32>(state, 24) + g, 24);
  store<u32>(state, load<u32>(state, 28) + h, 28);
}

@inline
function hexDigit(value: u32): u8 {
  return <u8>(value < 10 ? 0x30 + value : 0x57 + value);
}

/** Ends the message and writes its hash as 64 lower-case hexadecimal digits. */
export function endHash(target: usize): void {
  const filled = <usize>(total & 63);
  store<u8>(block + filled, 0x80);
  memory.fill(block + filled + 1, 0, BLOCK_BYTES - filled - 1);
  if (filled >= 56) {
    compress();
    memory.fill(block, 0, BLOCK_BYTES);
  }
  store<u64>(block, bswap<u64>(total << 3), 56);
  compress();
  for (let i: usize = 0; i < 32; i++) {
    // The words of the state are big-endian in the hash.
    const byte = <u32>load<u8>(state + (i ^ 3));
    store<u8>(target + 2 * i, hexDigit(byte >> 4));
    store<u8>(target + 2 * i, hexDigit(byte & 15), 1);
  }
}
