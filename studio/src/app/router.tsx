/** The paths of pages. The server knows their first parts: `PAGES` in `studio_pages.py`. */

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type ErrorComponentProps,
} from "@tanstack/react-router";

import { ErrorNotice } from "../parts/error-notice";
import { EmptyState } from "../parts/empty-state";
import { Shell } from "./shell";

type Search = Record<string, unknown>;

function text(search: Search, name: string): string | undefined {
  const value = search[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** The named parameters of a search, those that are given. */
function texts<Name extends string>(...names: Name[]) {
  return (search: Search): Partial<Record<Name, string>> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = text(search, name);
        return value === undefined || value === "" ? [] : [[name, value]];
      }),
    ) as Partial<Record<Name, string>>;
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Failed });

const overview = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("../pages/overview/overview-page"), "OverviewPage"),
});
const dynamicTables = createRoute({
  getParentRoute: () => root,
  path: "/dynamic-tables",
  validateSearch: texts("select"),
  component: lazyRouteComponent(() => import("../pages/dynamic-tables/list-page"), "DynamicTablesPage"),
});
const dynamicTable = createRoute({
  getParentRoute: () => root,
  path: "/dynamic-tables/$workspace/$schema/$table",
  validateSearch: texts("tab", "state", "mode"),
  component: lazyRouteComponent(() => import("../pages/dynamic-tables/table-page"), "DynamicTablePage"),
});
const lineage = createRoute({
  getParentRoute: () => root,
  path: "/lineage",
  validateSearch: texts("select", "focus", "column"),
  component: lazyRouteComponent(() => import("../pages/lineage/lineage-page"), "LineagePage"),
});
const catalog = createRoute({
  getParentRoute: () => root,
  path: "/catalog",
  component: lazyRouteComponent(() => import("../pages/catalog/catalog-page"), "CatalogPage"),
});
const catalogObject = createRoute({
  getParentRoute: () => root,
  path: "/catalog/$workspace/$schema/$object",
  validateSearch: texts("tab", "version"),
  component: lazyRouteComponent(() => import("../pages/catalog/catalog-page"), "CatalogObjectPage"),
});
const compute = createRoute({
  getParentRoute: () => root,
  path: "/compute",
  component: lazyRouteComponent(() => import("../pages/compute/clusters-page"), "ClustersPage"),
});
const jobs = createRoute({
  getParentRoute: () => root,
  path: "/compute/jobs",
  validateSearch: texts("id", "state", "kind", "cluster", "user", "table", "tag", "longer", "since"),
  component: lazyRouteComponent(() => import("../pages/compute/jobs-page"), "JobsPage"),
});
const job = createRoute({
  getParentRoute: () => root,
  path: "/compute/jobs/$job",
  validateSearch: texts("compare"),
  component: lazyRouteComponent(() => import("../pages/compute/job-page"), "JobPage"),
});
const tasks = createRoute({
  getParentRoute: () => root,
  path: "/tasks",
  validateSearch: texts("tab", "day"),
  component: lazyRouteComponent(() => import("../pages/tasks/tasks-page"), "TasksPage"),
});
const task = createRoute({
  getParentRoute: () => root,
  path: "/tasks/$task",
  component: lazyRouteComponent(() => import("../pages/tasks/task-page"), "TaskPage"),
});
const streams = createRoute({
  getParentRoute: () => root,
  path: "/streams",
  validateSearch: texts("stream"),
  component: lazyRouteComponent(() => import("../pages/streams/streams-page"), "StreamsPage"),
});
const development = createRoute({
  getParentRoute: () => root,
  path: "/development",
  validateSearch: texts("file"),
  component: lazyRouteComponent(() => import("../pages/development/development-page"), "DevelopmentPage"),
});

const alerts = createRoute({
  getParentRoute: () => root,
  path: "/alerts",
  component: lazyRouteComponent(() => import("../pages/alerts/alerts-page"), "AlertsPage"),
});
const tokens = createRoute({
  getParentRoute: () => root,
  path: "/tokens",
  component: lazyRouteComponent(() => import("../pages/tokens/tokens-page"), "TokensPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    dynamicTables,
    dynamicTable,
    lineage,
    catalog,
    catalogObject,
    compute,
    jobs,
    job,
    tasks,
    task,
    streams,
    development,
    alerts,
    tokens,
  ]),
  defaultPreload: "intent",
  defaultErrorComponent: Failed,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

function Failed({ error, reset }: ErrorComponentProps) {
  return (
    <div className="page">
      <ErrorNotice error={error} retry={reset} />
    </div>
  );
}

function NotFound() {
  return (
    <div className="page">
      <EmptyState title="This page does not exist" text="Press Ctrl-K to go to another page." />
    </div>
  );
}
