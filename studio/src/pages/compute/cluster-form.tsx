import { SimpleGrid, Switch } from "@mantine/core";
import { useState } from "react";

import type { Cluster } from "../../api/queries";
import { quoteIdentifier } from "../../format/names";
import { ChoiceField, NumberField, TextField } from "../../parts/fields";
import { ConfirmStatement } from "../../parts/statement-action";

const TYPES = ["GENERAL", "ANALYTICS", "INTEGRATION"];
const SIZES = ["XSMALL", "SMALL", "MEDIUM", "LARGE", "XLARGE"];

/** As AUTO_SUSPEND_IN_SECOND has it. */
const NEVER = -1;

interface Values {
  name: string;
  type: string;
  size: string;
  suspend: number;
  resume: boolean;
  concurrency: number;
}

/** Creates a cluster, or changes one. */
export function ClusterForm({ cluster, close }: { cluster: Cluster | null; close: () => void }) {
  const [values, setValues] = useState<Values>(() => initial(cluster));
  const set = (part: Partial<Values>): void => setValues((old) => ({ ...old, ...part }));
  const isNew = cluster === null;
  return (
    <ConfirmStatement
      title={isNew ? "Create a cluster" : `Change cluster ${cluster.name}`}
      opened
      close={close}
      confirm={isNew ? "Create" : "Change"}
      statement={statementFor(values, isNew)}
      text={
        <SimpleGrid cols={2} spacing="sm">
          <TextField label="Name" value={values.name} disabled={!isNew} onChange={(name) => set({ name })} />
          <ChoiceField
            label="Type"
            choices={TYPES}
            value={values.type}
            disabled={!isNew}
            onChange={(type) => set({ type })}
          />
          <ChoiceField
            label="Size"
            choices={SIZES.includes(values.size) ? SIZES : [...SIZES, values.size]}
            value={values.size}
            onChange={(size) => set({ size })}
          />
          <NumberField
            label="Jobs at once"
            min={1}
            value={values.concurrency}
            onChange={(concurrency) => set({ concurrency })}
          />
          <NumberField
            label="Suspend after seconds without work (-1: never)"
            min={NEVER}
            value={values.suspend}
            onChange={(suspend) => set({ suspend })}
          />
          <Switch
            mt={26}
            label="Start when work arrives"
            checked={values.resume}
            onChange={(event) => set({ resume: event.currentTarget.checked })}
          />
        </SimpleGrid>
      }
    />
  );
}

function initial(cluster: Cluster | null): Values {
  return {
    name: cluster?.name ?? "etl",
    type: cluster?.type ?? "GENERAL",
    size: cluster?.size ?? "XSMALL",
    suspend: cluster === null ? 600 : (cluster.auto_suspend_seconds ?? NEVER),
    resume: cluster?.auto_resume ?? true,
    concurrency: cluster?.max_concurrency ?? 8,
  };
}

function statementFor(values: Values, isNew: boolean): string {
  const name = quoteIdentifier(values.name);
  const limits = [
    `VCLUSTER_SIZE = ${values.size}`,
    `AUTO_SUSPEND_IN_SECOND = ${values.suspend}`,
    `AUTO_RESUME = ${values.resume ? "TRUE" : "FALSE"}`,
    `MAX_CONCURRENCY = ${values.concurrency}`,
  ];
  const clauses = isNew ? [`VCLUSTER_TYPE = ${values.type}`, ...limits] : limits;
  return `${isNew ? `CREATE VCLUSTER ${name}` : `ALTER VCLUSTER ${name} SET`}\n  ${clauses.join("\n  ")}`;
}
