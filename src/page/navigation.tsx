import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ThemeSwitch } from "../ui/theme-switch.js";
import { mayLeave } from "./entities/leave-guard.js";
import { session, signOut } from "./session.js";

const groups = [
  [
    "Migration",
    [
      ["/", "Overview"],
      ["/migrations", "Migrations"],
      ["/events", "Events"],
    ],
  ],
  [
    "Features",
    [
      ["/gates", "Gates"],
      ["/configs", "Dynamic configs"],
      ["/experiments", "Experiments"],
      ["/segments", "Segments"],
      ["/prompts", "Prompts"],
      ["/qualifying-events", "Qualifying events"],
    ],
  ],
  [
    "Service",
    [
      ["/keys", "Keys"],
      ["/audit", "Audit log"],
      ["/docs", "API"],
    ],
  ],
] as const;

/** The parts of the console, and who is signed in. */
export function Navigation() {
  const { path } = useLocation();
  const [isOpen, setIsOpen] = useState(false);
  const root = `/${path.split("/")[1] ?? ""}`;
  return (
    <header class="side">
      <div class="side-head">
        <a class="brand" href="/">
          Switchyard
        </a>
        <button
          type="button"
          class="quiet menu-button"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setIsOpen(!isOpen)}
        >
          Menu
        </button>
      </div>
      <div id="menu" class={isOpen ? "menu menu-open" : "menu"}>
        <nav aria-label="Console">
          {groups.map(([name, links]) => (
            <div class="nav-group" key={name}>
              <h2 class="nav-title">{name}</h2>
              <ul>
                {links.map(([href, label]) => (
                  <li key={href}>
                    <a
                      href={href}
                      aria-current={href === root ? "page" : undefined}
                      onClick={() => setIsOpen(false)}
                    >
                      {label}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        <SignedIn />
      </div>
    </header>
  );
}

function SignedIn() {
  const { name = "", owner = null, scopes = [] } = session.value ?? {};
  const mayNothing = scopes.every((scope) => scope === "read" || scope.endsWith(":read"));
  return (
    <div class="signed-in">
      <p>
        {owner ?? name}
        {mayNothing && <span class="soft"> · read only</span>}
      </p>
      <button type="button" class="quiet" onClick={() => mayLeave() && void signOut()}>
        Sign out
      </button>
      <ThemeSwitch />
    </div>
  );
}
