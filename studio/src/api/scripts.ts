/** Python scripts that are run once, from the editor. */

import { answered, api, type Schemas } from "./client";

export type ScriptRunView = Schemas["ScriptRunView"];

const PAUSE_MILLISECONDS = 500;

/** Runs the script to its end; `onState` is called with what it has printed so far. */
export async function runScript(
  content: string,
  parameters: Record<string, string>,
  onState: (view: ScriptRunView) => void,
): Promise<ScriptRunView> {
  let view = await answered(api.POST("/api/v1/script-runs", { body: { content, parameters } }));
  const params = { path: { run_id: view.run_id } };
  onState(view);
  while (view.end_time === null) {
    await new Promise((resume) => window.setTimeout(resume, PAUSE_MILLISECONDS));
    view = await answered(api.GET("/api/v1/script-runs/{run_id}", { params }));
    onState(view);
  }
  return view;
}

export async function cancelScript(run: string): Promise<void> {
  await answered(api.POST("/api/v1/script-runs/{run_id}/cancel", { params: { path: { run_id: run } } }));
}
