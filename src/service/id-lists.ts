import type { evaluationRoutes } from "../contract/evaluation.js";
import type { Handlers } from "../http/handler.js";
import { notFound, ServiceError } from "../http/service-error.js";
import type { EntityStore } from "../storage/store.js";
import type { LiveCatalogue } from "./live-catalogue.js";

type IDListRoutes = Pick<typeof evaluationRoutes, "getIDLists" | "readIDList">;

/** Returns the handlers of the lists of segments: SDKs read what was added to a file since their last poll. */
export function idListHandlers(live: LiveCatalogue, entities: EntityStore): Handlers<IDListRoutes> {
  return {
    async getIDLists({ origin }) {
      const { catalogue } = await live.current();
      const files: Record<string, unknown> = {};
      for (const id of catalogue.lists()) {
        const file = await entities.listFile({ kind: "segment", id });
        if (file === undefined) continue;
        files[id] = {
          name: id,
          size: file.size,
          url: `${origin}/v1/id_lists/${file.id}`,
          creationTime: file.createdTime,
          fileID: file.id,
        };
      }
      return { content: files };
    },

    async readIDList({ params: { file }, range }) {
      const start = startOf(range);
      const text = await entities.readListFile(file, start ?? 0);
      if (text === undefined) throw notFound("Id list");
      const headers = { "content-type": "text/plain; charset=utf-8", "accept-ranges": "bytes" };
      if (start === undefined) return { status: 200, headers, body: text };
      if (text === "")
        throw new ServiceError({ status: 416, message: `The file ends at ${start}` });
      const end = start + text.length;
      const contentRange = `bytes ${start}-${end - 1}/${end}`;
      return { status: 206, headers: { ...headers, "content-range": contentRange }, body: text };
    },
  };
}

/** Returns the first byte of a range to the end, as SDKs send it; undefined for other ranges. */
function startOf(range: string | undefined): number | undefined {
  const [, start] = /^bytes=(\d{1,15})-$/.exec(range ?? "") ?? [];
  return start === undefined ? undefined : Number(start);
}
