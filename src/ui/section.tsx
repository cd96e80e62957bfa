import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Boundary } from "./boundary.js";

interface SectionProps {
  readonly title: ComponentChildren;
  /** Its address, where the page has one. */
  readonly id?: string;
  /** True for a frame around it. */
  readonly isPanel?: boolean;
  readonly lead?: string;
  /** Said instead of lead and content, where there is nothing. */
  readonly none?: string | false;
  readonly children?: ComponentChildren;
}

/** A part of a page, which screen readers list by its title. */
export function Section({
  title,
  id,
  isPanel = false,
  lead,
  none = false,
  children,
}: SectionProps) {
  const titleId = useId();
  return (
    <section id={id} class={isPanel ? "panel" : undefined} aria-labelledby={titleId}>
      <h2 id={titleId}>{title}</h2>
      {none === false && lead !== undefined && <p class="lead">{lead}</p>}
      {none === false ? <Boundary>{children}</Boundary> : <p class="none">{none}</p>}
    </section>
  );
}
