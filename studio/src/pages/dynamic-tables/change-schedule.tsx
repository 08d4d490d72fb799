import { Group, NumberInput, Select, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { clustersQuery, type DynamicTable } from "../../api/queries";
import { quoteIdentifier, sqlName, type TableName } from "../../format/names";
import { ConfirmStatement } from "../../parts/statement-action";

const UNITS = { SECOND: 1, MINUTE: 60, HOUR: 3600, DAY: 86_400 } as const;
type Unit = keyof typeof UNITS;

interface ChangeScheduleProps {
  name: TableName;
  table: DynamicTable;
  opened: boolean;
  close: () => void;
}

/** The interval and the cluster of scheduled refreshes. */
export function ChangeSchedule({ name, table, opened, close }: ChangeScheduleProps) {
  const current = split(table.interval_seconds ?? 60);
  const [amount, setAmount] = useState<number>(current.amount);
  const [unit, setUnit] = useState<Unit>(current.unit);
  const [cluster, setCluster] = useState(table.cluster);
  const clusters = useQuery(clustersQuery).data ?? [];
  const statement = `ALTER DYNAMIC TABLE ${sqlName(name)} SET REFRESH INTERVAL ${amount} ${unit} VCLUSTER ${quoteIdentifier(cluster)}`;
  return (
    <ConfirmStatement
      title={`Schedule of ${name.table}`}
      opened={opened}
      close={close}
      confirm="Change"
      statement={statement}
      text={
        <Stack gap="sm">
          <Group align="end" gap="sm">
            <NumberInput
              label="Refresh every"
              size="xs"
              min={1}
              w={110}
              allowDecimal={false}
              value={amount}
              onChange={(value) => setAmount(Math.max(1, Number(value)))}
            />
            <Select
              aria-label="Unit"
              w={120}
              value={unit}
              onChange={(value) => setUnit((value ?? "MINUTE") as Unit)}
              data={Object.keys(UNITS).map((each) => ({ value: each, label: `${each.toLowerCase()}s` }))}
            />
            <Select
              label="Cluster"
              w={180}
              value={cluster}
              onChange={(value) => setCluster(value ?? cluster)}
              data={clusters.map((each) => each.name)}
            />
          </Group>
          <span className="quiet">
            An interval of 1.5 to 2 times the duration of a refresh leaves room for more data.
          </span>
        </Stack>
      }
    />
  );
}

function split(seconds: number): { amount: number; unit: Unit } {
  const units = (Object.entries(UNITS) as [Unit, number][]).reverse();
  const [unit, size] = units.find(([, each]) => seconds % each === 0) ?? ["SECOND", 1];
  return { amount: seconds / size, unit };
}
