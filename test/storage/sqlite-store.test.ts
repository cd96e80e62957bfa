import { join } from "node:path";
import { openSqliteStore } from "../../src/storage/sqlite-store.js";
import { scratchDirectory } from "../support/scratch.js";
import { withoutEvents } from "./records.js";
import { storeSuite } from "./store-suite.js";

const scratch = scratchDirectory("sqlite-store");
let places = 0;

storeSuite("SQLite in a directory", {
  newPlace: () => join(scratch, `data${++places}`, "made as needed"),
  open: (place) => openSqliteStore(place, withoutEvents),
  isLasting: true,
});

storeSuite("SQLite in memory", {
  newPlace: () => ":memory:",
  open: (place) => openSqliteStore(place, withoutEvents),
  isLasting: false,
});
