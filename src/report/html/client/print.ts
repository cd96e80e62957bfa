/** Paper has nothing to click on: everything is open while the page is printed. */
export function openForPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details")].filter(({ open }) => !open);
    for (const details of opened) {
      details.open = true;
      // Browsers tell of it later, and the page must have everything now.
      details.dispatchEvent(new Event("toggle"));
    }
  });
  window.addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
    opened = [];
  });
}
