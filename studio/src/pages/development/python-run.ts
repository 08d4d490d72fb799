/** The run of a Python script from the editor. */

import { useState } from "react";

import { cancelScript, runScript, type ScriptRunView } from "../../api/scripts";

export interface PythonRun {
  view: ScriptRunView | null;
  /** Why it could not be run, or is not known any more. */
  error: unknown;
  isRunning: boolean;
  run: (content: string, parameters: Record<string, string>) => Promise<ScriptRunView | null>;
  cancel: () => void;
}

export function usePythonRun(): PythonRun {
  const [view, setView] = useState<ScriptRunView | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const run = async (content: string, parameters: Record<string, string>): Promise<ScriptRunView | null> => {
    setView(null);
    setError(null);
    setRunning(true);
    try {
      return await runScript(content, parameters, setView);
    } catch (failure) {
      setError(failure);
      return null;
    } finally {
      setRunning(false);
    }
  };
  const cancel = (): void => {
    if (view !== null) cancelScript(view.run_id).catch(setError);
  };
  return { view, error, isRunning, run, cancel };
}
