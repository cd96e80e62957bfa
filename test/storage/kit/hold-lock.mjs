// Locks the database that is its argument, says so, and commits when it reads something.
import Connection from "libsql";

const database = new Connection(process.argv[2]);
database.exec("BEGIN IMMEDIATE");
process.stdin.once("data", () => {
  database.exec("COMMIT");
  database.close();
  process.stdin.destroy();
});
console.log("locked");
