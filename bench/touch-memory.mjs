// Touches memory and gives it back: node touch-memory.mjs <bytes>
//
// A virtual machine returns pages that were free for seconds to its host. The next process that writes to
// one, in memory or to a file, waits until the host has found another: here 2.5 ms a MB instead of 0.2.
// Chance decides which contender that slows down. Pages that a process has just freed are still there.
const PAGE_BYTES = 4096;
const BLOCK_BYTES = 256 << 20;

const blocks = [];
for (let left = Number(process.argv[2]); left > 0; left -= BLOCK_BYTES) {
  const block = Buffer.allocUnsafeSlow(Math.min(left, BLOCK_BYTES));
  for (let offset = 0; offset < block.length; offset += PAGE_BYTES) block[offset] = 1;
  blocks.push(block);
}
