// npm run bench: the speed of exports, and where their time goes.
import { mkdirSync } from "node:fs";
import { benchDirectory, readOptions } from "./command.mjs";
import { contenders, kinds } from "./export/contenders.mjs";
import { compareDedupe, compareIncrement } from "./export/dedupe.mjs";
import { compareSizes } from "./export/flat.mjs";
import { guardSpeed } from "./export/guard.mjs";
import { showLimits } from "./export/limits.mjs";
import { compareMemory } from "./export/memory.mjs";
import { compareMigrationTool } from "./export/migration-tool.mjs";
import { compareThreads } from "./export/scaling.mjs";
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
  only: { type: "name", choices: Object.keys(contenders), help: "leave the others out" },
  guard: {
    type: "path",
    help: "instead: against the build of a commit, a checkout or a dist; fails beyond 5 % more CPU",
  },
  profile: { help: "add the share of each stage of our export, of one more run (Linux)" },
  scaling: { help: "instead: our export with one thread against --threads" },
  flat: { help: "instead: cost of a row over 1, 5, 20 times --rows, and over 1 to 1,000 days" },
  dedupe: {
    help: "instead: our export with --dedupe against itself without, and DuckDB's QUALIFY",
  },
  increment: { help: "instead: our export of one file in a hundred more, and of nothing new" },
  limits: { help: "instead: what this machine does with the same bytes at best" },
  rival: {
    type: "name",
    choices: ["mixpanel-import"],
    help: "instead: the dry run of a migration tool, which npm installs below .bench/",
  },
  size: { type: "size", help: "instead: peak memory over 200MB and over this much, as 2GB" },
});

mkdirSync(benchDirectory, { recursive: true });
if (options.size !== undefined) await compareMemory(options);
else if (options.guard !== undefined) await guardSpeed(options);
else if (options.scaling) await compareThreads(options);
else if (options.flat) await compareSizes(options);
else if (options.dedupe) await compareDedupe(options);
else if (options.increment) await compareIncrement(options);
else if (options.limits) await showLimits(options);
else if (options.rival !== undefined) await compareMigrationTool(options);
else await compareSpeed(options);
