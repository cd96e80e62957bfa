// npm run bench: how fast the export is, and where its time goes. Prints numbers and judges none.
import { mkdirSync } from "node:fs";
import { benchDirectory, readOptions } from "./command.mjs";
import { contenders, kinds } from "./export/contenders.mjs";
import { compareMemory } from "./export/memory.mjs";
import { compareSpeed } from "./export/speed.mjs";

const options = readOptions("npm run bench", {
  rows: { type: "count", default: "1000000", help: "rows to generate" },
  runs: { type: "count", default: "5", help: "runs of each, of which the median counts" },
  kinds: {
    type: "list",
    choices: Object.keys(kinds),
    default: Object.keys(kinds).join(","),
    help: "what to export",
  },
  threads: { type: "count", default: "2", help: "threads of each" },
  only: { type: "name", choices: Object.keys(contenders), help: "leave the other out" },
  profile: { help: "add the share of each stage of our export, of one more run (Linux)" },
  size: {
    type: "size",
    help: "memory instead of speed: our export of 200MB and of this much, as 2GB",
  },
});

mkdirSync(benchDirectory, { recursive: true });
if (options.size !== undefined) await compareMemory(options);
else await compareSpeed(options);
