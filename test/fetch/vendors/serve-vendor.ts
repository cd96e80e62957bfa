import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import type { Send } from "../../../src/fetch/http.js";

/** A simulated vendor on loopback. */
export interface ServedVendor {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves what a simulation answers over HTTP; without a port, on any that is free. */
export async function serveVendor(send: Send, port = 0): Promise<ServedVendor> {
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/" } = request;
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    const stopping = new AbortController();
    response.once("close", () => stopping.abort());
    try {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk as Uint8Array);
      const asked = {
        method: method as "GET",
        url: new URL(url, "http://vendor"),
        headers: Object.fromEntries(headers),
        body: Buffer.concat(chunks).toString("utf8"),
      };
      const answer = await send(asked, stopping.signal);
      response.writeHead(answer.status, answer.headers as Record<string, string>);
      await pipeline(answer.body, response);
    } catch {
      response.destroy();
    }
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
