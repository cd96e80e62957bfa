// Touches memory and gives it back: node touch-memory.mjs <bytes>
//
// A virtual machine hands pages that have lain free for seconds back to its host, and whoever writes to
// one next, in memory or to a file, waits until the host has found another: here 2.5 ms a MB instead of
// 0.2. Which contender that hits is chance. Pages that a process has just left are there.
const PAGE_BYTES = 4096;
const BLOCK_BYTES = 256 << 20;

const blocks = [];
for (let left = Number(process.argv[2]); left > 0; left -= BLOCK_BYTES) {
  const block = Buffer.allocUnsafeSlow(Math.min(left, BLOCK_BYTES));
  for (let offset = 0; offset < block.length; offset += PAGE_BYTES) block[offset] = 1;
  blocks.push(block);
}
