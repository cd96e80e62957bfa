// Filtered lists of many gates, and what other requests wait meanwhile.
import { during, timeRead } from "./measures.mjs";
import { startService } from "./process.mjs";
import { gatesPath } from "./requests.mjs";

const LISTS = 15;

/** Queries by name: one filter, several, frequent and rare values, texts of any length. */
export const lists = {
  "first page": "",
  "one tag": "tags=team-7",
  "two tags": "tags=team-7&tags=area-3",
  "four filters, all frequent": "status=in%20progress&type=temporary&idType=userID&targetAppID=web",
  "four filters, one rare": "tags=team-7&type=permanent&creatorName=Writer%207&targetAppID=web",
  "a filter, last page": "type=temporary&limit=1000&page=66",
  "four filters, last page":
    "status=in%20progress&type=temporary&targetAppID=web&tags=area-1&page=60",
  "search of a rare text": "search=gate_4711",
  "search of a frequent text": "search=banner",
  "search of two characters": "search=ba",
  "search of one character": "search=a&includeArchived=true",
  "search and two filters": "search=cart&type=permanent&tags=area-3",
};

/** Milliseconds of each list, and of every request to /healthz in the meantime. */
export function listGates(directory, queries) {
  return during(
    () => startService(directory),
    async ({ url }) => {
      await timeRead(`${url}${gatesPath}?search=a`);
      const results = [];
      for (const [name, query] of Object.entries(queries)) {
        const [times, waits] = [[], []];
        for (let count = 0; count < LISTS; count++) {
          const list = timeRead(`${url}${gatesPath}?${query}`);
          let isRead = false;
          list.finally(() => {
            isRead = true;
          });
          // Sent after the list, so the first one waits for all that blocks.
          do waits.push(await timeRead(`${url}/healthz`));
          while (!isRead);
          times.push(await list);
        }
        results.push({ name, times, waits });
      }
      return results;
    },
  );
}
