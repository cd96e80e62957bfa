import type { ComponentChildren } from "preact";

/** Says what failed and offers to try again. */
export function ErrorNotice({ error, retry }: { error: Error; retry?: () => void }) {
  return (
    <div class="notice notice-error" role="alert">
      <p>{error.message}</p>
      {retry !== undefined && (
        <button type="button" class="quiet" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Refuses a step that edits would not be part of. */
export function UnsavedNotice() {
  return (
    <p class="notice" role="alert">
      You have changes that are not saved, and they would not be part of it. Save or discard them
      first.
    </p>
  );
}

/** A page about something that is not there. */
export function Missing({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <h1>{title}</h1>
      <p class="empty">{children}</p>
    </>
  );
}

/** Says that there is nothing, and what to do. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Keeps the place of something that is being read. `lines` is its height. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  return (
    <div class="skeleton" aria-busy="true">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, index) => (
        <div class="skeleton-line" key={index} />
      ))}
    </div>
  );
}

type Tone = "good" | "off" | "warning" | "error" | "info";

/** A word about a state. */
export function Badge({ tone = "off", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}

interface Told {
  readonly property: string;
  readonly message: string;
}

/** Warnings of the service, with the part that they are about. */
export function Warnings({ warnings }: { warnings: readonly Told[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul class="notice warnings" aria-label="Warnings">
      {warnings.map(({ property, message }) => (
        <li key={`${property} ${message}`}>
          {property !== "" && <code>{property}</code>} {message}
        </li>
      ))}
    </ul>
  );
}
