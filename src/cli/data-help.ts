/** Texts after the options in the help of the commands for the data of a service. */

export const backup = `
Writes both databases of one moment into a tar file with gzip, also while a
service writes them, which does not wait. Before the file gets its name, it is
restored into a scratch directory beside it and compared: checks of SQLite, rows
and digest of each table. That directory needs the room of the databases.

Examples:
  $ switchyard backup backup.tar.gz
  $ switchyard backup /backups/monday.tar.gz --data /var/lib/switchyard --json

Exit codes: 0 done, 1 failed, 2 wrong usage or the file exists, 130 interrupted.`;

export const restore = `
Checks the whole backup, then gives the databases their names. A service does
not start on the directory before all is there. A backup of an older version is
updated at the next start of \`switchyard serve\`.

Examples:
  $ switchyard restore backup.tar.gz --data restored
  $ switchyard serve --data restored

Exit codes: 0 done, 1 failed, 2 wrong usage or the directory has data,
4 a service uses the directory, 130 interrupted.`;

export const console = `
Reads and writes any console through its API, with a console key in
SWITCHYARD_CONSOLE_KEY or in a file.

Examples:
  $ switchyard console export entities --console http://127.0.0.1:8080
  $ switchyard console import entities --console http://127.0.0.1:8081 --dry-run

Exit codes: 0 done, 1 failed or refused, 2 wrong usage or configuration,
130 interrupted.`;

export const consoleExport = `
Each entity is one JSON file, such as gates/new_checkout.json, with the fields
that clients write. The same entities give the same bytes, so the directory can
be kept in git. Files of entities that are gone are removed.

Examples:
  $ switchyard console export entities --console http://127.0.0.1:8080
  $ git -C entities diff

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 130 interrupted.`;

export const consoleAudit = `
Each accepted change of an entity with its time, key, request and versions.

Examples:
  $ switchyard console audit --console http://127.0.0.1:8080 --from 2026-01-01
  $ switchyard console audit --console http://127.0.0.1:8080 --csv > changes.csv

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 130 interrupted.`;

export const consoleImport = `
Creates and changes entities, those first that others name. What a file leaves
out stays as it is. Each change is made on the version that the plan is for.
A second import changes nothing.

Examples:
  $ switchyard console import entities --console http://127.0.0.1:8080 --dry-run
  $ switchyard console import entities --console http://127.0.0.1:8080
  $ switchyard console import entities --console http://127.0.0.1:8080 --prune

Exit codes: 0 done, 1 failed or refused, 2 wrong usage or configuration,
130 interrupted.`;
