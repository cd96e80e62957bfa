import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Stored {
  readonly bytes: Buffer;
  readonly generation: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly updated: string;
}

/** A stand-in for Google Cloud Storage on loopback. */
export interface GcsServer {
  readonly endpoint: string;
  close(): void;
}

/** Test files share a process, in which a bucket is opened once, at the endpoint that is set then. */
const usedBuckets = new Set<string>();

/**
 * Starts a stand-in for the part of the JSON API that the program uses, as its documentation describes it:
 * neither npm nor Debian has an emulator with conditions on generations. It keeps objects in memory.
 * https://cloud.google.com/storage/docs/json_api/v1
 */
export async function startGcsServer(buckets: readonly string[]): Promise<GcsServer> {
  for (const name of buckets) {
    if (usedBuckets.has(name)) throw new Error(`Another test file has a bucket "${name}".`);
    usedBuckets.add(name);
  }
  const stored = new Map(buckets.map((name) => [name, new Map<string, Stored>()]));
  let generations = 1_000;
  const server = createServer(async (request, answer) => {
    const url = new URL(request.url ?? "", "http://localhost");
    const [, isUpload, bucketName = "", key] =
      /^(\/upload)?\/storage\/v1\/b\/([^/]+)\/o(?:\/(.+))?$/.exec(url.pathname) ?? [];
    const bucket = stored.get(decodeURIComponent(bucketName));
    if (bucket === undefined) {
      refuse(answer, 404, "The specified bucket does not exist.");
    } else if (isUpload !== undefined) {
      const { resource, content } = parseUpload(await readBody(request), request.headers);
      const { name, md5Hash, metadata } = resource;
      if (!isMet(url, bucket.get(name))) refuse(answer, 412, "conditionNotMet");
      else if (createHash("md5").update(content).digest("base64") !== md5Hash) {
        refuse(answer, 400, "Provided MD5 hash does not match calculated MD5 hash.");
      } else {
        const updated = new Date().toISOString();
        bucket.set(name, { bytes: content, generation: ++generations, metadata, updated });
        send(answer, { generation: String(generations) });
      }
    } else if (key === undefined) {
      send(answer, listing(bucket, url.searchParams));
    } else {
      serveObject(request, answer, url, { bucket, key: decodeURIComponent(key) });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function serveObject(
  request: IncomingMessage,
  answer: ServerResponse,
  url: URL,
  { bucket, key }: { readonly bucket: Map<string, Stored>; readonly key: string },
): void {
  const found = bucket.get(key);
  if (found === undefined) refuse(answer, 404, "No such object");
  else if (!isMet(url, found)) refuse(answer, 412, "conditionNotMet");
  else if (request.method === "DELETE") {
    bucket.delete(key);
    answer.writeHead(204).end();
  } else if (url.searchParams.get("alt") === "media") {
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    const bytes =
      start === undefined ? found.bytes : found.bytes.subarray(Number(start), Number(end) + 1);
    answer.writeHead(start === undefined ? 200 : 206, {
      "content-length": bytes.length,
      "x-goog-generation": found.generation,
      "x-goog-hash": `crc32c=AAAAAA==,md5=${createHash("md5").update(found.bytes).digest("base64")}`,
      ...(start && { "content-range": `bytes ${start}-${end}/${found.bytes.length}` }),
    });
    answer.end(bytes);
  } else send(answer, resourceOf(key, found));
}

function isMet(url: URL, found: Stored | undefined): boolean {
  const wanted = url.searchParams.get("ifGenerationMatch");
  return wanted === null || Number(wanted) === (found?.generation ?? 0);
}

function listing(bucket: ReadonlyMap<string, Stored>, query: URLSearchParams): object {
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter");
  const after = query.get("pageToken") ?? "";
  const countMax = Number(query.get("maxResults") ?? 1_000);
  const items: object[] = [];
  const prefixes = new Set<string>();
  let last = "";
  const keys = [...bucket.keys()].filter((key) => key.startsWith(prefix)).sort(byBytes);
  for (const key of keys) {
    const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
    const name = end < 0 ? key : key.slice(0, end + 1);
    if (byBytes(name, after) <= 0) continue;
    if (items.length + prefixes.size === countMax && !prefixes.has(name))
      return { items, prefixes: [...prefixes], nextPageToken: last };
    last = name;
    if (end < 0) items.push(resourceOf(key, bucket.get(key)!));
    else prefixes.add(name);
  }
  return { items, prefixes: [...prefixes] };
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function resourceOf(name: string, { bytes, generation, metadata, updated }: Stored): object {
  const size = String(bytes.length);
  return { name, size, generation: String(generation), updated, metadata };
}

interface Upload {
  readonly resource: {
    readonly name: string;
    readonly md5Hash: string;
    readonly metadata: Readonly<Record<string, string>>;
  };
  readonly content: Buffer;
}

function parseUpload(body: Buffer, headers: IncomingMessage["headers"]): Upload {
  const [, boundary = ""] = /boundary=(.+)$/.exec(headers["content-type"] ?? "") ?? [];
  const [jsonStart, contentStart] = [0, 1].map((part) => {
    let at = 0;
    for (let skipped = 0; skipped <= part; skipped++) at = body.indexOf(`--${boundary}`, at) + 1;
    return body.indexOf("\r\n\r\n", at) + 4;
  }) as [number, number];
  const json = body.subarray(jsonStart, body.indexOf("\r\n", jsonStart)).toString();
  const content = body.subarray(contentStart, body.lastIndexOf(`\r\n--${boundary}--`));
  return { resource: JSON.parse(json) as Upload["resource"], content };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const bytes of request) pieces.push(bytes as Buffer);
  return Buffer.concat(pieces);
}

function send(answer: ServerResponse, value: object): void {
  answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function refuse(answer: ServerResponse, status: number, message: string): void {
  answer.writeHead(status, { "content-type": "application/json" });
  answer.end(JSON.stringify({ error: { code: status, message } }));
}
