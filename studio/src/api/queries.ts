/** What pages load. The first part of a key is what events make stale. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";

import type { TableName } from "../format/names";
import { daysLater } from "../format/times";
import { answered, api, type Schemas } from "./client";

export type Account = Schemas["Account"];
export type Cluster = Schemas["ClusterView"];
export type CostRow = Schemas["CostRow"];
export type DynamicTable = Schemas["DynamicTableView"];
export type Job = Schemas["JobRow"];
export type JobDetails = Schemas["JobDetails"];
export type LakeGraph = Schemas["LakeGraph"];
export type GraphNode = Schemas["GraphNode"];
export type ObjectDetails = Schemas["ObjectDetails"];
export type Version = Schemas["VersionView"];
export type Refresh = Schemas["RefreshView"];
export type Task = Schemas["TaskDetails"];
export type TaskRun = Schemas["TaskRunRow"];
export type TableState = Schemas["TableState"];
export type RefreshState = Schemas["RefreshState"];
export type JobState = Schemas["JobState"];
export type RunState = Schemas["RunState"];

/** More than any lake has of these; a list that is shown whole. */
const ALL = 10_000;
const PAGE = 50;
const JOBS_PAGE = 100;
const VERSIONS = 1000;
const FOUND = 60;

export const accountQuery = queryOptions({
  queryKey: ["account"],
  queryFn: () => answered(api.GET("/api/v1/account")),
  staleTime: 60_000,
});

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: () => answered(api.GET("/api/v1/health")),
  refetchInterval: 30_000,
});

/** `select` is a selection as in the graph; without it, all. */
export function selectedTablesQuery(select?: string) {
  return queryOptions({
    queryKey: ["dynamic-tables", "list", select ?? null],
    queryFn: async () =>
      (
        await answered(
          api.GET("/api/v1/dynamic-tables", { params: { query: { limit: ALL, select: select ?? null } } }),
        )
      ).items,
    refetchInterval: 15_000,
    placeholderData: keepPreviousData,
  });
}

export const dynamicTablesQuery = selectedTablesQuery();

export function dynamicTableQuery({ workspace, schema, table }: TableName) {
  return queryOptions({
    queryKey: ["dynamic-tables", workspace, schema, table],
    queryFn: () =>
      answered(
        api.GET("/api/v1/dynamic-tables/{workspace}/{schema}/{table}", {
          params: { path: { workspace, schema, table } },
        }),
      ),
    refetchInterval: 15_000,
  });
}

export interface HistoryFilter {
  table?: TableName;
  state?: RefreshState;
  mode?: Schemas["RefreshMode"];
  limit?: number;
}

export function historyQuery({ table, state, mode, limit = PAGE }: HistoryFilter) {
  return infiniteQueryOptions({
    queryKey: ["history", table ?? null, state ?? null, mode ?? null, limit],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      answered(
        api.GET("/api/v1/history", {
          params: {
            query: { ...table, state: state ?? null, mode: mode ?? null, page: pageParam ?? null, limit },
          },
        }),
      ),
    getNextPageParam: (page) => page.next_page ?? undefined,
  });
}

export function jobQuery(job: string) {
  return queryOptions({
    queryKey: ["jobs", "one", job],
    queryFn: () => answered(api.GET("/api/v1/jobs/{job_id}", { params: { path: { job_id: job } } })),
  });
}

export function graphQuery(select?: string) {
  return queryOptions({
    queryKey: ["lineage", "graph", select ?? null],
    queryFn: () => answered(api.GET("/api/v1/graph", { params: { query: { select: select ?? null } } })),
    refetchInterval: 10_000,
    placeholderData: keepPreviousData,
  });
}

export type Direction = "upstream" | "downstream";

export function columnLineageQuery(
  { workspace, schema, table }: TableName,
  column: string,
  direction: Direction,
) {
  return queryOptions({
    queryKey: ["lineage", "column", workspace, schema, table, column, direction],
    queryFn: () =>
      answered(
        api.GET("/api/v1/lineage/columns/{workspace}/{schema}/{table}", {
          params: { path: { workspace, schema, table }, query: { column, direction } },
        }),
      ),
  });
}

export function objectQuery({ workspace, schema, table }: TableName) {
  return queryOptions({
    queryKey: ["object", workspace, schema, table],
    queryFn: () =>
      answered(
        api.GET("/api/v1/objects/{workspace}/{schema}/{name}", {
          params: { path: { workspace, schema, name: table } },
        }),
      ),
  });
}

export function versionsQuery({ workspace, schema, table }: TableName) {
  return queryOptions({
    queryKey: ["object", workspace, schema, table, "versions"],
    queryFn: async () =>
      (
        await answered(
          api.GET("/api/v1/objects/{workspace}/{schema}/{name}/versions", {
            params: { path: { workspace, schema, name: table }, query: { limit: VERSIONS } },
          }),
        )
      ).items,
  });
}

export function searchQuery(text: string) {
  return queryOptions({
    queryKey: ["objects", "search", text],
    queryFn: async () =>
      (await answered(api.GET("/api/v1/search", { params: { query: { text, limit: FOUND } } }))).items,
    enabled: text.trim() !== "",
    placeholderData: keepPreviousData,
  });
}

