/** Help text that follows the options, in 80 columns: details, examples, exit codes. */

/** Follows the list of commands. */
export const examples = `
Examples:
  $ switchyard fetch amplitude --help         download the export of a vendor
  $ switchyard init export.zip              inspect it, write a configuration
  $ switchyard validate export.zip          what an export would do, as a report
  $ switchyard doctor export.zip --to out   check rights, keys, disk and memory
  $ switchyard export export.zip --to out   one directory per day in out/events
  $ switchyard verify out                   compare it with its manifest
  $ switchyard send export.zip --to <url>   to an event webhook, one by one
  $ switchyard runs                         exports and sends, how to resume
  $ switchyard qualify out --console <url>  qualifying events for exported ones
  $ switchyard migrate                      all steps of pipeline.config.json
  $ switchyard serve                        the console API on this machine
  $ switchyard help export                  all options of a command`;

const rejectExitCodes = `\
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 more rows
rejected than --max-rejects, 4 another run is active here, 130 interrupted.`;

export const fetch = `
Downloads the events of a vendor's export API, window by window, into files that
init, validate and export read. Every file is read to its end and its checksums
are compared before it gets its name. Windows that are there are not asked for
again, so the same command resumes after a kill, and with --until now it fetches
what has come since. The keys come from the environment: AMPLITUDE_API_KEY and
AMPLITUDE_SECRET_KEY, MIXPANEL_USERNAME and MIXPANEL_SECRET of a service
account, or POSTHOG_PERSONAL_API_KEY; or from files that variables with _FILE
name.

Examples:
  $ switchyard fetch amplitude --from 2025-01-01 --to amplitude
  $ switchyard fetch amplitude --from 2025-01-01 --to s3://lake/raw --region eu
  $ switchyard fetch mixpanel --from 2025-01-01 --to raw --project 2195193
  $ switchyard fetch posthog --from 2025-01-01 --to raw --project 12345
  $ switchyard fetch amplitude --from 2025-01-01 --to amplitude --dry-run

Exit codes: 0 done, 1 failed: what was fetched is kept, 2 wrong usage or
configuration, 4 another run is active here, 130 interrupted.`;

export const init = `
Inspects all inputs and reads the first rows of some of them. Detects which tool
wrote them, and how, and writes a configuration that runs, with a comment on
every choice: format and compression, preset, time zone. It lists what is
uncertain. If no preset fits, it proposes a mapping. The values of flags are
used as given and written to the file. An existing file is not changed without
--force.

Examples:
  $ switchyard init export.zip
  $ switchyard init 'downloads/*.json.gz' --to days --config acme.config.json
  $ switchyard init events.txt --preset mixpanel \\
      --csv-dialect delimiter=tab

Exit codes: 0 done, 1 failed, 2 wrong usage, or no configuration fits the
inputs, 130 interrupted.`;

export const validate = `
Reads inputs as \`export\` does, but does not export or send events. Writes
report/report.html for people and report/report.json for programs: rows and
their outcomes, days and hours, events with their properties, ids, times, sizes,
source rows beside their events, and findings, each with the
configuration line that fixes it. --apply writes the safe fixes into the
configuration: those of the last report, without reading again, if inputs and
configuration are the same.

Examples:
  $ switchyard validate export.zip
  $ switchyard validate 's3/**/*.json.gz' --quick --report first-look
  $ switchyard validate export.zip --compare report/report.json
  $ switchyard validate export.zip --apply
  $ switchyard validate export.zip --json | jq .findings

${rejectExitCodes}`;

export const identities = `
Makes the table anonymous id to user id from what the export itself says: events
with both ids, identify, alias and merge calls, files of merged ids and of
persons. Chains are resolved. An anonymous id of several people joins nobody and
is listed with the evidence "shared". Placeholder ids join nobody. --identity of
export fills user ids from the table.

Examples:
  $ switchyard identities export.zip --to identities.parquet
  $ switchyard identities events/ persons/ --preset posthog --to ids.csv
  $ switchyard export export.zip --identity identities.parquet --to out

${rejectExitCodes}`;

export const exportEvents = `
Inputs are files, directories (searched recursively) and globs; hidden names and
names that begin with _ are skipped. JSON, CSV and Parquet, compressed or in a
zip, are detected by their content.

Examples:
  $ switchyard export export.zip --to out
  $ switchyard export 's3/**/*.json.gz' --to out \\
      --exclude-event 'session_*' --threads 4
  $ switchyard export events.csv --to out --format jsonl.gz \\
      --day-zone Europe/Berlin
  $ switchyard export out/rejects --to out2 --config fixed.config.json

Every option can also be in the configuration file or in the environment:
SWITCHYARD_THREADS is --threads. Flags override the environment, which overrides
the file. To resume an interrupted export, run the same command again.

${rejectExitCodes}`;

