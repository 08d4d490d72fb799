/** Runs a task for each date of a range. */

import { Button, Checkbox, Group, Modal, NumberInput, SimpleGrid, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { answered, api, type Schemas } from "../../api/client";
import type { Task } from "../../api/queries";
import { useNow, useZone } from "../../app/context";
import { counted } from "../../format/durations";
import { day } from "../../format/times";
import { ErrorNotice } from "../../parts/error-notice";
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
          <TextInput
            type="date"
            label="First date"
            value={asked.first}
            onChange={(event) => set({ first: event.currentTarget.value })}
          />
          <TextInput
            type="date"
            label="Last date"
            value={asked.last}
            onChange={(event) => set({ last: event.currentTarget.value })}
          />
          <TextInput
            label="Parameter with the date"
            value={asked.parameter}
            onChange={(event) => set({ parameter: event.currentTarget.value })}
          />
          <NumberInput
            size="xs"
            label="Runs at the same time"
            min={1}
            max={16}
            value={asked.parallelism}
            onChange={(value) => set({ parallelism: Number(value) })}
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
          <Button loading={start.isPending} disabled={number === 0} onClick={() => start.mutate()}>
            Run for {counted(number, "date")}
          </Button>
        </Group>
      </div>
    </Modal>
  );
}
