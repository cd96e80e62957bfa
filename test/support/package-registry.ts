import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, parse } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../../", import.meta.url));

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

interface Release {
  readonly name: string;
  readonly version: string;
}

/** A package registry on loopback, without which npm would need the network. */
export interface PackageRegistry {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a registry that has the production dependencies as they are installed in the checkout. */
export async function startPackageRegistry(): Promise<PackageRegistry> {
  const directories = productionPackages();
  const releases = directories.map(
    (directory) => JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Release,
  );
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url ?? "").slice(1);
    const index = /^tarball\/(\d+)$/.exec(name)?.[1];
    if (index === undefined) answerReleases(name, releases, url, response);
    else answerTarball(directories[Number(index)] ?? "", response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function answerReleases(
  name: string,
  releases: readonly Release[],
  url: string,
  response: ServerResponse,
): void {
  const versions = releases.flatMap((release, index) =>
    release.name === name
      ? [[release.version, { ...release, dist: { tarball: `${url}tarball/${index}` } }] as const]
      : [],
  );
  const latest = versions.at(-1)?.[0];
  // Binaries for other machines are missing; npm leaves them out as optional.
  response.writeHead(latest === undefined ? 404 : 200, { "content-type": "application/json" });
  const tags = { "dist-tags": { latest } };
  response.end(JSON.stringify({ name, ...tags, versions: Object.fromEntries(versions) }));
}

function answerTarball(directory: string, response: ServerResponse): void {
  // npm drops the first directory of every path, whatever its name is.
  const { dir, base } = parse(directory);
  const words = ["-c", "--exclude", "node_modules", "-C", dir, base];
  execFile("tar", words, { encoding: "buffer", maxBuffer: 2 ** 30 }, (error, bytes) => {
    if (error === null) response.end(bytes);
    else response.writeHead(500).end(String(error));
  });
}

/** Directories of the packages that npm installs with Switchyard, for this machine. */
function productionPackages(): readonly string[] {
  const text = readFileSync(join(repository, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(text) as LockFile;
  return Object.entries(packages)
    .filter(([name, { dev }]) => name !== "" && dev !== true)
    .map(([name]) => join(repository, name))
    .filter((directory) => existsSync(directory));
}
