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
  run: (pieces: Piece[], settings: FileSettings, today: string) => Promise<RunResult | null>;
  cancel: () => void;
}

export function useScriptRun(): ScriptRun {
  const [results, setResults] = useState<RunResult[]>([]);
  const [isRunning, setRunning] = useState(false);
  const session = useRef(new StatementSession());
  const context = useRef("");
  const current = useRef<{ job: string | null; isCancelled: boolean }>({ job: null, isCancelled: false });

  const show = (result: RunResult): void =>
    setResults((old) => [...old.filter((each) => each.number !== result.number), result]);

  const one = async (result: RunResult, text: string): Promise<RunResult> => {
    try {
      const submitted = await session.current.submit(text);
      current.current.job = submitted.job_id;
      const view = await session.current.finish(submitted, {
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
    try {
      for (const [number, piece] of [...contextPieces(settings, context), ...pieces].entries()) {
        if (current.current.isCancelled) return null;
        const ended = await one(
          { number, piece, view: null, error: null },
          withParameters(piece.text, settings.parameters, today),
        );
        if (piece.from >= 0 || ended.error !== null) show(ended);
        if (ended.error !== null) return ended;
      }
      return null;
    } finally {
      setRunning(false);
    }
  };

  const cancel = (): void => {
    current.current.isCancelled = true;
    if (current.current.job !== null) void cancelStatement(current.current.job);
  };
  return {
    results: results.filter((each) => each.piece.from >= 0 || each.error !== null),
    isRunning,
    run,
    cancel,
  };
}

/** Statements that put the session where the settings say; only when these have changed. */
function contextPieces(settings: FileSettings, known: { current: string }): Piece[] {
  const wanted = JSON.stringify([settings.cluster, settings.workspace, settings.schema]);
  if (wanted === known.current) return [];
  known.current = wanted;
  const texts = [
    `USE VCLUSTER ${quoteIdentifier(settings.cluster)}`,
    `USE ${quoteIdentifier(settings.workspace)}.${quoteIdentifier(settings.schema)}`,
  ];
  return texts.map((text) => ({ text, from: -1, to: -1 }));
}