/** Of the refreshes that started then or later. */
export function costsQuery(since: string) {
  return queryOptions({
    queryKey: ["costs", since],
    queryFn: async () =>
      (await answered(api.GET("/api/v1/costs", { params: { query: { since, limit: ALL } } }))).items,
    placeholderData: keepPreviousData,
  });
}

export const clustersQuery = queryOptions({
  queryKey: ["clusters"],
  queryFn: async () =>
    (await answered(api.GET("/api/v1/clusters", { params: { query: { limit: ALL } } }))).items,
  refetchInterval: 5_000,
});

export const schemasQuery = queryOptions({
  queryKey: ["schemas"],
  queryFn: async () =>
    (await answered(api.GET("/api/v1/schemas", { params: { query: { limit: ALL } } }))).items,
});

export function objectsQuery(workspace: string, schema: string) {
  return queryOptions({
    queryKey: ["objects", workspace, schema],
    queryFn: async () =>
      (
        await answered(
          api.GET("/api/v1/schemas/{workspace}/{schema}/objects", {
            params: { path: { workspace, schema }, query: { limit: ALL } },
          }),
        )
      ).items,
  });
}

export const tasksQuery = queryOptions({
  queryKey: ["tasks"],
  queryFn: async () =>
    (await answered(api.GET("/api/v1/tasks", { params: { query: { limit: ALL } } }))).items,
});

export function taskQuery(name: string) {
  return queryOptions({
    queryKey: ["tasks", name],
    queryFn: () => answered(api.GET("/api/v1/tasks/{name}", { params: { path: { name } } })),
  });
}

export function taskRunsQuery(name: string | null, limit = 100) {
  return queryOptions({
    queryKey: ["task-runs", name, limit],
    queryFn: async () => {
      const query = { limit };
      const found =
        name === null
          ? await answered(api.GET("/api/v1/task-runs", { params: { query } }))
          : await answered(api.GET("/api/v1/tasks/{name}/runs", { params: { path: { name }, query } }));
      return found.items;
    },
  });
}

/** The runs that began on a date in some time zone: a day is at most a day away from that of UTC. */
export function runsOfDayQuery(date: string) {
  const query = {
    since: `${daysLater(date, -1)}T00:00:00Z`,
    until: `${daysLater(date, 2)}T00:00:00Z`,
    limit: ALL,
  };
  return queryOptions({
    queryKey: ["task-runs", "day", date],
    queryFn: async () => (await answered(api.GET("/api/v1/task-runs", { params: { query } }))).items,
    placeholderData: keepPreviousData,
  });
}

export const UNENDED: ReadonlySet<RunState> = new Set(["QUEUED", "WAITING", "RUNNING"]);
const LOG_MILLISECONDS = 1000;

/** A run with its attempts; while it runs, its log is read again and again. */
export function taskRunQuery(run: string) {
  return queryOptions({
    queryKey: ["task-runs", "one", run],
    queryFn: () => answered(api.GET("/api/v1/task-runs/{run_id}", { params: { path: { run_id: run } } })),
    refetchInterval: ({ state }) =>
      state.data !== undefined && UNENDED.has(state.data.state) ? LOG_MILLISECONDS : false,
  });
}

export interface JobFilter {
  id?: string;
  state?: JobState;
  kind?: Schemas["JobKind"];
  cluster?: string;
  creator?: string;
  table?: string;
  query_tag?: string;
  min_seconds?: number;
  since?: string;
}

export function jobsQuery({ id, ...filter }: JobFilter) {
  return infiniteQueryOptions({
    queryKey: ["jobs", "all", id ?? null, filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => {
      const like = id === undefined ? null : `%${id}%`;
      const query = { ...filter, like, page: pageParam ?? null, limit: JOBS_PAGE };
      return answered(api.GET("/api/v1/jobs", { params: { query } }));
    },
    getNextPageParam: (page) => page.next_page ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export const backfillsQuery = queryOptions({
  queryKey: ["backfills"],
  queryFn: async () =>
    (await answered(api.GET("/api/v1/backfills", { params: { query: { limit: JOBS_PAGE } } }))).items,
});

export const streamsQuery = queryOptions({
  queryKey: ["objects", "streams"],
  queryFn: async () =>
    (await answered(api.GET("/api/v1/streams", { params: { query: { limit: ALL } } }))).items,
  refetchInterval: 10_000,
});

export const alertRulesQuery = queryOptions({
  queryKey: ["alerts", "rules"],
  queryFn: () => answered(api.GET("/api/v1/alert-rules")),
});

export const alertsQuery = queryOptions({
  queryKey: ["alerts", "fired"],
  queryFn: async () =>
    (await answered(api.GET("/api/v1/alerts", { params: { query: { limit: JOBS_PAGE } } }))).items,
  refetchInterval: 15_000,
});

export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: async () =>
    (await answered(api.GET("/api/v1/tokens", { params: { query: { limit: ALL } } }))).items,
});

export const completionQuery = queryOptions({
  queryKey: ["objects", "completion"],
  queryFn: () => answered(api.GET("/api/v1/completion")),
  staleTime: 30_000,
});
