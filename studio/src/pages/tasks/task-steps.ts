/** The steps of a task's life, through the same routes as any client's. */

import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { answered, api } from "../../api/client";
import { capital } from "../../parts/error-notice";

export type Step = "run" | "deploy" | "offline" | "pause" | "resume";

const DONE: Record<Step, string> = {
  run: "started",
  deploy: "deployed",
  offline: "taken offline",
  pause: "paused",
  resume: "resumed",
};

const STEPS = { deploy: "DEPLOY", offline: "OFFLINE", pause: "PAUSE", resume: "RESUME" } as const;

/** Of each task that could not, why. */
async function take(step: Step, names: string[]): Promise<string[]> {
  if (step === "run") return await runEach(names);
  const { items } = await answered(api.POST("/api/v1/tasks/bulk", { body: { step: STEPS[step], names } }));
  return items.flatMap(({ name, error }) => (error === null ? [] : [`${name}: ${error.message}`]));
}

async function runEach(names: string[]): Promise<string[]> {
  const body = { parameters: {} };
  const outcomes = await Promise.allSettled(
    names.map((name) =>
      answered(api.POST("/api/v1/tasks/{name}/execute", { params: { path: { name } }, body })),
    ),
  );
  return outcomes.flatMap((outcome, index) =>
    outcome.status === "rejected" ? [`${names[index] ?? ""}: ${(outcome.reason as Error).message}`] : [],
  );
}

/** Takes a step with each of the tasks; those that fail are named. */
export function useTaskStep() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ step, names }: { step: Step; names: string[] }) => take(step, names),
    onSuccess: (failures, { step, names }) => report(step, names, failures),
    onError: (error) =>
      notifications.show({ message: capital(error.message), color: "red", autoClose: 10_000 }),
    onSettled: () => queries.invalidateQueries(),
  });
}

function report(step: Step, names: string[], failures: string[]): void {
  const done = names.length - failures.length;
  if (done > 0) {
    const what = names.length === 1 ? (names[0] ?? "") : `${done} tasks`;
    notifications.show({ message: `${what}: ${DONE[step]}.`, color: "teal" });
  }
  for (const failure of failures)
    notifications.show({ message: capital(failure), color: "red", autoClose: 10_000 });
}
