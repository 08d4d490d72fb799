import { Checkbox, Stack } from "@mantine/core";
import { useState } from "react";

import type { Task } from "../../api/queries";
import { ConfirmStatement } from "../../parts/statement-action";
import { ALERTS, alertsStatement, type TaskAlert } from "./task-alerts";

export function ChangeAlerts({ task, close }: { task: Task; close: () => void }) {
  const [alerts, setAlerts] = useState<TaskAlert[]>([...task.alerts]);
  return (
    <ConfirmStatement
      title={`Alerts of ${task.name}`}
      opened
      close={close}
      confirm="Change"
      statement={alertsStatement(task.name, alerts)}
      text={
        <Stack gap="sm">
          <Checkbox.Group label="Report when" value={alerts} onChange={setAlerts}>
            <Stack gap={8} mt={6}>
              {ALERTS.map(({ value, label }) => (
                <Checkbox key={value} size="xs" value={value} label={label} />
              ))}
            </Stack>
          </Checkbox.Group>
          <span className="quiet">
            If the task was submitted by a development file, the next Submit sets what the settings of the
            file say.
          </span>
        </Stack>
      }
    />
  );
}
