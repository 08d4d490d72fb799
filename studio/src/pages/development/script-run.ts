/** Runs of statements from the editor: one after the other, in the session of the file. */

import { useRef, useState } from "react";

import { cancelStatement, StatementSession, type StatementView } from "../../api/statements";
import type { FileSettings } from "../../api/files";
import { quoteIdentifier } from "../../format/names";
import { withParameters } from "./parameters";
import type { Piece } from "./statements";

export interface RunResult {
  number: number;
  piece: Piece;
  view: StatementView | null;
  error: unknown;
}

export interface ScriptRun {
  results: RunResult[];
  isRunning: boolean;
  /** The state of what precedes the statements: the choice of the cluster and the schema. */
  preparation: StatementView | null;
  run: (pieces: Piece[], settings: FileSettings, today: string) => Promise<RunResult | null>;
  cancel: () => void;
}

export function useScriptRun(): ScriptRun {
  const [results, setResults] = useState<RunResult[]>([]);
  const [isRunning, setRunning] = useState(false);
  const [preparation, setPreparation] = useState<StatementView | null>(null);
  const opened = useRef({ context: "", session: new StatementSession() });
  const current = useRef<{ job: string | null; isCancelled: boolean }>({ job: null, isCancelled: false });

  const sessionFor = (settings: FileSettings): StatementSession => {
    const statements = contextOf(settings);
    const context = statements.join(";");
    if (opened.current.context !== context) {
      opened.current = { context, session: new StatementSession(statements, setPreparation) };
    }
    return opened.current.session;
  };
  const show = (result: RunResult): void =>
    setResults((old) => [...old.filter((each) => each.number !== result.number), result]);

  const one = async (result: RunResult, text: string, session: StatementSession): Promise<RunResult> => {
    try {
      const submitted = await session.submit(text);
      current.current.job = submitted.job_id;
      const view = await session.finish(submitted, {
        onState: (state) => show({ ...result, view: state }),
      });
      return { ...result, view };
    } catch (error) {
      return { ...result, error };
    }
  };

  /** The first that fails ends the run and is returned. */
  const run = async (pieces: Piece[], settings: FileSettings, today: string): Promise<RunResult | null> => {
    current.current = { job: null, isCancelled: false };
    setRunning(true);
    setResults([]);
    setPreparation(null);
    try {
      const session = sessionFor(settings);
      for (const [number, piece] of pieces.entries()) {
        if (current.current.isCancelled) return null;
        const ended = await one(
          { number, piece, view: null, error: null },
          withParameters(piece.text, settings.parameters, today),
          session,
        );
        show(ended);
        if (ended.error !== null) return ended;
      }
      return null;
    } finally {
      setRunning(false);
    }
  };

  const cancel = (): void => {
    current.current.isCancelled = true;
    const job = current.current.job ?? preparation?.job_id ?? null;
    if (job !== null) void cancelStatement(job);
  };
  return { results, isRunning, preparation, run, cancel };
}

/** Statements that put a session where the settings say. */
function contextOf(settings: FileSettings): string[] {
  return [
    `USE VCLUSTER ${quoteIdentifier(settings.cluster)}`,
    `USE ${quoteIdentifier(settings.workspace)}.${quoteIdentifier(settings.schema)}`,
  ];
}
