import { useEffect } from "preact/hooks";
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from "preact-iso";
import { Boundary } from "../ui/boundary.js";
import { ErrorNotice, Skeleton } from "../ui/feedback.js";
import { Toasts } from "../ui/toasts.js";
import { Tooltip } from "../ui/tooltip.js";
import { type Kind, kinds } from "./editing/kinds.js";
import { EntityList } from "./entities/entity-list.js";
import { Navigation } from "./navigation.js";
import { NotFound } from "./pages/not-found.js";
import { Overview } from "./pages/overview.js";
import { SignIn } from "./pages/sign-in.js";
import { readSession, session, sessionError, shownEntity } from "./session.js";

const EntityPage = lazy(() => import("./entities/entity-page.js").then((file) => file.EntityPage));
const Migrations = lazy(() => import("./pages/migrations.js").then((file) => file.Migrations));
const Migration = lazy(() =>
  import("./migrations/migration-page.js").then((file) => file.MigrationPage),
);
const Events = lazy(() => import("./pages/events.js").then((file) => file.Events));
const Keys = lazy(() => import("./pages/keys.js").then((file) => file.Keys));
const Audit = lazy(() => import("./pages/audit.js").then((file) => file.Audit));

/** Paths that the page does not answer: the browser loads them. */
const ownPaths = /^\/(?!docs|console\/|openapi|v1\/|metrics)/;

export function App() {
  return (
    <LocationProvider scope={ownPaths}>
      <Frame />
      <Toasts />
      <Tooltip />
    </LocationProvider>
  );
}

/** The pages, for those who are signed in. */
function Frame() {
  const { path } = useLocation();
  if (session.value === undefined) {
    const { value: error } = sessionError;
    if (error === undefined) return <Skeleton lines={12} />;
    return <ErrorNotice error={error} retry={() => void readSession()} />;
  }
  // A link signs its reader in again, with its own rights.
  if (session.value === null || path === "/sign-in") return <SignIn />;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Navigation />
      <main id="main" tabIndex={-1}>
        <Boundary path={path}>{decoded(path) === undefined ? <NotFound /> : <Pages />}</Boundary>
      </main>
      <Title />
    </>
  );
}

function Pages() {
  return (
    <ErrorBoundary>
      <Router onRouteChange={arrive}>
        <Route path="/" component={Overview} />
        {Object.values(kinds).flatMap((kind) => [
          <Route key={kind.root} path={`/${kind.root}`} component={list(kind)} />,
          <Route
            key={`${kind.root}/:id`}
            path={`/${kind.root}/:id/:tab?`}
            component={page(kind)}
          />,
        ])}
        <Route path="/migrations" component={Migrations} />
        <Route path="/migrations/:id" component={Migration} />
        <Route path="/events" component={Events} />
        <Route path="/keys" component={Keys} />
        <Route path="/audit" component={Audit} />
        <Route default component={NotFound} />
      </Router>
    </ErrorBoundary>
  );
}

/** A path for people; undefined if it is not encoded as addresses are, which the router cannot read. */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** A page begins at its top, and is read from there. */
function arrive(): void {
  window.scrollTo(0, 0);
  document.getElementById("main")?.focus({ preventScroll: true });
}

const lists = new Map<Kind, () => preact.JSX.Element>();
const pages = new Map<Kind, (props: PageProps) => preact.JSX.Element>();

interface PageProps {
  readonly params: Readonly<Record<string, string>>;
}

/** Routes compare components, so each kind has one of each. */
function list(kind: Kind) {
  const found = lists.get(kind) ?? (() => <EntityList kind={kind} />);
  lists.set(kind, found);
  return found;
}

function page(kind: Kind) {
  const found =
    pages.get(kind) ??
    (({ params: { id = "", tab = "" } }: PageProps) => (
      <EntityPage key={`${kind.root} ${id}`} kind={kind} id={id} tab={tab} />
    ));
  pages.set(kind, found);
  return found;
}

/** Names the page in the browser's tab and history. */
function Title() {
  const { path } = useLocation();
  const [root = "", id] = path.slice(1).split("/");
  const isShown = id !== undefined && shownEntity.value?.id === decoded(id);
  const named = isShown ? shownEntity.value?.name : undefined;
  useEffect(() => {
    const part =
      root === "" ? "Overview" : root.charAt(0).toUpperCase() + root.slice(1).replaceAll("-", " ");
    const name = id === undefined ? part : `${named ?? decoded(id) ?? id} · ${part}`;
    document.title = `${name} · Switchyard`;
  }, [path, named]);
  return null;
}