export const send = `
Takes the same inputs as \`export\`. The server secret comes from
SWITCHYARD_SERVER_SECRET or from the file that --server-secret-file names, never
from a flag.

Examples:
  $ switchyard send export.zip --to https://events.example.com
  $ switchyard send export.zip --to https://events.example.com --rate 500 \\
      --concurrency 8
  $ switchyard send export.zip --to http://127.0.0.1:8080 --batch-size 500

Accepted events are recorded. To resume after an interruption or a failure, run
the same command again. Requests that were in flight are sent again with the
same Idempotency-Key.

With --queue, processes of \`switchyard worker\` send, and --rate limits all of
them together.

${rejectExitCodes}`;

export const doctor = `
Checks in seconds what would end \`export\`, \`send\`, \`qualify\` or \`migrate\` after
hours: options and their origins, the rows of "expect", rights on inputs and
outputs, secrets, clocks, disk, memory. It takes the options of these commands
and checks what is configured. Inputs are listed, and the first and last bytes
of up to 200 of them read.

It writes a small file or object to each output and removes it. It sends an
empty list to a webhook, which has no event to store, and reads from a console.

Examples:
  $ switchyard doctor
  $ switchyard doctor exports --to s3://lake/events
  $ switchyard doctor exports --to https://events.example.com
  $ switchyard doctor --json | jq '.checks[] | select(.state != "ok")'

Exit codes: 0 nothing failed (warnings may be printed), 1 a check failed,
2 wrong usage or configuration, 130 interrupted.`;

export const verify = `
Reads every file again and compares bytes, SHA-256, rows, days, timestamps,
totals and rejects with manifest.json. --json lists every difference.

Examples:
  $ switchyard verify out
  $ switchyard verify out --json | jq .differences

Exit codes: 0 all is as the manifest says, 1 anything differs, or failed,
2 wrong usage or configuration, 130 interrupted.`;

export const compact = `
Joins the files of each day into files of up to the part size, also across runs
(epochs). It copies bytes and does not encode them again. On a disk a day is
missing for a moment while its files are replaced, and no event is ever there
twice; in a bucket, a killed run leaves both files of a day until it is resumed.
To resume, run the same command or the export again.

Examples:
  $ switchyard compact out
  $ switchyard compact out --json | jq .filesAfter

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 4 another run is
active here, 130 interrupted.`;

export const worker = `
Reads splits and merges days for all exports that run with the same --queue, on
this machine or others. Also sends the splits of \`send --queue\`. At SIGTERM or
^C it finishes its current work and ends. It needs the same version, inputs and
output as the export. The salt, the keys of stores and the server secret come
from its own environment.

Examples:
  $ switchyard worker --queue redis://10.0.0.5:6379
  $ switchyard worker --queue redis://10.0.0.5:6379 --threads 8 --json=log

Exit codes: 0 ended by a signal, 1 failed, 2 wrong usage or configuration,
130 interrupted by a second signal.`;

export const preview = `
Maps the first 20 rows (--limit) as \`export\` would, and prints a table: the event,
its time, user, device and properties, and with --target what the platform makes
of it. Rejected rows have their reason. Reads no more of the inputs than that,
and writes nothing.

Examples:
  $ switchyard preview export.zip
  $ switchyard preview 'in/*.json.gz' --preset mixpanel --target statsig --repair
  $ switchyard preview events.csv --limit 5 --json

Exit codes: 0 printed, 1 an input cannot be read, 2 wrong usage, 130 interrupted.`;

export const names = `
Prints each event name, key of metadata and property of users that --repair has
given another name, with the new one and the number of events. The same is in
renames.json beside the manifest.

Examples:
  $ switchyard names out
  $ switchyard names out --csv > names.csv

Exit codes: 0 printed, 1 failed, 2 wrong usage, 130 interrupted.`;

export const loadSql = `
Prints the CREATE TABLE for the columns of the export, and the statements that
load its files, without running them. For BigQuery, Snowflake and Redshift copy
the files to a bucket first and replace the texts in <>.

Examples:
  $ switchyard load-sql duckdb out | duckdb events.db
  $ switchyard load-sql bigquery out > load.sql

Exit codes: 0 printed, 1 failed, 2 wrong usage, or the warehouse does not load
this export, 130 interrupted.`;

export const qualify = `
Takes the event names of an export from its manifest, or reads inputs as
\`export\` does, and prints the changes to make. Sends them only with --yes. A
second run with --yes changes nothing. The console key comes from
SWITCHYARD_CONSOLE_KEY or --console-key-file.

A directory that an export wrote, or its manifest.json, is that export;
everything else is input. Events of inputs are counted and not stored. The
options of \`export\` that select events apply only to them.

Examples:
  $ switchyard qualify out --console https://console.example.com
  $ switchyard qualify out --console https://console.example.com \\
      --table analytics.events --yes
  $ switchyard qualify export.zip --console https://console.example.com \\
      --exclude-event 'debug_*'
  $ switchyard qualify out --console http://127.0.0.1:8080 \\
      --include-event 'purchase*' --dry-run

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 more rows of
inputs rejected than --max-rejects, 130 interrupted.`;

