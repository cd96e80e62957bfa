import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply } from "fastify";
import { builtFile } from "../base/package-files.js";
import { refuseOtherMethods } from "./route-registration.js";
import { ServiceError } from "./service-error.js";

/** First parts of the paths of the web console. The page itself tells the paths below them apart. */
const pageRoots = [
  "sign-in",
  "migrations",
  "gates",
  "configs",
  "experiments",
  "segments",
  "prompts",
  "qualifying-events",
  "events",
  "keys",
  "audit",
] as const;

/** Nothing is loaded from elsewhere, no text runs as code, and no other page may show this one in a frame. */
const securityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const pageHeaders = {
  "content-security-policy": securityPolicy,
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** Returns true for a URL below the paths of the web console, also one that is not encoded correctly. */
export function isPageURL(url: string): boolean {
  return (pageRoots as readonly string[]).includes(url.split(/[/?]/)[1] ?? "");
}

const directory = builtFile("assets/console/");
let document: string | undefined;

/** Sends the document of the web console. */
export function sendPage(reply: FastifyReply): FastifyReply {
  document ??= readFileSync(new URL("index.html", directory), "utf8");
  reply.headers({ ...pageHeaders, "cache-control": "no-cache" });
  return reply.type("text/html; charset=utf-8").send(document);
}

/** Registers the web console: one document for all of its paths, and the files that it loads. */
export function registerPage(http: FastifyInstance): void {
  const paths = ["/", ...pageRoots.flatMap((root) => [`/${root}`, `/${root}/*`])];
  for (const path of paths) {
    http.get(path, async (_, reply) => sendPage(reply));
    refuseOtherMethods(http, path, ["GET", "HEAD"]);
  }

  const files = new Map<string, Buffer>();
  const readFiles = () => {
    for (const name of readdirSync(directory).filter((name) => name.endsWith(".gz"))) {
      files.set(name.slice(0, -".gz".length), readFileSync(new URL(name, directory)));
    }
  };
  const path = "/assets/:file";
  http.get<{ Params: { file: string } }>(path, async ({ params, headers }, reply) => {
    if (files.size === 0) readFiles();
    const content = files.get(params.file);
    if (content === undefined) {
      throw new ServiceError({ status: 404, message: `There is no asset ${params.file}` });
    }
    // The name changes with the content.
    reply.header("cache-control", "public, max-age=31536000, immutable");
    reply.header("vary", "accept-encoding");
    reply.type(types[params.file.replace(/^.*\./, "")] ?? "application/octet-stream");
    if (!/\bgzip\b/.test(String(headers["accept-encoding"]))) {
      return reply.send(gunzipSync(content));
    }
    return reply.header("content-encoding", "gzip").send(content);
  });
  refuseOtherMethods(http, path, ["GET", "HEAD"]);
}
