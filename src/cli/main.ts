#!/usr/bin/env node
import { createRequire } from "node:module";

const words = process.argv.slice(2);

if (words.length === 1 && (words[0] === "--version" || words[0] === "-V")) {
  // Without the commands, which take longer to load than Node takes to start.
  const { version } = createRequire(import.meta.url)("switchyard/package.json");
  process.stdout.write(`${version}\n`);
} else {
  const { runProgram } = await import("./run-program.js");
  await runProgram(words);
}
