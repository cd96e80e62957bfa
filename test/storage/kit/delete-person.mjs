// Deletes the events of the user "u", with a line for each slice that is durable.
import { eventSchema } from "../../../src/storage/database-schemas.js";
import { EventKeeping } from "../../../src/storage/event-keeping.js";
import { findPerson, removeEvents } from "../../../src/storage/event-removal.js";
import { openDatabase } from "../../../src/storage/open-database.js";

const database = await openDatabase(process.argv[2], eventSchema);
const keeping = new EventKeeping({
  find: async (person, after, last) => findPerson(database, person, after, last),
  lastSequence: () => Number.MAX_SAFE_INTEGER,
  now: Date.now,
  remover: {
    async remove(step) {
      const slice = removeEvents(database, step);
      console.log(slice.events);
      return slice;
    },
  },
});
await keeping.removePerson({ userID: "u", stableID: undefined }, false);
