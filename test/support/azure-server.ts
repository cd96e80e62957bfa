import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { BlobServiceClient } from "@azure/storage-blob";

const program = fileURLToPath(
  new URL("../../node_modules/azurite/dist/src/blob/main.js", import.meta.url),
);

/** The account that every emulator has. https://learn.microsoft.com/azure/storage/common/storage-use-azurite */
const KEY =
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
const ACCOUNT = "devstoreaccount1";

/** Azure's emulator on loopback. */
export interface AzureServer {
  /** Value of AZURE_STORAGE_CONNECTION_STRING. */
  readonly connection: string;
  readonly endpoint: string;
  createContainer(name: string): Promise<void>;
  close(): void;
}

/** Returns whether Azure's emulator is installed. It has to be in CI, as nothing would be tested. */
export function hasAzureServer(): boolean {
  if (existsSync(program)) return true;
  if (process.env["CI"] === "true") throw new Error("there is no azurite: install it");
  console.warn("There is no azurite, so Azure is not tested: npm install --no-save azurite");
  return false;
}

export async function startAzureServer(): Promise<AzureServer> {
  const port = await freePort();
  const options = ["--inMemoryPersistence", "--silent", "--skipApiVersionCheck"];
  const place = ["--blobHost", "127.0.0.1", "--blobPort", String(port)];
  const child = spawn(process.execPath, [program, ...options, ...place], { stdio: "ignore" });
  const endpoint = `http://127.0.0.1:${port}`;
  while (!(await answers(endpoint))) await sleep(50);
  const connection = `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${KEY};BlobEndpoint=${endpoint}/${ACCOUNT};`;
  return {
    connection,
    endpoint,
    async createContainer(name) {
      await BlobServiceClient.fromConnectionString(connection).createContainer(name);
    },
    close: () => void child.kill(),
  };
}

async function answers(endpoint: string): Promise<boolean> {
  return fetch(endpoint).then(
    () => true,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}
