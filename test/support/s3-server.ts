import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import type { S3Options } from "../../src/store/object-store.js";

const script = fileURLToPath(new URL("ceph-rgw.sh", import.meta.url));
const daemons = ["mon", "osd", "rgw"];

/** A real S3 server on loopback, one for all files of a run. */
export interface S3Server {
  readonly options: S3Options;
  /** Flags of the command for it. */
  readonly flags: readonly string[];
  /** Creates a bucket with objects by key. */
  createBucket(
    name: string,
    objects?: Readonly<Record<string, string | Uint8Array>>,
  ): Promise<void>;
  put(
    bucket: string,
    key: string,
    content: string | Uint8Array,
    metadata?: Readonly<Record<string, string>>,
  ): Promise<void>;
  /** Returns the keys that begin with a prefix, without it. */
  keys(bucket: string, prefix: string): Promise<readonly string[]>;
  /** Writes the objects below a prefix into a directory that is empty then. */
  download(bucket: string, prefix: string, directory: string): Promise<void>;
  remove(bucket: string, key: string): Promise<void>;
}

/** Returns whether a server is installed. It has to be in CI, as nothing would be tested. */
export function hasS3Server(): boolean {
  const path = process.env["PATH"]?.split(delimiter) ?? [];
  if (path.some((directory) => existsSync(join(directory, "radosgw")))) return true;
  if (process.env["CI"] === "true") throw new Error("there is no radosgw: install Ceph's packages");
  console.warn(
    "There is no radosgw, so object stores are not tested: install radosgw, ceph-mon and ceph-osd.",
  );
  return false;
}

/** Returns the server of this run; the first caller starts it. Sets the credentials of this process. */
export async function useS3Server(): Promise<S3Server> {
  const directory = join(process.env["TESTS_DIRECTORY"] ?? "", "ceph");
  const endpoint = await startOnce(directory);
  process.env["AWS_ACCESS_KEY_ID"] = "test";
  process.env["AWS_SECRET_ACCESS_KEY"] = "testsecret";
  const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
  const server: S3Server = {
    options: { endpoint },
    flags: ["--s3-endpoint", endpoint],
    async createBucket(name, objects = {}) {
      await client.send(new CreateBucketCommand({ Bucket: name }));
      for (const [key, content] of Object.entries(objects)) await server.put(name, key, content);
    },
    async put(bucket, key, content, metadata = {}) {
      const body = Buffer.from(content as Uint8Array);
      await client.send(
        new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, Metadata: metadata }),
      );
    },
    async keys(bucket, prefix) {
      const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix });
      const keys: string[] = [];
      for await (const { Contents = [] } of pages)
        keys.push(...Contents.map(({ Key = "" }) => Key.slice(prefix.length)));
      return keys;
    },
    async download(bucket, prefix, directory) {
      rmSync(directory, { recursive: true, force: true });
      for (const key of await server.keys(bucket, prefix)) {
        const command = new GetObjectCommand({ Bucket: bucket, Key: `${prefix}${key}` });
        const { Body } = await client.send(command);
        mkdirSync(dirname(join(directory, key)), { recursive: true });
        writeFileSync(join(directory, key), (await Body?.transformToByteArray()) ?? "");
      }
    },
    async remove(bucket, key) {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
  return server;
}

async function startOnce(directory: string): Promise<string> {
  const ready = join(directory, "endpoint");
  if (isFirst(directory)) {
    try {
      const [port, monitor] = await freePorts();
      await promisify(execFile)(script, [directory, String(port), String(monitor)]);
      writeFileSync(ready, `http://127.0.0.1:${port}`);
    } catch (error) {
      writeFileSync(ready, "");
      throw error;
    }
  }
  while (!existsSync(ready)) await sleep(50);
  const endpoint = readFileSync(ready, "utf8");
  if (endpoint === "") throw new Error(`the S3 server did not start: see ${directory}/log`);
  return endpoint;
}

function isFirst(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch {
    return false;
  }
}

async function freePorts(): Promise<readonly [number, number]> {
  const servers = [createServer(), createServer()];
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (typeof address === "object" && address !== null) ports.push(address.port);
  }
  for (const server of servers) server.close();
  return [ports[0] ?? 0, ports[1] ?? 0];
}

/** Ends the server of a run, if there is one. */
export function endS3Server(runDirectory: string): void {
  for (const name of daemons) {
    const file = join(runDirectory, "ceph", `${name}.pid`);
    if (!existsSync(file)) continue;
    try {
      process.kill(Number(readFileSync(file, "utf8")), "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}
