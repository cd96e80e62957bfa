import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface SectionProps {
  readonly title: ComponentChildren;
  /** True for a frame around it. */
  readonly isPanel?: boolean;
  readonly children: ComponentChildren;
}

/** A part of a page, which screen readers list by its title. */
export function Section({ title, isPanel = false, children }: SectionProps) {
  const id = useId();
  return (
    <section class={isPanel ? "panel" : undefined} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
