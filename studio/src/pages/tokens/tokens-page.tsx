/** Tokens: made here, shown once, revoked at once. */

import { Button, Group, Modal, Select, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { IconPlus } from "@tabler/icons-react";
import { type SyntheticEvent, useState } from "react";

import { answered, api, type Schemas } from "../../api/client";
import { tokensQuery } from "../../api/queries";
import { BusyButton } from "../../parts/busy-button";
import { DataTable, type Column } from "../../parts/data-table";
import { EmptyState } from "../../parts/empty-state";
import { ErrorNotice } from "../../parts/error-notice";
import { Loaded } from "../../parts/loaded";
import { PageHeader } from "../../parts/page-header";
import { SqlText } from "../../parts/sql-text";
import { StateText } from "../../parts/state-text";
import { TimeText } from "../../parts/time-text";

type Token = Schemas["TokenView"];
type Role = Schemas["Role"];

const ROLES: { value: Role; label: string }[] = [
  { value: "reader", label: "reader: reads" },
  { value: "operator", label: "operator: also refreshes, runs and suspends" },
  { value: "developer", label: "developer: also changes rows and definitions" },
  { value: "admin", label: "admin: also manages tokens" },
];

export function TokensPage() {
  const tokens = useQuery(tokensQuery);
  const [creating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<string | null>(null);
  return (
    <div className="page">
      <PageHeader title="Tokens">
        <Button leftSection={<IconPlus size={14} />} onClick={() => setCreating(true)}>
          Create a token
        </Button>
      </PageHeader>
      <Loaded query={tokens} what="tokens">
        {(rows) => (
          <section className="card scroll" tabIndex={0} aria-label="Tokens">
            {rows.length === 0 ? (
              <EmptyState
                title="There are no tokens yet"
                text="Users of other machines need a token; its name is the creator of what they make."
                command="headrace token create NAME"
              />
            ) : (
              <DataTable
                label="Tokens"
                rows={rows}
                columns={columns(setRevoked)}
                rowKey={(row) => row.name}
              />
            )}
          </section>
        )}
      </Loaded>
      {creating && <CreateToken close={() => setCreating(false)} />}
      {revoked !== null && <RevokeToken name={revoked} close={() => setRevoked(null)} />}
    </div>
  );
}

function columns(revoke: (name: string) => void): Column<Token>[] {
  return [
    { name: "Name", cell: (row) => <strong>{row.name}</strong>, value: (row) => row.name },
    { name: "Role", cell: (row) => row.role, value: (row) => row.role, width: "tight" },
    {
      name: "State",
      cell: (row) => (
        <StateText
          shown={
            row.revoked_time === null
              ? { tone: "good", icon: "check", label: "valid" }
              : { tone: "quiet", icon: "dash", label: "revoked" }
          }
        />
      ),
      value: (row) => row.revoked_time,
      width: "tight",
    },
    {
      name: "Created",
      cell: (row) => <TimeText moment={row.created_time} form="full" />,
      value: (row) => row.created_time,
      width: "tight",
    },
    { name: "Revoked", cell: (row) => <TimeText moment={row.revoked_time} form="full" />, width: "tight" },
    {
      name: "Actions",
      cell: (row) =>
        row.revoked_time === null && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Revoke ${row.name}`}
            onClick={() => revoke(row.name)}
          >
            Revoke
          </Button>
        ),
      width: "tight",
    },
  ];
}

function CreateToken({ close }: { close: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("reader");
  const create = useMutation({
    mutationFn: () => answered(api.POST("/api/v1/tokens", { body: { name: name.trim(), role } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["tokens"] }),
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Modal
      opened
      onClose={close}
      title="Create a token"
      size="md"
      closeOnClickOutside={create.data === undefined}
    >
      {create.data !== undefined ? (
        <div className="stack">
          <div>This is the token of {create.data.name}. It is shown once: copy it now.</div>
          <SqlText text={create.data.token} plain />
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </div>
      ) : (
        <form onSubmit={submit} className="stack">
          <TextInput
            label="Name of the user"
            size="sm"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <Select
            label="Role"
            size="sm"
            data={ROLES}
            value={role}
            allowDeselect={false}
            onChange={(chosen) => chosen !== null && setRole(chosen)}
          />
          {create.error !== null && <ErrorNotice error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Close
            </Button>
            <BusyButton type="submit" disabled={name.trim() === ""} busy={create.isPending} doing="Creating">
              Create
            </BusyButton>
          </Group>
        </form>
      )}
    </Modal>
  );
}

function RevokeToken({ name, close }: { name: string; close: () => void }) {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => answered(api.DELETE("/api/v1/tokens/{name}", { params: { path: { name } } })),
    onSuccess: close,
    onSettled: () => queries.invalidateQueries({ queryKey: ["tokens"] }),
  });
  return (
    <Modal opened onClose={close} title={`Revoke the token of ${name}`} size="md">
      <div className="stack">
        <div>Requests with this token are refused immediately. The name can be used again.</div>
        {revoke.error !== null && <ErrorNotice error={revoke.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Close
          </Button>
          <BusyButton
            color="red"
            busy={revoke.isPending}
            doing="Revoking"
            onClick={() => revoke.mutate()}
            data-autofocus
          >
            Revoke
          </BusyButton>
        </Group>
      </div>
    </Modal>
  );
}
