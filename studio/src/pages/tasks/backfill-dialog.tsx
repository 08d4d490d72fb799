/** Runs a task for each date of a range. */

import { Button, Checkbox, Group, Modal, SimpleGrid } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { answered, api, type Schemas } from "../../api/client";
import type { Task } from "../../api/queries";
import { useNow, useZone } from "../../app/context";
import { counted } from "../../format/durations";
import { day } from "../../format/times";
import { BusyButton } from "../../parts/busy-button";
import { ErrorNotice } from "../../parts/error-notice";
import { NumberField, TextField } from "../../parts/fields";
import { dates } from "./dates";

type Asked = Required<Schemas["BackfillAsked"]>;

export function BackfillDialog({ task, close }: { task: Task; close: () => void }) {
  const today = day(useNow(3600), useZone());
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Asked>({
    first: today,
    last: today,
    parameter: "bizdate",
    parallelism: 2,
    downstream: false,
    step_days: 1,
    parameters: {},
  });
  const set = (part: Partial<Asked>): void => setAsked((old) => ({ ...old, ...part }));
  const start = useMutation({
    mutationFn: () =>
      answered(
        api.POST("/api/v1/tasks/{name}/backfill", { params: { path: { name: task.name } }, body: asked }),
      ),
    onSuccess: ({ runs }) => {
      notifications.show({ message: `${counted(runs, "run")} of ${task.name} will follow.`, color: "teal" });
      close();
    },
    onSettled: () => queries.invalidateQueries(),
  });
  const number = dates(asked.first, asked.last, asked.step_days);
  return (
    <Modal opened onClose={close} title={`Backfill ${task.name}`} size="md">
      <div className="stack">
        <SimpleGrid cols={2} spacing="sm">
          <TextField
            type="date"
            label="First date"
            value={asked.first}
            onChange={(first) => set({ first })}
          />
          <TextField type="date" label="Last date" value={asked.last} onChange={(last) => set({ last })} />
          <TextField
            label="Parameter with the date"
            value={asked.parameter}
            onChange={(parameter) => set({ parameter })}
          />
          <NumberField
            label="Runs at the same time"
            min={1}
            max={16}
            value={asked.parallelism}
            onChange={(parallelism) => set({ parallelism })}
          />
        </SimpleGrid>
        <Checkbox
          size="xs"
          label="Also all tasks after it, for each date"
          checked={asked.downstream}
          onChange={(event) => set({ downstream: event.currentTarget.checked })}
        />
        {start.error !== null && <ErrorNotice error={start.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Close
          </Button>
          <BusyButton
            busy={start.isPending}
            doing="Starting"
            disabled={number === 0}
            onClick={() => start.mutate()}
          >
            Run for {counted(number, "date")}
          </BusyButton>
        </Group>
      </div>
    </Modal>
  );
}
