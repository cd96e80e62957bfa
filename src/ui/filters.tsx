import type { ComponentChildren } from "preact";

/** Controls that narrow a list. Each acts by itself, so Enter sends nothing. */
export function Filters({ children }: { readonly children: ComponentChildren }) {
  return (
    <search>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        {children}
      </form>
    </search>
  );
}
