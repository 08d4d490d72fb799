/** Statements: submitted in a session of this page, awaited, and their rows fetched. */

import { ApiError } from "./api-error";
import { answered, api, type Schemas } from "./client";
import { exactJson } from "./exact-json";

export type StatementView = Schemas["StatementView"];
export type ResultColumn = Schemas["ResultColumn"];
export type Cell = unknown;

export interface StatementResult {
  jobId: string;
  columns: ResultColumn[];
  rows: Cell[][];
  rowCount: number | null;
  notices: string[];
}

export interface Running {
  /** Called with the state whenever the server reports on it. */
  onState?: (view: StatementView) => void;
  signal?: AbortSignal;
  /** Rows to fetch at most. */
  limit?: number;
}

const WAIT_SECONDS = 20;

/** A session is opened when it is first needed, and again if the server has closed it. */
export class StatementSession {
  private id: Promise<string> | null = null;

  /** The statements of `setUp` run first in each session that is opened; `onSetUp` is told their states. */
  constructor(
    private readonly setUp: string[] = [],
    private readonly onSetUp: (view: StatementView) => void = () => undefined,
  ) {}

  async run(statement: string, running: Running = {}): Promise<StatementResult> {
    const view = await this.finish(await this.submit(statement), running);
    return await result(view, running.limit ?? 1000);
  }

  /** Waits for the end without fetching rows. */
  async execute(statement: string, running: Running = {}): Promise<StatementView> {
    return await this.finish(await this.submit(statement), running);
  }

  async submit(statement: string): Promise<StatementView> {
    try {
      return await this.send(statement);
    } catch (error) {
      if (!(error instanceof ApiError) || error.message !== "the session no longer exists") throw error;
      this.id = null;
      return await this.send(statement);
    }
  }

  async finish(view: StatementView, { onState, signal }: Running = {}): Promise<StatementView> {
    let latest = view;
    while (!latest.ended) {
      onState?.(latest);
      if (signal?.aborted === true) await cancelStatement(latest.job_id);
      latest = await state(latest.job_id, signal);
    }
    onState?.(latest);
    if (latest.error !== null) throw statementError(latest.error);
    return latest;
  }

  private async send(statement: string): Promise<StatementView> {
    return await sendTo(await this.opened(), statement);
  }

  private opened(): Promise<string> {
    this.id ??= this.open();
    this.id.catch(() => {
      this.id = null;
    });
    return this.id;
  }

  private async open(): Promise<string> {
    const { session } = await answered(api.POST("/api/v1/sessions"));
    try {
      for (const statement of this.setUp)
        await this.finish(await sendTo(session, statement), { onState: this.onSetUp });
    } catch (error) {
      throw error instanceof ApiError ? error.withoutPlace() : error;
    }
    return session;
  }
}

async function sendTo(session: string, statement: string): Promise<StatementView> {
  return await answered(api.POST("/api/v1/statements", { body: { session, statement, wait_seconds: 0.5 } }));
}

/** Of short statements that pages send; those of the editor have sessions of their own. */
export const pageSession = new StatementSession();

export async function cancelStatement(job: string): Promise<void> {
  await answered(api.POST("/api/v1/statements/{job_id}/cancel", { params: { path: { job_id: job } } }));
}

export async function rowsOf(job: string, offset: number, limit: number): Promise<Schemas["ResultRows"]> {
  const params = { path: { job_id: job }, query: { offset, limit } };
  const options = { params, parseAs: "text" as const };
  return exactJson(
    await answered(api.GET("/api/v1/statements/{job_id}/rows", options)),
  ) as Schemas["ResultRows"];
}

/** Waits shorter while the statement may be cancelled, so that a cancellation is sent soon. */
async function state(job: string, signal?: AbortSignal): Promise<StatementView> {
  const params = { path: { job_id: job }, query: { wait_seconds: signal === undefined ? WAIT_SECONDS : 1 } };
  return await answered(api.GET("/api/v1/statements/{job_id}", { params }));
}

async function result(view: StatementView, limit: number): Promise<StatementResult> {
  const rows = await rowsOf(view.job_id, 0, limit);
  return {
    jobId: view.job_id,
    columns: rows.columns,
    rows: rows.rows,
    rowCount: view.row_count,
    notices: view.notices,
  };
}

function statementError(error: Schemas["ErrorView"]): ApiError {
  return new ApiError(error.message, error.kind, 400, error.hint, error.place);
}
