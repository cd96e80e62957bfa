import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Warning } from "../../contract/common.js";
import { ApiError, type Fault } from "../api/client.js";
import { changes } from "../live.js";
import { hasEnded } from "../session.js";
import type { Entity, EntityAnswer, Kind } from "./kinds.js";

/** Fields of an entity that were edited and are not saved. */
type Edits = Readonly<Record<string, unknown>>;

/** An entity while it is edited. */
export interface Draft {
  /** The stored entity with the edits. */
  readonly entity: Entity;
  readonly stored: Entity;
  readonly edits: Edits;
  readonly isEdited: boolean;
  /** The service's faults and warnings about the edits, before they are saved. */
  readonly faults: readonly Fault[];
  readonly warnings: readonly Warning[];
  /** A failure that no field explains. */
  readonly error: Error | undefined;
  readonly isSaving: boolean;
  /** The version that somebody else has saved meanwhile. */
  readonly newer: Entity | undefined;
  /** The newer version, while the user decides about it. */
  readonly conflict: EntityAnswer | undefined;
  edit(fields: Edits): void;
  /** Drops the edits. Returns what brings them back, for the version that they were made for. */
  discard(): () => void;
  save(): Promise<boolean>;
  /** Shows the newer version, for a decision. */
  decide(): void;
  /** Leaves the decision about the newer version for later. */
  postpone(): void;
  /** Goes on with the other version as the base: the edits stay. */
  rebase(): void;
  /** Takes what this user has saved beside the edits as the base, if they were made for that version. */
  follow(version: number, saved: EntityAnswer): void;
}

/** Edits, and the version that they were made for. */
interface Kept {
  readonly base: EntityAnswer;
  readonly edits: Edits;
}

/** Edits until their page is shown again: of an ended session, or taken back after a discard. */
const keptEdits = new Map<string, Kept>();

function keep(kind: Kind, kept: Kept): void {
  const isEdited = Object.keys(kept.edits).length > 0;
  if (hasEnded.value && isEdited) keptEdits.set(keyOf(kind, kept.base.data), kept);
}

function keyOf({ root }: Kind, { id }: Entity): string {
  return `${root} ${id}`;
}

function takeKept(kind: Kind, entity: Entity): Kept | undefined {
  const key = keyOf(kind, entity);
  const kept = keptEdits.get(key);
  keptEdits.delete(key);
  return kept;
}

const CHECK_DELAY_MS = 300;

interface Verdict {
  readonly faults: readonly Fault[];
  readonly warnings: readonly Warning[];
  readonly error?: Error | undefined;
}

const noVerdict: Verdict = { faults: [], warnings: [] };

/**
 * Edits an entity. At first, and a moment after each edit, the service is asked what it thinks (`dryRun`),
 * so warnings of stored rules are shown, too. Edits are
 * saved only on top of the version that they were made for.
 */
export function useDraft(
  kind: Kind,
  answer: EntityAnswer,
  { isWriter, reload }: { readonly isWriter: boolean; readonly reload: () => void },
): Draft {
  const [kept] = useState(() => takeKept(kind, answer.data));
  const [base, setBase] = useState(kept?.base ?? answer);
  const [edits, setEdits] = useState<Edits>(kept?.edits ?? {});
  const isGone = useKeeping(kind, { base, edits });
  const [verdict, setVerdict] = useState<Verdict>(noVerdict);
  const [isSaving, setIsSaving] = useState(false);
  const [conflict, setConflict] = useState<EntityAnswer>();
  const isEdited = Object.keys(edits).length > 0;
  const isNewer = answer.data.version !== base.data.version;
  useEffect(() => {
    if (isNewer && !isEdited) setBase(answer);
  }, [answer, isEdited, isNewer]);
  const { data: stored } = base;
  const { id } = stored;

  useEffect(() => {
    setVerdict(noVerdict);
    if (!isWriter) return;
    const end = new AbortController();
    const timer = setTimeout(async () => {
      const found = await check(kind, id, edits, end.signal);
      if (!end.signal.aborted) setVerdict(found);
    }, CHECK_DELAY_MS);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [kind, id, edits, isWriter, stored.version]);

  const save = async () => {
    setIsSaving(true);
    try {
      const ifMatch = String(stored.version);
      const saved = await kind.operations.patch({ id, body: edits, ifMatch });
      setBase(saved);
      setEdits((now) => editsSince(edits, now));
      changes.value++;
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) {
        setConflict(await kind.operations.read({ id }));
      } else setVerdict(verdictOf(error as Error));
      return false;
    } finally {
      setIsSaving(false);
    }
  };
  return {
    entity: { ...stored, ...edits },
    stored,
    edits,
    isEdited,
    ...verdict,
    error: verdict.error,
    isSaving,
    newer: isNewer && isEdited ? answer.data : undefined,
    conflict,
    decide: () => setConflict(answer),
    edit: useCallback((fields: Edits) => setEdits((before) => ({ ...before, ...fields })), []),
    discard: () => {
      setEdits({});
      setConflict(undefined);
      setBase(conflict ?? answer);
      reload();
      return () => {
        // The page shows them when it is opened again.
        if (isGone.current) keptEdits.set(keyOf(kind, stored), { base, edits });
        setBase(base);
        setEdits(edits);
      };
    },
    save,
    postpone: () => setConflict(undefined),
    follow: (version, saved) =>
      setBase((before) => (before.data.version === version ? saved : before)),
    rebase: () => {
      setBase(conflict ?? answer);
      setConflict(undefined);
      reload();
    },
  };
}

/** Keeps the edits of a session that has ended. The answer is true once the page is gone. */
function useKeeping(kind: Kind, current: Kept): { readonly current: boolean } {
  const latest = useRef(current);
  latest.current = current;
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
      keep(kind, latest.current);
    },
    [kind],
  );
  return isGone;
}

/** Returns the edits that were made while others were being saved. */
function editsSince(saved: Edits, now: Edits): Edits {
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => saved[name] !== value));
}

/** Asks the service what a save would do. */
async function check(
  { operations }: Kind,
  id: string,
  body: Edits,
  signal: AbortSignal,
): Promise<Verdict> {
  try {
    const { warnings = [] } = await operations.patch({ id, body, dryRun: true, signal });
    return { faults: [], warnings };
  } catch (error) {
    return verdictOf(error as Error);
  }
}

function verdictOf(error: Error): Verdict {
  const faults = error instanceof ApiError ? error.errors : [];
  return faults.length > 0 ? { faults, warnings: [] } : { ...noVerdict, error };
}

/** Returns the fault of a property, or of a part of it with `isDeep`. */
export function faultOf(
  faults: readonly Fault[],
  property: string,
  isDeep = false,
): string | undefined {
  const found = faults.find(
    (fault) =>
      fault.property === property ||
      (isDeep &&
        (fault.property.startsWith(`${property}.`) || fault.property.startsWith(`${property}[`))),
  );
  return found?.errorMessage;
}