export const runs = `
Lists the exports in the subdirectories of this one, the configured export, and
the runs of \`send\`: state, first start, last end and its duration, events,
rejects, and each epoch with its inputs and days. --json prints all facts.
--watch checks every two seconds and prints changes, with the speed of all
processes and the time left. It ends when the export of [dir], or without [dir]
every listed run, has ended. With --json it prints each change on a line.

Examples:
  $ switchyard runs
  $ switchyard runs /srv/migration/out --json
  $ switchyard runs s3://lake/out --watch

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 130 interrupted.`;

export const migrate = `
The configuration lists the steps in order. The default is "steps": ["export",
"verify"]; the others are "validate", "send" and "qualify". With "service":
"embedded" it starts a service itself and sends to it. The migration stops at
the first step that fails. Run it again to do only the remaining work.

--open shows the migration in a browser: the one of BROWSER, else the default.
The service then runs until Ctrl-C, so that you can look at the result.

Examples:
  $ switchyard migrate
  $ switchyard migrate --open
  $ switchyard migrate --config acme.config.json --threads 4

${rejectExitCodes}`;

export const ready = `
Tells the target which days of an export are complete, so that it loads them: by
a file that lists them, in a directory beside the days (signals/ for Statsig),
or by a call for each day. A day is complete if it was over when the inputs were
read; an export that is not complete is refused. Days that were announced and
are the same are not announced again. Changed ones are, oldest first, and the
target may load, and bill, all their events again: --max-reload limits that.

Examples:
  $ switchyard ready s3://bucket/events --target statsig --dry-run
  $ switchyard ready s3://bucket/events --target statsig --max-reload 1000000
  $ switchyard ready out --target statsig --announce call

Exit codes: 0 announced, 1 failed or refused, 2 wrong usage or configuration,
4 another run has the output, 130 interrupted.`;

export const serve = `
Serves the console API and the event route from one directory, without other
software. The first start on an empty directory creates a console key, a server
secret and a client key, and prints them once. To use your own keys, set
SWITCHYARD_CONSOLE_KEY=console-…, SWITCHYARD_SERVER_SECRET=secret-… and
SWITCHYARD_CLIENT_KEY=client-…, with at least 16 characters after the prefix.

--entities entities gives an empty data directory its first entities, all or
none. If one is refused, the service does not start.

--target statsig rehearses a platform: events that it would drop or change are
stored, answered with warnings, and counted.

/docs shows the API for people, /openapi.json for programs; /healthz, /readyz
and /metrics are for monitoring. SIGINT or SIGTERM finishes accepted requests
and stops; a second one stops at once.

Examples:
  $ switchyard serve
  $ switchyard serve --listen 0 --data /var/lib/switchyard --json
  $ switchyard serve --data :memory:
  $ switchyard serve --target statsig
  $ SWITCHYARD_LISTEN=0.0.0.0:8080 switchyard serve --log-level warn

Exit codes: 0 stopped, 1 failed, 2 wrong usage or configuration, 4 another
service uses the directory, 130 stopped at once by a second signal.`;

export const checkData = `
Reads the databases of a service completely and lists damage: faults that
SQLite's integrity check finds, missing references, and wrong sums. It changes
nothing and can run while a service uses the data.

Examples:
  $ switchyard check-data
  $ switchyard check-data --data backup --json

Exit codes: 0 sound, 1 damaged, not checked or failed, 2 wrong usage or
configuration.`;

const keyExitCodes = "Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.";

export const keys = `
Changes the data directory directly, even while a service uses it: created and
revoked keys take effect at the next request. Console keys open the console
API, server secrets the event route.

Examples:
  $ switchyard keys create --kind console
  $ switchyard keys create --kind console --read-only --data /var/lib/switchyard
  $ switchyard keys list
  $ switchyard keys revoke key_3q2-7wQyKp0

${keyExitCodes}`;

export const keyCreate = `
The key is on standard output, everything else on standard error. A missing data
directory is created.

Examples:
  $ switchyard keys create --name CI --owner ops@example.com \\
      --scope gates:write --expires 90d
  $ switchyard keys create --kind server --data /var/lib/switchyard

${keyExitCodes}`;

export const keyAction = `
${keyExitCodes}`;

export const completion = `
Examples:
  $ source <(switchyard completion bash)
  $ switchyard completion zsh > "\${fpath[1]}/_switchyard"
  $ switchyard completion fish > ~/.config/fish/completions/switchyard.fish
  $ switchyard completion man | man -l -

Exit codes: 0 printed, 2 wrong usage.`;
