import type { ComponentChildren, RefObject } from "preact";
import { useState } from "preact/hooks";

interface DetailsProps {
  readonly summary: string;
  /** Not printed: numbers of a chart, or a long list. Its content is made when it is first opened. */
  readonly isScreenOnly?: boolean;
  readonly children: ComponentChildren;
}

/** A part that opens on demand. */
export function Details({ summary, isScreenOnly = false, children }: DetailsProps) {
  const [isMade, setMade] = useState(!isScreenOnly);
  return (
    <details class={isScreenOnly ? "screen-only" : ""} onToggle={() => setMade(true)}>
      <summary>{summary}</summary>
      {isMade && children}
    </details>
  );
}

export type Fact = readonly [label: string, value: ComponentChildren, note?: string | undefined];

/** Values with their names in a row. */
export function Facts({ list }: { readonly list: readonly Fact[] }) {
  return (
    <dl class="facts">
      {list.map(([label, value, note]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            {value}
            {note && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface PreformattedProps {
  readonly label: string;
  readonly children: ComponentChildren;
  readonly textRef?: RefObject<HTMLPreElement | null>;
}

/** Text that keeps its lines, in an area that the keyboard can scroll. */
export function Preformatted({ label, children, textRef }: PreformattedProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a section keeps no lines.
    <pre ref={textRef ?? null} tabIndex={0} role="region" aria-label={label}>
      {children}
    </pre>
  );
}

interface CopyButtonProps {
  readonly text: RefObject<HTMLElement | null>;
  /** Names the text: `the line that fixes this`. */
  readonly label: string;
}

/** Copies the text of an element, or selects it if the browser does not allow copying. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [status, setStatus] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text.current?.textContent ?? "");
      setStatus("Copied");
    } catch {
      if (text.current !== null) getSelection()?.selectAllChildren(text.current);
      setStatus("Selected: press Ctrl+C");
    }
  };
  return (
    <span class="copying">
      <button type="button" class="quiet copy" onClick={copy} onBlur={() => setStatus("")}>
        Copy<span class="visually-hidden"> {label}</span>
      </button>
      <span role="status" class="copy-status">
        {status}
      </span>
    </span>
  );
}
