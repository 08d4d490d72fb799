/** What pages load. The first part of a key is what events make stale. */

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import type { TableName } from "../format/names";
import { answered, api, type Schemas } from "./client";

export type Account = Schemas["Account"];
export type Cluster = Schemas["ClusterView"];
export type CostRow = Schemas["CostRow"];
export type DynamicTable = Schemas["DynamicTableView"];
export type Job = Schemas["JobRow"];
export type JobDetails = Schemas["JobDetails"];
export type Lineage = Schemas["Lineage"];
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
const JOBS_PAGE = 200;

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

export const dynamicTablesQuery = queryOptions({
  queryKey: ["dynamic-tables"],
  queryFn: async () =>
    (await answered(api.GET("/api/v1/dynamic-tables", { params: { query: { limit: ALL } } }))).items,
  refetchInterval: 15_000,
});

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
  limit?: number;
}

export function historyQuery({ table, state, limit = PAGE }: HistoryFilter) {
  return infiniteQueryOptions({
    queryKey: ["history", table ?? null, state ?? null, limit],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      answered(
        api.GET("/api/v1/history", {
          params: { query: { ...table, state: state ?? null, page: pageParam ?? null, limit } },
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

export const lineageQuery = queryOptions({
  queryKey: ["lineage"],
  queryFn: () => answered(api.GET("/api/v1/lineage")),
});

export const costsQuery = queryOptions({
  queryKey: ["costs"],
  queryFn: async () =>
    (await answered(api.GET("/api/v1/costs", { params: { query: { limit: ALL } } }))).items,
});

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

export function jobsQuery(state: JobState | undefined) {
  return infiniteQueryOptions({
    queryKey: ["jobs", "all", state ?? null],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      answered(
        api.GET("/api/v1/jobs", {
          params: { query: { state: state ?? null, page: pageParam ?? null, limit: JOBS_PAGE } },
        }),
      ),
    getNextPageParam: (page) => page.next_page ?? undefined,
  });
}
