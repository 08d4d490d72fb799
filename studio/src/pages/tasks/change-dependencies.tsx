import { MultiSelect, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { tasksQuery, type Task } from "../../api/queries";
import { ConfirmStatement } from "../../parts/statement-action";
import { dependenciesStatement } from "./task-dependencies";

interface ChangeDependenciesProps {
  task: Task;
  /** What is chosen first. */
  after: string[];
  close: () => void;
}

export function ChangeDependencies({ task, after, close }: ChangeDependenciesProps) {
  const tasks = useQuery(tasksQuery).data ?? [];
  const [chosen, setChosen] = useState(after);
  return (
    <ConfirmStatement
      title={`Dependencies of ${task.name}`}
      opened
      close={close}
      confirm="Change"
      statement={dependenciesStatement(task.name, chosen)}
      text={
        <Stack gap="sm">
          <MultiSelect
            label="Runs after"
            size="xs"
            placeholder={chosen.length === 0 ? "no task" : ""}
            data={tasks.map((each) => each.name).filter((name) => name !== task.name)}
            value={chosen}
            onChange={setChosen}
            searchable
            comboboxProps={{ position: "top" }}
          />
          <span className="quiet">
            If the task was submitted by a development file, the next Submit sets what the settings of the
            file say.
          </span>
        </Stack>
      }
    />
  );
}
