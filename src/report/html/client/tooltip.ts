import { element } from "./element.js";

const GAP_PX = 12;

/** One small box beside the pointer or the focused element; what it says can be read elsewhere too. */
export class Tooltip {
  readonly #box = element("div", { class: "tooltip", "aria-hidden": "true", hidden: true });

  constructor(parent: HTMLElement) {
    parent.append(this.#box);
  }

  /** Lines of text at a place of the window, in pixels. */
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
