/** Opens a session, runs a statement, reads its rows, and describes the lake, all by the declared types. */
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { argv: string[]; stdout: { write(text: string): void } };

type Job = components["schemas"]["JobRow"];
type Failure = components["schemas"]["Failure"];

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });

function found<T>(answer: { data?: T | undefined; error?: Failure | undefined }): T {
  if (answer.error !== undefined) {
    const { kind, message, place } = answer.error.error;
    throw new Error(`${kind}: ${message} ${place === null ? "" : place.line}`);
  }
  if (answer.data === undefined) {
    throw new Error("a response without a body");
  }
  return answer.data;
}

async function allJobs(): Promise<Job[]> {
  const jobs: Job[] = [];
  let page: string | null = null;
  do {
    const query: { limit: number; page?: string } = page === null ? { limit: 1 } : { limit: 1, page };
    const part: components["schemas"]["Page_JobRow_"] = found(await client.GET("/api/v1/jobs", { params: { query } }));
    jobs.push(...part.items);
    page = part.next_page;
  } while (page !== null);
  return jobs;
}

async function main(): Promise<void> {
  const { session } = found(await client.POST("/api/v1/sessions"));
  const states: components["schemas"]["JobState"][] = [];
  for (const statement of ["SELECT 1", "SELECT 2"]) {
    const body = { session, statement, wait_seconds: 60 };
    states.push(found(await client.POST("/api/v1/statements", { body })).state);
  }
  const jobs = await allJobs();
  const newest = jobs[0];
  const rows = newest && found(
    await client.GET("/api/v1/statements/{job_id}/rows", { params: { path: { job_id: newest.job_id } } }),
  );
  const lineage = found(await client.GET("/api/v1/lineage"));
  const nodes = lineage.nodes.map((node) => (node.kind === "table" ? String(node.exists) : node.state));
  const tables = found(await client.GET("/api/v1/dynamic-tables", { params: { query: { state: "suspended" } } }));
  const wrong = await client.GET("/api/v1/jobs/{job_id}", { params: { path: { job_id: "nosuch" } } });
  const report = {
    states,
    jobs: jobs.map((job) => job.statement),
    columns: typeof rows === "object" ? rows.columns.map((column) => column.type) : [],
    nodes,
    suspended: tables.items.map((table) => table.lag_seconds),
    wrong: wrong.error?.error.kind,
  };
  process.stdout.write(JSON.stringify(report));
}

await main();
