// The measures. Each runs once and returns its figures; the caller takes the median.
import { load } from "./load.mjs";
import { startEmpty, startService } from "./process.mjs";
import {
  consoleHeaders,
  eventBody,
  eventPath,
  gateBody,
  gatePatch,
  gatesPath,
  serverHeaders,
} from "./requests.mjs";

const WARM_UP_SECONDS = 2;
const READS = 200;

/** Runs a function with a service from its start to its stop. */
export async function during(start, work) {
  const service = await start();
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

async function warmLoad(options, seconds) {
  await load({ ...options, duration: WARM_UP_SECONDS });
  return load({ ...options, duration: seconds });
}

const posts = (url, count, connections) => ({
  url: url + eventPath,
  method: "POST",
  headers: serverHeaders,
  body: eventBody(count),
  connections,
});

export function postSingle(directory, { seconds, connections }) {
  return during(
    () => startService(directory),
    ({ url }) => warmLoad(posts(url, 1, connections), seconds),
  );
}

export function postNothing({ seconds, connections }) {
  return during(startEmpty, ({ url }) => warmLoad(posts(url, 1, connections), seconds));
}

/** Counts events, not requests. */
export async function postArrays(directory, count, { seconds }) {
  const result = await during(
    () => startService(directory),
    ({ url }) => warmLoad(posts(url, count, count >= 1_000 ? 8 : 16), seconds),
  );
  return { ...result, perSecond: result.perSecond * count };
}

/** Makes `gates` gates, which the connections patch in turn. */
export function patchGates(directory, gates, { seconds, connections }) {
  return during(
    () => startService(directory),
    async ({ url }) => {
      const paths = [];
      for (let index = 0; index < gates; index++) {
        const { id } = await createGate(url, `Patched ${Date.now()} ${index}`);
        paths.push(`${gatesPath}/${id}`);
      }
      const options = { url, method: "PATCH", headers: consoleHeaders, body: gatePatch };
      return warmLoad({ ...options, connections, paths }, seconds);
    },
  );
}

/** Counts evaluations, not requests. `body` gets the ids of the gates, and `each` is how many it asks. */
export function evaluateGates(directory, gates, { path, each, body }, { seconds, connections }) {
  return during(
    () => startService(directory),
    async ({ url }) => {
      const ids = [];
      for (let index = 0; index < gates; index++) {
        ids.push((await createGate(url, `Evaluated ${Date.now()} ${index}`)).id);
      }
      const options = { url: url + path, method: "POST", headers: serverHeaders, connections };
      const result = await warmLoad({ ...options, body: JSON.stringify(body(ids)) }, seconds);
      return { ...result, perSecond: result.perSecond * each };
    },
  );
}

async function createGate(url, name) {
  const answer = await fetch(url + gatesPath, {
    method: "POST",
    headers: consoleHeaders,
    body: JSON.stringify(gateBody(name)),
  });
  if (answer.status !== 201) throw new Error(`creating a gate: ${await answer.text()}`);
  return (await answer.json()).data;
}

/** Fills a data directory with gates, and returns the id of one that 150 others refer to. */
export async function makeGates(directory, count) {
  const template = await during(
    () => startService(directory),
    ({ url }) => createGate(url, "Template"),
  );
  const { seedGates } = await import("../../dist/.bench/seed.js");
  await seedGates(directory, template, count);
  return template.id;
}

/** Times of single reads, one after the other, in ms. */
export function readGates(directory, pathsByName) {
  return during(
    () => startService(directory),
    async ({ url }) => {
      const times = {};
      for (const [name, path] of Object.entries(pathsByName)) {
        const list = [];
        for (let read = 0; read < READS; read++) list.push(await timeRead(url + path));
        times[name] = list;
      }
      return times;
    },
  );
}

/** Milliseconds of one read. */
export async function timeRead(url) {
  const begin = performance.now();
  const answer = await fetch(url, { headers: consoleHeaders });
  const text = await answer.text();
  const time = performance.now() - begin;
  if (answer.status !== 200) throw new Error(`${url}: ${text}`);
  return time;
}

/** Peak memory after each of the given totals of events, in MB. */
export function memoryOverEvents(directory, totals) {
  return during(
    () => startService(directory),
    async ({ url, peakMb }) => {
      const peaks = [];
      let sent = 0;
      for (const total of totals) {
        const amount = Math.ceil((total - sent) / 1_000);
        await load({ ...posts(url, 1_000, 8), amount });
        sent += amount * 1_000;
        peaks.push(peakMb());
      }
      return peaks;
    },
  );
}

/** Milliseconds from the start of the process until it is ready. */
export function startToReady(directory) {
  return during(
    () => startService(directory),
    async ({ readyMs }) => readyMs,
  );
}
