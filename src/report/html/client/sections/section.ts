import { append, type Child, element } from "../element.js";

/** A part of the overview with its heading; `id` is its address. */
export function section(id: string, heading: string, ...children: readonly Child[]): HTMLElement {
  return element(
    "section",
    { id, "aria-labelledby": `${id}-heading` },
    element("h2", { id: `${id}-heading` }, heading),
    ...children,
  );
}

/** Something that opens on demand, and when the page is printed. */
export function disclosure(summary: string, ...children: readonly Child[]): HTMLDetailsElement {
  return element("details", {}, element("summary", {}, summary), ...children);
}

/** The same, whose inside is made when it is opened first: most tables are never looked at. */
export function lazyDisclosure(summary: string, make: () => Child): HTMLDetailsElement {
  const made = disclosure(summary);
  made.addEventListener("toggle", () => append(made, [make()]), { once: true });
  return made;
}

export interface Fact {
  readonly label: string;
  readonly value: Child;
  readonly note?: string | undefined;
}

/** Numbers with their names, side by side. */
export function facts(...list: readonly (Fact | false | undefined)[]): HTMLElement {
  const shown = list.filter((fact) => fact !== false && fact !== undefined);
  return element(
    "dl",
    { class: "facts" },
    ...shown.map(({ label, value, note }) =>
      element(
        "div",
        {},
        element("dt", {}, label),
        element("dd", {}, value, note ? element("small", {}, note) : null),
      ),
    ),
  );
}

export function lead(...children: readonly Child[]): HTMLElement {
  return element("p", { class: "lead" }, ...children);
}

export function none(text: string): HTMLElement {
  return element("p", { class: "none" }, text);
}
