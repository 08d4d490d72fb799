import { NumberInput, Select, SimpleGrid, Switch, TextInput } from "@mantine/core";
import { useState } from "react";

import type { Cluster } from "../../api/queries";
import { quoteIdentifier } from "../../format/names";
import { ConfirmStatement } from "../../parts/statement-action";

const TYPES = ["GENERAL", "ANALYTICS", "INTEGRATION"];
const SIZES = ["XSMALL", "SMALL", "MEDIUM", "LARGE", "XLARGE"];

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
          <TextInput
            label="Name"
            value={values.name}
            disabled={!isNew}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <Select
            label="Type"
            data={TYPES}
            value={values.type}
            disabled={!isNew}
            onChange={(value) => set({ type: value ?? "GENERAL" })}
          />
          <Select
            label="Size"
            data={SIZES.includes(values.size) ? SIZES : [...SIZES, values.size]}
            value={values.size}
            onChange={(value) => set({ size: value ?? "XSMALL" })}
          />
          <NumberInput
            size="xs"
            label="Jobs at once"
            min={1}
            value={values.concurrency}
            onChange={(value) => set({ concurrency: Number(value) })}
          />
          <NumberInput
            size="xs"
            label="Suspend after seconds without work"
            min={0}
            value={values.suspend}
            onChange={(value) => set({ suspend: Number(value) })}
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
    suspend: cluster?.auto_suspend_seconds ?? 600,
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
