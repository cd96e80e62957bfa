// npm run bench:store: exports from and to an object store against the same from and to the disk, and against
// ClickHouse with the same store if it is installed.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CreateBucketCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { benchDirectory, log, openTable, printMachine, readOptions } from "./command.mjs";
import { kinds } from "./export/contenders.mjs";
import { filesOf, makeInputs } from "./export/inputs.mjs";
import { optionalVersions, takesPart } from "./export/rivals.mjs";
import { figures, median, whole } from "./figures.mjs";
import { runMeasured } from "./measured-process.mjs";

const BUCKET = "bench";
const UPLOADS_MAX = 16;

const script = fileURLToPath(new URL("../test/support/ceph-rgw.sh", import.meta.url));
const rival = fileURLToPath(new URL("export/clickhouse-export.mjs", import.meta.url));
const main = fileURLToPath(new URL("../dist/switchyard.js", import.meta.url));
const credentials = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "testsecret" };

const options = readOptions("npm run bench:store", {
  rows: { type: "count", default: "1000000", help: "rows to generate" },
  runs: { type: "count", default: "5", help: "runs of each, of which the median counts" },
  kinds: {
    type: "list",
    choices: Object.keys(kinds),
    default: "ndjson,ndjson-gz,parquet,ndjson-hourly-gz",
    help: "what to export",
  },
  threads: { type: "count", default: "2", help: "threads of the program" },
});

const server = await startServer(join(benchDirectory, "ceph"));
try {
  await compareStores(server);
} finally {
  server.end();
}

async function compareStores({ endpoint, put }) {
  const { rows, runs, threads } = options;
  const shapes = options.kinds.map((kind) => kinds[kind].shape);
  const inputs = await makeInputs(benchDirectory, rows, shapes);
  const title = `${whole(rows)} rows, ${threads} threads, medians of ${runs} runs; the store is on the same cores`;
  printMachine(title);
  log(optionalVersions().find((version) => version.startsWith("clickhouse")));
  const printRow = openTable([
    "input",
    "where",
    "s:",
    "CPU s:",
    "peak MB:",
    "s ratio:",
    "CPU ratio:",
  ]);
  for (const kind of options.kinds) {
    const input = inputs[kinds[kind].shape];
    await upload(input, kind, put);
    const output = join(benchDirectory, "out-switchyard");
    const flags = ["--s3-endpoint", endpoint];
    const address = `${endpoint}/${BUCKET}`;
    const commands = {
      disk: ownCommand(kind, input, output),
      store: [
        ...ownCommand(kind, `s3://${BUCKET}/${kind}/`, `s3://${BUCKET}/out-${kind}`),
        ...flags,
      ],
    };
    const { shape, format } = kinds[kind];
    if (takesPart("clickhouse", filesOf(shape).format, format))
      commands["store, clickhouse"] = [
        rival,
        kind,
        `${address}/${kind}`,
        `${address}/clickhouse-${kind}`,
        `${threads}`,
      ];
    const results = Object.fromEntries(Object.keys(commands).map((place) => [place, []]));
    for (let run = 0; run < runs; run++) {
      for (const [place, command] of Object.entries(commands)) {
        const result = await runMeasured(command, { env: credentials });
        results[place].push(result);
        log(
          `${kind} ${place}: ${result.seconds.toFixed(2)} s, CPU ${result.cpuSeconds.toFixed(2)} s`,
        );
      }
    }
    for (const row of rowsOf(kind, results)) printRow(row);
    rmSync(output, { recursive: true, force: true });
  }
}

function ownCommand(kind, input, output) {
  const words = ["export", input, "--to", output, "--fresh", "--format", kinds[kind].format];
  return [main, ...words, "--threads", `${options.threads}`, "--quiet"];
}

function rowsOf(kind, results) {
  const middle = (place, key) => median(figures(results[place], key));
  return Object.keys(results).map((place) => [
    kind,
    place,
    middle(place, "seconds").toFixed(2),
    middle(place, "cpuSeconds").toFixed(2),
    whole(Math.max(...figures(results[place], "peakMb"))),
    ...["seconds", "cpuSeconds"].map((key) =>
      place === "disk" ? "" : (middle(place, key) / middle("disk", key)).toFixed(2),
    ),
  ]);
}

async function upload(input, kind, put) {
  const isFile = statSync(input).isFile();
  const names = isFile ? [""] : readdirSync(input);
  await Promise.all(
    Array.from({ length: UPLOADS_MAX }, async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        const key = isFile ? input.slice(input.lastIndexOf("/") + 1) : name;
        await put(`${kind}/${key}`, readFileSync(join(input, name)));
      }
    }),
  );
}

/** Starts a Ceph gateway as the tests do. */
async function startServer(directory) {
  rmSync(directory, { recursive: true, force: true });
  const [port, monitor] = await Promise.all([freePort(), freePort()]);
  execFileSync(script, [directory, `${port}`, `${monitor}`]);
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "test", secretAccessKey: "testsecret" },
  });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  return {
    endpoint,
    put: (Key, Body) => client.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body })),
    end() {
      for (const name of ["rgw", "osd", "mon"])
        process.kill(Number(readFileSync(join(directory, `${name}.pid`), "utf8")), "SIGKILL");
    },
  };
}

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  probe.close();
  return port;
}
