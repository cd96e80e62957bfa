import { button } from "./element.js";

const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const STORAGE_KEY = "switchyard-report-theme";

/** Goes round between the system's colours, light and dark; the choice is kept where that is allowed. */
export function themeSwitch(): HTMLButtonElement {
  let theme = keptTheme();
  const show = () => {
    document.documentElement.dataset["theme"] = theme;
    made.textContent = `Theme: ${theme}`;
  };
  const made = button({ class: "quiet theme" }, () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
    keep(theme);
    show();
  });
  show();
  return made;
}

/** Browsers refuse storage to some pages that come from disk. */
function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(STORAGE_KEY);
    return themes.find((theme) => theme === kept) ?? "auto";
  } catch {
    return "auto";
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // It lasts until the page is closed.
  }
}
