/** The steps of a task's life, through the same routes as any client's. */

import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { answered, api } from "../../api/client";
import { quoteIdentifier } from "../../format/names";
import { pageSession } from "../../api/statements";
import { capital } from "../../parts/error-notice";

export type Step = "run" | "deploy" | "offline" | "pause" | "resume";

const DONE: Record<Step, string> = {
  run: "started",
  deploy: "deployed",
  offline: "taken offline",
  pause: "paused",
  resume: "resumed",
};

async function take(step: Step, name: string): Promise<void> {
  const path = { name };
  switch (step) {
    case "run":
      await answered(
        api.POST("/api/v1/tasks/{name}/execute", { params: { path }, body: { parameters: {} } }),
      );
      return;
    case "deploy":
      await answered(api.POST("/api/v1/tasks/{name}/deploy", { params: { path } }));
      return;
    case "offline":
      await answered(api.POST("/api/v1/tasks/{name}/offline", { params: { path } }));
      return;
    case "pause":
      await pageSession.execute(`ALTER TASK ${quoteIdentifier(name)} PAUSE`);
      return;
    case "resume":
      await pageSession.execute(`ALTER TASK ${quoteIdentifier(name)} RESUME`);
  }
}

/** Takes a step with each of the tasks; those that fail are named. */
export function useTaskStep() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ step, names }: { step: Step; names: string[] }) => {
      const outcomes = await Promise.allSettled(names.map((name) => take(step, name)));
      return outcomes.flatMap((outcome, index) =>
        outcome.status === "rejected" ? [`${names[index] ?? ""}: ${(outcome.reason as Error).message}`] : [],
      );
    },
    onSuccess: (failures, { step, names }) => report(step, names, failures),
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
