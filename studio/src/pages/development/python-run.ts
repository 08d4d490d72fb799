/** The run of a Python script from the editor. */

import { useSyncExternalStore } from "react";

import { cancelScript, runScript, type ScriptRunView } from "../../api/scripts";
import { holders, StateHolder } from "../../parts/state-holder";

interface RunState {
  view: ScriptRunView | null;
  /** Why it could not be run, or is not known any more. */
  error: unknown;
  isRunning: boolean;
}

export interface PythonRun extends RunState {
  run: (content: string, parameters: Record<string, string>) => Promise<ScriptRunView | null>;
  cancel: () => void;
}

/** Of a file; it goes on, and its output remains, while another page is shown. */
export function usePythonRun(file: string): PythonRun {
  const { get, subscribe, run, cancel } = runnerOf(file);
  return { ...useSyncExternalStore(subscribe, get), run, cancel };
}

class PythonRunner extends StateHolder<RunState> {
  constructor() {
    super({ view: null, error: null, isRunning: false });
  }

  run = async (content: string, parameters: Record<string, string>): Promise<ScriptRunView | null> => {
    this.set({ view: null, error: null, isRunning: true });
    try {
      return await runScript(content, parameters, (view) => this.set({ view }));
    } catch (error) {
      this.set({ error });
      return null;
    } finally {
      this.set({ isRunning: false });
    }
  };

  cancel = (): void => {
    const { view } = this.get();
    if (view !== null) cancelScript(view.run_id).catch((error: unknown) => this.set({ error }));
  };
}

const runnerOf = holders(() => new PythonRunner());
