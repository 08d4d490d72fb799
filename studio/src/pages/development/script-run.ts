/** Runs of statements from the editor: one after the other, in the session of the file. */

import { useSyncExternalStore } from "react";

import { cancelStatement, StatementSession, type StatementView } from "../../api/statements";
import type { FileSettings } from "../../api/files";
import { quoteIdentifier } from "../../format/names";
import { holders, StateHolder } from "../../parts/state-holder";
import { withParameters } from "./parameters";
import type { Piece } from "./statements";

export interface RunResult {
  number: number;
  piece: Piece;
  view: StatementView | null;
  error: unknown;
}

interface RunState {
  results: RunResult[];
  isRunning: boolean;
  /** The state of what precedes the statements: the choice of the cluster and the schema. */
  preparation: StatementView | null;
}

export interface ScriptRun extends RunState {
  run: (pieces: Piece[], settings: FileSettings, today: string) => Promise<RunResult | null>;
  cancel: () => void;
}

/** Of a file; a run goes on, and its results remain, while another page is shown. */
export function useScriptRun(file: string): ScriptRun {
  const { get, subscribe, run, cancel } = runnerOf(file);
  return { ...useSyncExternalStore(subscribe, get), run, cancel };
}

class ScriptRunner extends StateHolder<RunState> {
  private opened = { context: "", session: new StatementSession() };
  private current: { job: string | null; isCancelled: boolean } = { job: null, isCancelled: false };

  constructor() {
    super({ results: [], isRunning: false, preparation: null });
  }

  /** The first that fails ends the run and is returned. */
  run = async (pieces: Piece[], settings: FileSettings, today: string): Promise<RunResult | null> => {
    this.current = { job: null, isCancelled: false };
    this.set({ results: [], isRunning: true, preparation: null });
    try {
      const session = this.sessionFor(settings);
      for (const [number, piece] of pieces.entries()) {
        if (this.current.isCancelled) return null;
        const text = withParameters(piece.text, settings.parameters, today);
        const ended = await this.one({ number, piece, view: null, error: null }, text, session);
        this.show(ended);
        if (ended.error !== null) return ended;
      }
      return null;
    } finally {
      this.set({ isRunning: false });
    }
  };

  cancel = (): void => {
    this.current.isCancelled = true;
    const job = this.current.job ?? this.get().preparation?.job_id ?? null;
    if (job !== null) void cancelStatement(job);
  };

  private async one(result: RunResult, text: string, session: StatementSession): Promise<RunResult> {
    try {
      const submitted = await session.submit(text);
      this.current.job = submitted.job_id;
      const view = await session.finish(submitted, {
        onState: (state) => this.show({ ...result, view: state }),
      });
      return { ...result, view };
    } catch (error) {
      return { ...result, error };
    }
  }

  private show(result: RunResult): void {
    const others = this.get().results.filter((each) => each.number !== result.number);
    this.set({ results: [...others, result] });
  }

  private sessionFor(settings: FileSettings): StatementSession {
    const statements = contextOf(settings);
    const context = statements.join(";");
    if (this.opened.context !== context) {
      const session = new StatementSession(statements, (preparation) => this.set({ preparation }));
      this.opened = { context, session };
    }
    return this.opened.session;
  }
}

const runnerOf = holders(() => new ScriptRunner());

/** Statements that put a session where the settings say. */
function contextOf(settings: FileSettings): string[] {
  return [
    `USE VCLUSTER ${quoteIdentifier(settings.cluster)}`,
    `USE ${quoteIdentifier(settings.workspace)}.${quoteIdentifier(settings.schema)}`,
  ];
}
