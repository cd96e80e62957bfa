import { join } from "node:path";
import { builtFile } from "../../src/base/package-files.js";
import { openEventStore } from "../../src/storage/sqlite-store.js";
import { scratchDirectory } from "../support/scratch.js";
import { eventStoreSuite } from "./event-store-suite.js";

const writerEntry = builtFile("event-writer-thread.js");

const scratch = scratchDirectory("event-store");
let places = 0;
const newPlace = () => join(scratch, `data${++places}`, "made as needed");

eventStoreSuite("events in a directory, written by a thread of their own", {
  newPlace,
  open: (place, onCommit = () => {}) => openEventStore(place, { writerEntry, onCommit }),
  isLasting: true,
});

eventStoreSuite("events in a directory, written by the caller's thread", {
  newPlace,
  open: (place, onCommit = () => {}) => openEventStore(place, { onCommit }),
  isLasting: true,
});

eventStoreSuite("events in memory", {
  newPlace: () => ":memory:",
  open: (place, onCommit = () => {}) => openEventStore(place, { writerEntry, onCommit }),
  isLasting: false,
});
