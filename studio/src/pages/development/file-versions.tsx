import { Button, Group, Modal } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { files, fileVersionQuery, fileVersionsQuery, type FileDetails } from "../../api/files";
import type { Schemas } from "../../api/client";
import { count } from "../../format/numbers";
import { BusyButton } from "../../parts/busy-button";
import { DataTable, type Column } from "../../parts/data-table";
import { ErrorNotice } from "../../parts/error-notice";
import { Loaded } from "../../parts/loaded";
import { TimeText } from "../../parts/time-text";
import { Diff } from "./diff";

type Summary = Schemas["VersionSummary"];

interface FileVersionsProps {
  file: FileDetails;
  opened: boolean;
  close: () => void;
  restored: (version: FileDetails) => void;
}

/** Versions of a file: who made each, what it changed, and back to it. */
export function FileVersions({ file, opened, close, restored }: FileVersionsProps) {
  const [shown, setShown] = useState<number | null>(null);
  return (
    <Modal opened={opened} onClose={close} title={`Versions of ${file.name}`} size="90%">
      {opened && (
        <div className="columns-2" style={{ gridTemplateColumns: "minmax(360px, 1fr) 2fr" }}>
          <VersionList file={file} shown={shown} show={setShown} />
          {shown === null ? (
            <span className="quiet">Choose a version to compare it with the newest one.</span>
          ) : (
            <VersionDiff
              file={file}
              number={shown}
              restored={(version) => {
                restored(version);
                close();
              }}
            />
          )}
        </div>
      )}
    </Modal>
  );
}

function VersionList({
  file,
  shown,
  show,
}: {
  file: FileDetails;
  shown: number | null;
  show: (number: number) => void;
}) {
  const versions = useQuery(fileVersionsQuery(file.id));
  const columns: Column<Summary>[] = [
    { name: "Version", cell: (row) => row.version, width: "tight" },
    { name: "Saved", cell: (row) => <TimeText moment={row.created_time} form="ago" />, width: "tight" },
    { name: "Author", cell: (row) => row.author },
    { name: "Characters", cell: (row) => count(row.characters), align: "right", width: "tight" },
    {
      name: "Compare",
      cell: (row) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Compare version ${row.version}`}
          onClick={() => show(row.version)}
        >
          Compare
        </Button>
      ),
      width: "tight",
    },
  ];
  return (
    <Loaded query={versions} what="versions">
      {(rows) => (
        <DataTable
          label="Versions"
          rows={rows}
          columns={columns}
          rowKey={(row) => String(row.version)}
          selected={shown === null ? null : String(shown)}
        />
      )}
    </Loaded>
  );
}

interface VersionDiffProps {
  file: FileDetails;
  number: number;
  restored: (version: FileDetails) => void;
}

function VersionDiff({ file, number, restored }: VersionDiffProps) {
  const queries = useQueryClient();
  const version = useQuery(fileVersionQuery(file.id, number));
  const restore = useMutation({
    mutationFn: () => files.restoreVersion(file.id, number, file.version),
    onSuccess: (saved) => {
      queries.setQueryData(["files", "one", file.id], saved);
      restored(saved);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["files"] }),
  });
  return (
    <Loaded query={version} what={`version ${number}`}>
      {({ content }) => (
        <div className="stack">
          <Group justify="space-between">
            <strong>
              From version {number} to version {file.version}
            </strong>
            <BusyButton
              disabled={number === file.version}
              busy={restore.isPending}
              doing="Restoring"
              onClick={() => restore.mutate()}
            >
              Restore version {number}
            </BusyButton>
          </Group>
          {restore.error !== null && <ErrorNotice error={restore.error} />}
          <Diff before={content} after={file.content} language={file.kind === "PYTHON" ? "python" : "sql"} />
        </div>
      )}
    </Loaded>
  );
}
