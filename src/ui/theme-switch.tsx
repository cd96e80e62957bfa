import { useLayoutEffect, useState } from "preact/hooks";

const themes = ["auto", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const STORAGE_KEY = "switchyard-theme";

/** Switches between the system's colours, light and dark, and remembers the choice if storage is allowed. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(keptTheme);
  useLayoutEffect(() => {
    document.documentElement.dataset["theme"] = theme;
    keep(theme);
  }, [theme]);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
  return (
    <button type="button" class="quiet" onClick={() => setTheme(next)}>
      Theme: {theme}
    </button>
  );
}

/** Some browsers refuse storage to pages from disk. */
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
    // The choice lasts until the page is closed.
  }
}
