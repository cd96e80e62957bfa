// Results of an experiment over many exposures, and what other requests wait meanwhile.
import { during, timeRead } from "./measures.mjs";
import { startService } from "./process.mjs";
import { consoleHeaders, serverHeaders } from "./requests.mjs";

const UNITS = 200_000;
/** The most events of a request of an SDK. */
const BATCH = 2_000;
const READS = 5;
const experiments = "/console/v1/experiments";

/** Milliseconds of each question, and of every request to /healthz in the meantime. */
export function compareGroups(directory, exposures) {
  return during(
    () => startService(directory),
    async ({ url, peakMb }) => {
      const send = async (path, method, headers, body) => {
        const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
        if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
      };
      const groups = ["control", "test"].map((id) => ({ id, name: id, size: 50 }));
      await send(experiments, "POST", consoleHeaders, { name: "Measured", groups });
      await send(`${experiments}/measured/start`, "PUT", consoleHeaders);
      for (let first = 0; first < exposures; first += BATCH) {
        const events = Array.from({ length: BATCH }, (_, index) => event(first + index));
        await send("/v1/log_event", "POST", serverHeaders, { events });
      }
      const before = peakMb();
      const [times, waits] = [[], []];
      for (let count = 0; count < READS; count++) {
        const question = timeRead(`${url}${experiments}/measured/pulse_results?event=purchase`);
        let isRead = false;
        question.finally(() => {
          isRead = true;
        });
        do waits.push(await timeRead(`${url}/healthz`));
        while (!isRead);
        times.push(await question);
      }
      return { times, waits, addedMb: peakMb() - before };
    },
  );
}

/** An exposure of one of the units; every tenth event is a purchase instead. */
function event(index) {
  const unit = (index * 7_919) % UNITS;
  const user = { userID: `user-${unit}`, customIDs: { stableID: `device-${unit}` } };
  if (index % 10 === 9) return { eventName: "purchase", user, value: 9.5 };
  return {
    eventName: "statsig::config_exposure",
    user,
    metadata: {
      config: "measured",
      ruleID: unit % 2 === 0 ? "control" : "test",
      rulePassed: "true",
      reason: "Network:Recognized",
    },
  };
}
