/** What can be done with a dynamic table; each is a statement. */

import { Button, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  IconCalendarTime,
  IconChevronDown,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
} from "@tabler/icons-react";
import { notifications } from "@mantine/notifications";
import { useState } from "react";

import type { DynamicTable } from "../../api/queries";
import { StatementSession } from "../../api/statements";
import { useProgress } from "../../app/context";
import { sqlName, type TableName } from "../../format/names";
import { BusyButton } from "../../parts/busy-button";
import { capital } from "../../parts/error-notice";
import { LoadingText } from "../../parts/loading";
import { ConfirmStatement, useReportedStatement, useStatement, waitText } from "../../parts/statement-action";
import { ChangeSchedule } from "./change-schedule";
import { queryParameters } from "./query-parameters";
import { RefreshWithArguments } from "./refresh-with-arguments";

const refreshing = new StatementSession();

export function TableActions({ name, table }: { name: TableName; table: DynamicTable }) {
  const [opened, setOpened] = useState<"arguments" | "drop" | "schedule" | null>(null);
  const alter = useReportedStatement();
  const close = (): void => setOpened(null);
  const step = table.suspended ? "RESUME" : "SUSPEND";
  return (
    <>
      <RefreshButton
        name={name}
        withArguments={queryParameters(table.query).length === 0 ? null : () => setOpened("arguments")}
      />
      <BusyButton
        variant="default"
        busy={alter.isPending}
        doing={table.suspended ? "Resuming" : "Suspending"}
        leftSection={table.suspended ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
        onClick={() =>
          alter.mutate({
            statement: `ALTER DYNAMIC TABLE ${sqlName(name)} ${step}`,
            done: `${name.table} was ${table.suspended ? "resumed" : "suspended"}.`,
          })
        }
      >
        {table.suspended ? "Resume" : "Suspend"}
      </BusyButton>
      <Menu>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconCalendarTime size={14} />} onClick={() => setOpened("schedule")}>
            Change schedule
          </Menu.Item>
          <Menu.Item leftSection={<IconTrash size={14} />} color="red" onClick={() => setOpened("drop")}>
            Drop
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {opened === "arguments" && <RefreshWithArguments name={name} table={table} close={close} />}
      {opened === "schedule" && <ChangeSchedule name={name} table={table} close={close} />}
      <DropTable name={name} opened={opened === "drop"} close={close} />
    </>
  );
}

interface RefreshButtonProps {
  name: TableName;
  /** Where the query has parameters. */
  withArguments: (() => void) | null;
}

function RefreshButton({ name, withArguments }: RefreshButtonProps) {
  const run = useStatement(refreshing);
  const progress = useProgress(run.view?.job_id ?? null);
  const refresh = (full: boolean): void =>
    run.mutate(`REFRESH DYNAMIC TABLE ${sqlName(name)}${full ? " FULL" : ""}`, {
      onSuccess: () => notifications.show({ message: `${name.table} was refreshed.`, color: "teal" }),
      onError: (error) =>
        notifications.show({ message: capital(error.message), color: "red", autoClose: 10_000 }),
    });
  return (
    <>
      {run.isPending && <LoadingText what={progress ?? waitText(run.view)} />}
      <Button.Group>
        <Button
          leftSection={<IconRefresh size={14} />}
          disabled={run.isPending}
          onClick={() => refresh(false)}
        >
          Refresh now
        </Button>
        <Menu>
          <Menu.Target>
            <Button px={6} aria-label="Other refreshes" disabled={run.isPending}>
              <IconChevronDown size={14} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => refresh(true)}>Refresh FULL</Menu.Item>
            {withArguments !== null && <Menu.Item onClick={withArguments}>Refresh with arguments</Menu.Item>}
          </Menu.Dropdown>
        </Menu>
      </Button.Group>
    </>
  );
}

interface DropTableProps {
  name: TableName;
  opened: boolean;
  close: () => void;
}

function DropTable({ name, opened, close }: DropTableProps) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const dropped = (): void => {
    void navigate({ to: "/dynamic-tables" });
    offerUndrop(name, () => void queries.invalidateQueries());
  };
  return (
    <ConfirmStatement
      title={`Drop ${name.table}`}
      text="The table and its definition are kept for as long as its retention says, and can be undropped."
      statement={`DROP DYNAMIC TABLE ${sqlName(name)}`}
      confirm="Drop"
      dangerous
      opened={opened}
      close={close}
      onDone={dropped}
    />
  );
}

/** For a while after the table was dropped. */
function offerUndrop(name: TableName, reload: () => void): void {
  const id = `undrop ${sqlName(name)}`;
  const undrop = async (): Promise<void> => {
    notifications.hide(id);
    try {
      await new StatementSession().execute(`UNDROP DYNAMIC TABLE ${sqlName(name)}`);
      notifications.show({ message: `${name.table} is there again.`, color: "teal" });
    } catch (error) {
      notifications.show({ message: capital((error as Error).message), color: "red", autoClose: 10_000 });
    }
    reload();
  };
  notifications.show({
    id,
    title: `${name.table} was dropped`,
    message: (
      <Button variant="light" onClick={() => void undrop()}>
        Undrop
      </Button>
    ),
    autoClose: 30_000,
  });
}
