import { createHash } from "node:crypto";

/** The style of the page. Both colour schemes keep a contrast of at least 4.5 to 1. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --ground: #fff; --ink: #1c2330; --faint: #5a6474; --line: #dde2ea; --panel: #f5f7fa;
  --link: #0b57c2; --get: #0a6b50; --post: #0b57c2; --put: #8a5200; --patch: #6a3fb5; --delete: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14181f; --ink: #e3e7ee; --faint: #9aa5b5; --line: #2c3440; --panel: #1c222c;
    --link: #82b4ff; --get: #5fd3ac; --post: #82b4ff; --put: #f0b35a; --patch: #c3a4ff; --delete: #ff9a92;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr);
  background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif;
}
a { color: var(--link); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
nav {
  position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem;
  border-right: 1px solid var(--line); background: var(--panel); font-size: .85rem;
}
nav p { margin: .9rem 0 .3rem; font-weight: 600; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .14rem 0; color: var(--ink); }
nav .method { flex: none; width: 3.4rem; font-size: .66rem; }
main { padding: 2rem clamp(1rem, 4vw, 3.5rem) 6rem; max-width: 68rem; }
h1 { margin: 0 0 1rem; font-size: 1.9rem; }
h1 small { color: var(--faint); font-size: 1rem; font-weight: 400; }
h2 { margin: 3rem 0 1rem; padding-bottom: .3rem; border-bottom: 2px solid var(--line); }
h3 { margin: 0 0 .4rem; font-size: 1.12rem; }
h3 a { color: inherit; }
h4 { margin: 1.2rem 0 .4rem; font-size: .9rem; }
h4 small { font-weight: 400; }
p { margin: .5rem 0; }
small { color: var(--faint); font-size: .85em; }
code, pre { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
pre { margin: .4rem 0; padding: .9rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); }
pre code { font-size: .85rem; overflow-wrap: normal; }
.operation { padding: 1.4rem 0; border-bottom: 1px solid var(--line); }
.operation:target { box-shadow: -.6rem 0 0 -.35rem var(--link); }
.endpoint { padding: .45rem .8rem; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); }
.method { font: 700 .78rem ui-monospace, Menlo, Consolas, monospace; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
.patch { color: var(--patch); } .delete { color: var(--delete); }
.extension, .required { padding: 0 .4em; border: 1px solid currentColor; border-radius: 1em; font-size: .7rem; font-weight: 400; white-space: nowrap; }
.extension { color: var(--faint); } .required { color: var(--delete); }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--faint); font-size: .8rem; font-weight: 600; }
td:first-child { width: 30%; } td:nth-child(2) { width: 20%; }
tr:target { background: var(--panel); }
@media (max-width: 60rem) {
  body { display: block; }
  nav { position: static; height: auto; max-height: 45vh; border-right: 0; border-bottom: 1px solid var(--line); }
}
@media (max-width: 40rem) {
  thead { display: none; }
  table, tbody, tr, td { display: block; }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  td { padding: 0; border: 0; }
  td:first-child, td:nth-child(2) { width: auto; }
  td:nth-child(2):not(:last-child) { color: var(--faint); font-size: .8rem; }
}
@media print {
  body { display: block; font-size: 10pt; }
  nav { display: none; }
  main { max-width: none; padding: 0; }
  h2, h3, h4, .endpoint { break-after: avoid; }
  tr, pre { break-inside: avoid; }
  pre { white-space: pre-wrap; }
}
`;

/** The page may use its own style and nothing else, from wherever. */
export const pageSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(pageStyle).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
