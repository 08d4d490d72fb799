import { Stack } from "@mantine/core";
import { useState } from "react";

import type { DynamicTable } from "../../api/queries";
import { sqlName, type TableName } from "../../format/names";
import { TextField } from "../../parts/fields";
import { ConfirmStatement } from "../../parts/statement-action";
import { queryParameters, setParameter } from "./query-parameters";

interface RefreshWithArgumentsProps {
  name: TableName;
  table: DynamicTable;
  close: () => void;
}

/** A refresh with values for the parameters of the query, of the whole table or of one partition. */
export function RefreshWithArguments({ name, table, close }: RefreshWithArgumentsProps) {
  const parameters = queryParameters(table.query);
  const [values, setValues] = useState<Record<string, string>>(table.last_refresh?.arguments ?? {});
  const [partition, setPartition] = useState("");
  const where = partition.trim() === "" ? "" : ` PARTITION (${partition})`;
  return (
    <ConfirmStatement
      title={`Refresh ${name.table}`}
      opened
      close={close}
      confirm="Refresh"
      before={parameters.map((each) => setParameter(each, values[each] ?? ""))}
      statement={`REFRESH DYNAMIC TABLE ${sqlName(name)}${where}`}
      text={
        <Stack gap="sm">
          {parameters.map((each) => (
            <TextField
              key={each}
              label={each}
              value={values[each] ?? ""}
              onChange={(value) => setValues((old) => ({ ...old, [each]: value }))}
            />
          ))}
          <TextField
            label="Partition"
            placeholder="the whole table, or such as day = '2024-06-01'"
            value={partition}
            onChange={setPartition}
          />
        </Stack>
      }
    />
  );
}
