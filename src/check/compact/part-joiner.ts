import { rmSync } from "node:fs";
import { join } from "node:path";
import { hasContent, notReadBack } from "../../base/durable-file.js";
import { SwitchyardError } from "../../base/errors.js";
import { sum } from "../../base/sum.js";
import { Kernel } from "../../batch/kernel.js";
import { columnsIn } from "../../formats/open-part.js";
import { type OutputFormat, outputFormat, type PartOptions } from "../../formats/output-formats.js";
import type { Manifest, ManifestFile } from "../../ledger/manifest.js";
import { EncodedPart, PartBuffer } from "../../sinks/encoded-part.js";
import { diskFiles, withOutputErrors } from "../../sinks/part-files.js";
import type { PartFormat } from "../../sinks/part-format.js";
import { PartOutput, WriteBuffer } from "../../sinks/part-output.js";
import type { PartFile } from "../../sinks/sink.js";
import { OpenSpillFiles, SpillDamage } from "../../sinks/spill/spill-files.js";

/** Joins files of an output by copying their encoded bytes. */
export class PartJoiner {
  readonly #files = withOutputErrors(diskFiles);

  private constructor(
    private readonly directory: string,
    private readonly format: PartFormat,
  ) {}

  /** `directory`: that of the output. */
  static async create(directory: string, manifest: Manifest): Promise<PartJoiner> {
    const { createFormat } = outputFormat(manifest.format as OutputFormat);
    const { compression, csvSafe } = manifest.configuration as unknown as PartOptions;
    const options = { ...columnsIn(manifest), compression, csvSafe };
    return new PartJoiner(directory, await createFormat(new Kernel(), options));
  }

  get extension(): string {
    return this.format.extension;
  }

  /**
   * Writes a new file, durably, and reads it back. Throws `compact_refused` if a file differs from the
   * manifest. Buffers belong to one file: an error leaves bytes in them.
   */
  async join(
    files: readonly ManifestFile[],
    path: string,
  ): Promise<Omit<PartFile, "path" | "day" | "event">> {
    rmSync(path, { force: true });
    const output = new PartOutput(this.#files, new WriteBuffer(), path);
    this.#copy(files, output);
    await this.#files.sync(path, "file");
    const content = { bytes: output.size, sha256: output.digest() };
    if (!hasContent(path, content)) throw notReadBack(path);
    return {
      rows: sum(files, ({ rows }) => rows),
      ...content,
      firstTimestamp: Math.min(...files.map((file) => Date.parse(file.firstTimestamp))),
      lastTimestamp: Math.max(...files.map((file) => Date.parse(file.lastTimestamp))),
    };
  }

  #copy(files: readonly ManifestFile[], output: PartOutput): void {
    const open = new OpenSpillFiles();
    const buffer = new PartBuffer();
    try {
      const encoder = this.format.openPart(output);
      for (const { path, bytes, sha256 } of files) {
        const part = new EncodedPart(open, buffer, join(this.directory, path), bytes);
        part.check(sha256);
        encoder.appendPart(part);
      }
      encoder.finish();
      output.rest();
    } catch (error) {
      output.discard();
      throw error instanceof SpillDamage ? damage(error) : error;
    } finally {
      open.close();
    }
  }
}

function damage({ message }: SpillDamage): SwitchyardError {
  const [fact] = message.split(":");
  return new SwitchyardError(
    "compact_refused",
    `${fact}; its day was not changed. Remove the file and run its export again, which writes it again, then compact`,
  );
}
