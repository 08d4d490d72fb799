/** The server's event stream: keeps what is shown current, and knows whether the server can be reached. */

import type { QueryClient } from "@tanstack/react-query";

export type ConnectionState = "connecting" | "connected" | "lost";

/** Which queries each type of event makes stale. */
const STALE: Record<string, string[]> = {
  refresh: ["dynamic-tables", "history", "lineage", "costs", "jobs"],
  task_run: ["tasks", "task-runs"],
  job: ["jobs"],
  cluster: ["clusters"],
  file: ["files"],
  backfill: ["backfills", "task-runs", "tasks"],
  table: ["schemas", "objects", "object", "lineage", "dynamic-tables"],
};
const RETRY_MILLISECONDS = 2000;
const PAUSE_MILLISECONDS = 800;
const HISTORY = 50;

export interface ProgressEvent {
  job_id: string;
  progress: string;
}

type Listener = () => void;

export class EventConnection {
  state: ConnectionState = "connecting";
  /** What running statements report, by job. */
  progress: ReadonlyMap<string, string> = new Map();
  private source: EventSource | null = null;
  private readonly listeners = new Set<Listener>();
  private readonly stale = new Set<string>();
  private timer: number | null = null;
  private retry: number | null = null;

  constructor(private readonly queries: QueryClient) {}

  open = (): void => {
    this.close();
    const source = new EventSource("/api/v1/events");
    this.source = source;
    source.onopen = () => this.connected();
    source.onerror = () => this.lost(source);
    for (const type of Object.keys(STALE)) source.addEventListener(type, () => this.note(type));
    source.addEventListener("job_progress", (event: MessageEvent<string>) => this.noteProgress(event.data));
    source.addEventListener("reset", () => void this.queries.invalidateQueries());
  };

  close = (): void => {
    this.source?.close();
    this.source = null;
    if (this.retry !== null) window.clearTimeout(this.retry);
    this.retry = null;
  };

  subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private connected(): void {
    const wasLost = this.state === "lost";
    this.change("connected");
    if (wasLost) void this.queries.invalidateQueries();
  }

  /** A browser does not try again once it has received an error as the answer. */
  private lost(source: EventSource): void {
    this.change("lost");
    if (source.readyState === EventSource.CLOSED) {
      this.retry = window.setTimeout(this.open, RETRY_MILLISECONDS);
      void this.queries.invalidateQueries({ queryKey: ["account"] });
    }
  }

  private note(type: string): void {
    for (const key of STALE[type] ?? []) this.stale.add(key);
    this.timer ??= window.setTimeout(() => this.refetch(), PAUSE_MILLISECONDS);
  }

  private noteProgress(data: string): void {
    const event = JSON.parse(data) as ProgressEvent;
    const kept = [...this.progress].slice(-HISTORY);
    this.progress = new Map([...kept, [event.job_id, event.progress]]);
    this.tell();
  }

  private refetch(): void {
    this.timer = null;
    for (const key of this.stale) void this.queries.invalidateQueries({ queryKey: [key] });
    this.stale.clear();
  }

  private change(state: ConnectionState): void {
    this.state = state;
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
