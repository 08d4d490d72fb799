import { Button, Modal } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { IconTrash } from "@tabler/icons-react";
import { useState } from "react";

import { deletedFilesQuery, files, type FileView } from "../../api/files";
import { DataTable, type Column } from "../../parts/data-table";
import { ErrorNotice } from "../../parts/error-notice";
import { TimeText } from "../../parts/time-text";

/** Deleted files are kept, and can be restored at any time. */
export function DeletedFiles() {
  const deleted = useQuery(deletedFilesQuery).data ?? [];
  const [opened, setOpened] = useState(false);
  const queries = useQueryClient();
  const restore = useMutation({
    mutationFn: files.restore,
    onSettled: () => queries.invalidateQueries({ queryKey: ["files"] }),
  });
  if (deleted.length === 0) return null;
  const columns: Column<FileView>[] = [
    { name: "File", cell: (row) => row.path },
    { name: "Deleted", cell: (row) => <TimeText moment={row.deleted_time} form="ago" />, width: "tight" },
    {
      name: "Actions",
      cell: (row) => (
        <Button size="compact-xs" variant="default" onClick={() => restore.mutate(row.id)}>
          Restore
        </Button>
      ),
      width: "tight",
    },
  ];
  return (
    <div style={{ padding: 10, borderTop: "1px solid var(--line)" }}>
      <Button
        variant="subtle"
        color="gray"
        leftSection={<IconTrash size={14} />}
        onClick={() => setOpened(true)}
      >
        Deleted files ({deleted.length})
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Deleted files" size="lg">
        {restore.error !== null && <ErrorNotice error={restore.error} />}
        <DataTable label="Deleted files" rows={deleted} columns={columns} rowKey={(row) => row.id} />
      </Modal>
    </div>
  );
}
