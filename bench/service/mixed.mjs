// Everything that a team's service does at the same time, each kind of request at a fixed rate.
import { load } from "./load.mjs";
import { during, makeGates } from "./measures.mjs";
import { startService } from "./process.mjs";
import {
  consoleHeaders,
  eventBody,
  eventPath,
  gatePatch,
  gatesPath,
  serverHeaders,
} from "./requests.mjs";

const GATES = 10_000;
const WARM_UP_SECONDS = 2;
/** Gates that are patched and asked, in turn. */
const BUSY_GATES = 64;

/** Requests and latencies of each kind of request, by its name. */
export async function loadMixed(directory, { seconds }) {
  await makeGates(directory, GATES);
  return during(
    () => startService(directory),
    async ({ url }) => {
      const answer = await fetch(`${url}${gatesPath}?limit=${BUSY_GATES}`, {
        headers: consoleHeaders,
      });
      const ids = (await answer.json()).data.map(({ id }) => id);
      const loadAll = (duration) =>
        Promise.all(
          kindsOf(ids).map(async ({ name, path, rate, connections, ...options }) => {
            const common = { url: url + path, overallRate: rate, connections, duration };
            const result = await load({ ...common, ...options });
            return { name: `${name}, ${rate} a second`, ...result };
          }),
        );
      // The first evaluation reads all gates.
      await loadAll(WARM_UP_SECONDS);
      return loadAll(seconds);
    },
  );
}

function kindsOf(ids) {
  const user = { userID: "u-1", email: "ann@example.com" };
  return [
    {
      name: "events, 10 in a request",
      path: eventPath,
      method: "POST",
      headers: serverHeaders,
      body: eventBody(10),
      rate: 300,
      connections: 10,
    },
    {
      name: "evaluations of a gate",
      path: "/v1/check_gate",
      method: "POST",
      headers: serverHeaders,
      body: JSON.stringify({ gateName: ids[0], user }),
      rate: 1_000,
      connections: 20,
    },
    {
      name: "patches of 64 gates",
      path: "",
      paths: ids.map((id) => `${gatesPath}/${id}`),
      method: "PATCH",
      headers: consoleHeaders,
      body: gatePatch,
      rate: 100,
      connections: 8,
    },
    {
      name: `lists by tag of ${GATES} gates`,
      path: `${gatesPath}?tags=bench&limit=100`,
      headers: consoleHeaders,
      rate: 20,
      connections: 2,
    },
    {
      name: "entries of the audit log",
      path: "/console/v1/audit_logs?entityType=gate&limit=100",
      headers: consoleHeaders,
      rate: 5,
      connections: 1,
    },
  ];
}
