import { z } from "zod";
import { SwitchyardError } from "../../base/errors.js";
import { version } from "../../base/package-files.js";
import { checkValue, faultLines } from "../../base/schema.js";
import { dataFiles } from "../data-files.js";
import type { DataSnapshot } from "./data-snapshot.js";
import { tableDigests } from "./table-digests.js";
import { damaged } from "./tar.js";

/** The version of the format of backups. */
const FORMAT = 1;

const count = z.number().int().min(0);

const manifest = z.object({
  backupFormat: z.literal(FORMAT),
  /** The Switchyard that made the backup. */
  switchyard: z.string(),
  /** The moment of the content, in UTC. */
  time: z.string(),
  databases: z
    .array(
      z.object({
        file: z.enum(dataFiles.map(({ name }) => name)),
        version: count,
        bytes: count,
        tables: z.array(z.object({ name: z.string(), rows: count, sha256: z.string() })),
      }),
    )
    .length(dataFiles.length),
});

/** The content of a backup: its first file, `manifest.json`. */
export type BackupManifest = Readonly<z.output<typeof manifest>>;

/** Describes a snapshot. Reads it whole. */
export async function manifestOf(
  { time, databases }: DataSnapshot,
  signal: AbortSignal,
): Promise<BackupManifest> {
  const described: BackupManifest["databases"] = [];
  for (const { file, version, database } of databases) {
    const [{ bytes } = { bytes: 0 }] = database.all<{ bytes: number }>(
      "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
    );
    const tables = [...(await tableDigests(database, signal))];
    described.push({ file, version, bytes, tables });
  }
  const moment = new Date(time).toISOString();
  return { backupFormat: FORMAT, switchyard: version, time: moment, databases: described };
}

/** Parses the manifest of a backup. Throws `backup_newer` and `backup_damaged`. */
export function parseManifest(text: string): BackupManifest {
  const content = parsed(text);
  const format = (content as { readonly backupFormat?: unknown } | null)?.backupFormat;
  if (typeof format === "number" && format > FORMAT) {
    throw newer(`it has the format ${format}, and this Switchyard reads ${FORMAT}`, content);
  }
  const { value, faults } = checkValue(manifest, content);
  if (faults !== undefined) {
    throw damaged(`its manifest does not fit: ${faultLines(faults).slice(0, 3).join("; ")}`);
  }
  for (const { file, version } of value.databases) {
    const known = dataFiles.find(({ name }) => name === file)?.schema.migrations.length ?? 0;
    if (version > known) {
      throw newer(
        `its ${file} has database version ${version}, and this Switchyard knows versions up to ${known}`,
        content,
      );
    }
  }
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw damaged("its manifest is not valid JSON", cause);
  }
}

function newer(reason: string, content: unknown): SwitchyardError {
  const { switchyard } = content as { readonly switchyard?: unknown };
  return new SwitchyardError(
    "backup_newer",
    `${reason}; restore it with Switchyard ${String(switchyard)} or a newer one`,
  );
}
