import { append, button, type Child, element } from "./element.js";

/** Returns a part of the overview with its heading; `id` is its address. */
export function section(id: string, heading: string, ...children: readonly Child[]): HTMLElement {
  return element(
    "section",
    { id, "aria-labelledby": `${id}-heading` },
    element("h2", { id: `${id}-heading` }, heading),
    ...children,
  );
}

/** Returns a part that opens on demand and when the page is printed. */
export function disclosure(summary: string, ...children: readonly Child[]): HTMLDetailsElement {
  return element("details", {}, element("summary", {}, summary), ...children);
}

/**
 * Returns a part for the screen that is not printed: numbers of a chart, or a long list. Its
 * content is made when it is first opened, because most are never opened.
 */
export function lazyDisclosure(summary: string, make: () => Child): HTMLDetailsElement {
  const made = element("details", { class: "screen-only" }, element("summary", {}, summary));
  made.addEventListener("toggle", () => append(made, [make()]), { once: true });
  return made;
}

type Fact = readonly [label: string, value: Child, note?: string | undefined];

/** Shows numbers with their names in a row. */
export function facts(...list: readonly (Fact | false)[]): HTMLElement {
  const shown = list.filter((fact) => fact !== false);
  return element(
    "dl",
    { class: "facts" },
    ...shown.map(([label, value, note]) =>
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

/** Text that keeps its lines, in an area that the keyboard can scroll. */
export function preformatted(label: string, ...children: readonly Child[]): HTMLPreElement {
  return element("pre", { tabindex: 0, role: "region", "aria-label": label }, ...children);
}

/** Copies the text of an element, or selects it if the browser does not allow copying. */
export function copyButton(code: HTMLElement, label: string): HTMLElement {
  const status = element("span", { role: "status", class: "copy-status" });
  const hidden = element("span", { class: "visually-hidden" }, ` ${label}`);
  const made = button(
    { class: "quiet copy" },
    async () => {
      status.textContent = await copied(code);
    },
    "Copy",
    hidden,
  );
  made.addEventListener("blur", () => {
    status.textContent = "";
  });
  return element("span", { class: "copying" }, made, status);
}

async function copied(code: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    return "Copied";
  } catch {
    getSelection()?.selectAllChildren(code);
    return "Selected: press Ctrl+C";
  }
}

const GAP_PX = 12;

/** One small box beside the pointer or the focused element. It repeats text that is elsewhere too. */
export class Tooltip {
  readonly #box = element("div", { class: "tooltip", "aria-hidden": "true", hidden: true });

  constructor(parent: HTMLElement) {
    parent.append(this.#box);
  }

  /** Shows lines of text at a position in the window, in pixels. */
  show(lines: readonly string[], x: number, y: number): void {
    this.#box.replaceChildren(...lines.map((line) => element("div", {}, line)));
    this.#box.hidden = false;
    const { width, height } = this.#box.getBoundingClientRect();
    const left = x + GAP_PX + width > innerWidth ? x - GAP_PX - width : x + GAP_PX;
    const top = y + GAP_PX + height > innerHeight ? y - GAP_PX - height : y + GAP_PX;
    this.#box.style.left = `${Math.max(0, left)}px`;
    this.#box.style.top = `${Math.max(0, top)}px`;
  }

  hide(): void {
    this.#box.hidden = true;
  }
}
