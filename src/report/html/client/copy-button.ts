import { button, element } from "./element.js";

/** Copies the text of an element; where that is not allowed, selects it so that the keyboard can. */
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
