// npm run simulate -- amplitude: serves a simulated vendor on loopback, to rehearse `switchyard fetch`.
// It answers as the vendor's documentation says, with the limits of the tests. Ends with Ctrl-C.
import { parseArgs } from "node:util";
import { bundleScripts } from "./bundle-scripts.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    days: { type: "string", default: "7" },
    "events-an-hour": { type: "string", default: "100" },
    faults: { type: "string", default: "0.05" },
    seed: { type: "string", default: "1" },
    port: { type: "string", default: "0" },
  },
});
const [name = ""] = positionals;
await bundleScripts({ simulation: "test/fetch/vendors/simulation.ts" }, "dist/.simulation");
const { serveSimulation, simulatedVendors } = await import("../dist/.simulation/simulation.js");
if (!simulatedVendors.includes(name)) {
  console.error(`Name a vendor: ${simulatedVendors.join(", ")}.`);
  process.exit(2);
}
const { url, keys, options } = await serveSimulation(name, {
  days: Number(values.days),
  eventsAnHour: Number(values["events-an-hour"]),
  faults: Number(values.faults),
  seed: Number(values.seed),
  port: Number(values.port),
});
const from = new Date(Date.now() - Number(values.days) * 86_400_000).toISOString().slice(0, 10);
const [vendor] = name.split("-");
const variables = Object.entries(keys).map(([variable, key]) => `${variable}=${key}`);
console.log(`${name} is simulated at ${url}. In another terminal:

  export ${variables.join(" ")}
  node dist/switchyard.js fetch ${[vendor, ...options].join(" ")} --from ${from} --to raw --host ${url}
`);
