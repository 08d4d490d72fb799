import { Group, Stack } from "@mantine/core";
import { useState } from "react";

import type { DynamicTable } from "../../api/queries";
import { quoteIdentifier, sqlName, type TableName } from "../../format/names";
import { ChoiceField, ClusterField, NumberField } from "../../parts/fields";
import { ConfirmStatement } from "../../parts/statement-action";

const UNITS = { SECOND: 1, MINUTE: 60, HOUR: 3600, DAY: 86_400 } as const;
type Unit = keyof typeof UNITS;
const UNIT_CHOICES = (Object.keys(UNITS) as Unit[]).map((unit) => ({
  value: unit,
  label: `${unit.toLowerCase()}s`,
}));

interface ChangeScheduleProps {
  name: TableName;
  table: DynamicTable;
  close: () => void;
}

/** The interval and the cluster of scheduled refreshes. */
export function ChangeSchedule({ name, table, close }: ChangeScheduleProps) {
  const current = split(table.interval_seconds ?? 60);
  const [amount, setAmount] = useState<number>(current.amount);
  const [unit, setUnit] = useState<Unit>(current.unit);
  const [cluster, setCluster] = useState(table.cluster);
  const statement = `ALTER DYNAMIC TABLE ${sqlName(name)} SET REFRESH INTERVAL ${amount} ${unit} VCLUSTER ${quoteIdentifier(cluster)}`;
  return (
    <ConfirmStatement
      title={`Schedule of ${name.table}`}
      opened
      close={close}
      confirm="Change"
      statement={statement}
      text={
        <Stack gap="sm">
          <Group align="end" gap="sm">
            <NumberField label="Refresh every" min={1} width={110} value={amount} onChange={setAmount} />
            <ChoiceField label="Unit" width={120} value={unit} onChange={setUnit} choices={UNIT_CHOICES} />
            <ClusterField width={180} value={cluster} onChange={setCluster} />
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
