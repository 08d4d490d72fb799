/** Submit: what would change, then the deployment. */

import { Button, Group, Modal } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconRocket } from "@tabler/icons-react";

import { files, type FileDetails, type Plan } from "../../api/files";
import { capital, ErrorNotice } from "../../parts/error-notice";
import { Loaded } from "../../parts/loaded";
import { LoadingText } from "../../parts/loading";
import { SqlText } from "../../parts/sql-text";

const ACTIONS = {
  CREATE: "will be created",
  REPLACE: "will be replaced",
  RESCHEDULE: "gets another schedule",
  NONE: "does not change",
};

export function SubmitDialog({ file, close }: { file: FileDetails; close: () => void }) {
  const queries = useQueryClient();
  const plan = useQuery({
    queryKey: ["plan", file.id, file.version],
    queryFn: () => files.plan(file.id),
    staleTime: 0,
  });
  const submit = useMutation({
    mutationFn: (version: number) => files.submit(file.id, version),
    onSuccess: ({ task, notices }) => {
      notifications.show({
        title: `${task} is deployed`,
        message: (
          <>
            {notices.map(capital).join(" ")}{" "}
            <Link to="/tasks/$task" params={{ task }} className="text-link">
              Open in Task operations
            </Link>
          </>
        ),
        color: "teal",
        autoClose: 30_000,
      });
      close();
    },
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <Modal opened onClose={close} title={`Submit ${file.name}`} size="xl">
      <div className="stack">
        <Loaded query={plan} what="what would change">
          {(found) => <PlanView plan={found} />}
        </Loaded>
        {submit.error !== null && <ErrorNotice error={submit.error} />}
        <Group justify="flex-end">
          {submit.isPending && <LoadingText what="Deploying; this may start a cluster" />}
          <Button variant="default" onClick={close}>
            Close
          </Button>
          <Button
            leftSection={<IconRocket size={14} />}
            disabled={plan.data === undefined || submit.isPending}
            onClick={() => submit.mutate(plan.data?.version ?? file.version)}
          >
            Deploy
          </Button>
        </Group>
      </div>
    </Modal>
  );
}

function PlanView({ plan }: { plan: Plan }) {
  return (
    <div className="stack">
      {plan.changes.map((change) => (
        <section key={`${change.object} ${change.name}`} className="card">
          <div className="card-head">
            <h3>
              {change.object === "TASK" ? "Task" : "Dynamic table"} {change.name}: {ACTIONS[change.action]}
            </h3>
          </div>
          {change.fields.length > 0 && (
            <table className="table" aria-label={`Changes of ${change.name}`}>
              <thead>
                <tr>
                  <th scope="col">Setting</th>
                  <th scope="col">Now</th>
                  <th scope="col">After the deployment</th>
                </tr>
              </thead>
              <tbody>
                {change.fields.map((field) => (
                  <tr key={field.field}>
                    <td className="tight">{field.field.replaceAll("_", " ")}</td>
                    <td className="quiet mono lines">{field.old ?? "–"}</td>
                    <td className="mono lines">{field.new ?? "–"}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
      ))}
      {plan.notices.map((notice) => (
        <div key={notice} className="quiet">
          {capital(notice)}
        </div>
      ))}
      <div>
        <div className="fact-label">Statements</div>
        <SqlText text={plan.statements.join(";\n\n")} maxHeight={240} />
      </div>
    </div>
  );
}
