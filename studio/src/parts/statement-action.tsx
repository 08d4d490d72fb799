/** Something that is done by a statement: shown, confirmed, run, and its outcome reported. */

import { Button, Group, Modal, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

import { pageSession, StatementSession, type StatementView } from "../api/statements";
import { capital, ErrorNotice } from "./error-notice";
import { LoadingText } from "./loading";
import { SqlText } from "./sql-text";

/** Runs a statement; what it may have changed is loaded again. */
export function useStatement(session: StatementSession = pageSession) {
  const queries = useQueryClient();
  const [view, setView] = useState<StatementView | null>(null);
  const mutation = useMutation({
    mutationFn: (statement: string) => session.execute(statement, { onState: setView }),
    onSettled: () => queries.invalidateQueries(),
  });
  return { ...mutation, view };
}

/** Runs a statement in the background and reports how it ended. */
export function useReportedStatement() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ statement }: { statement: string; done: string }) =>
      new StatementSession().execute(statement),
    onSuccess: (view, { done }) =>
      notifications.show({ message: [done, ...view.notices.map(capital)].join(" "), color: "teal" }),
    onError: (error) =>
      notifications.show({ message: capital(error.message), color: "red", autoClose: 10_000 }),
    onSettled: () => queries.invalidateQueries(),
  });
}

interface ConfirmProps {
  title: string;
  text: ReactNode;
  /** Statements that run first, in the same session. */
  before?: string[];
  statement: string;
  confirm: string;
  dangerous?: boolean;
  opened: boolean;
  close: () => void;
  onDone?: (view: StatementView) => void;
}

/** Shows the statement before it is run. */
export function ConfirmStatement(props: ConfirmProps) {
  const { title, text, before = [], statement, confirm, dangerous = false, opened, close, onDone } = props;
  const run = useStatement(before.length === 0 ? pageSession : new StatementSession(before));
  const leave = (): void => {
    run.reset();
    close();
  };
  const submit = (): void =>
    run.mutate(statement, {
      onSuccess: (view) => {
        notifications.show({
          message: [`${title}: done.`, ...view.notices.map(capital)].join(" "),
          color: "teal",
        });
        leave();
        onDone?.(view);
      },
    });
  return (
    <Modal opened={opened} onClose={leave} title={title} size="lg">
      <Stack gap="md">
        <div>{text}</div>
        <SqlText text={[...before, statement].join(";\n")} maxHeight={260} />
        {run.error !== null && <ErrorNotice error={run.error} />}
        <Group justify="flex-end">
          {run.isPending && <LoadingText what={waitText(run.view)} />}
          <Button variant="default" onClick={leave}>
            Close
          </Button>
          <Button
            color={dangerous ? "red" : undefined}
            onClick={submit}
            disabled={run.isPending}
            data-autofocus
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

export function waitText(view: StatementView | null): string {
  switch (view?.state) {
    case "RESUMING_CLUSTER":
      return `Starting cluster ${view.cluster}`;
    case "QUEUED":
      return `Queued on cluster ${view.cluster}`;
    default:
      return view?.progress ?? "Running";
  }
}
