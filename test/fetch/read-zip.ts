import { promisify } from "node:util";
import * as yauzl from "yauzl";

const fromBuffer = promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer);

/** Returns the entries of a zip, read with yauzl. */
export async function readZip(bytes: Buffer): Promise<readonly Buffer[]> {
  const archive = await fromBuffer(bytes, { lazyEntries: true });
  const openEntry = promisify(archive.openReadStream.bind(archive)) as unknown as (
    entry: yauzl.Entry,
  ) => Promise<NodeJS.ReadableStream>;
  const contents: Buffer[] = [];
  return new Promise((resolve, reject) => {
    archive.on("error", reject);
    archive.on("end", () => resolve(contents));
    archive.on("entry", async (entry: yauzl.Entry) => {
      const chunks: Buffer[] = [];
      for await (const chunk of await openEntry(entry)) chunks.push(chunk as Buffer);
      contents.push(Buffer.concat(chunks));
      archive.readEntry();
    });
    archive.readEntry();
  });
}
