/** Two people edit one file: the second is told, and decides. */

import { Button, Group, Modal } from "@mantine/core";
import { IconUsers } from "@tabler/icons-react";
import { useState } from "react";

import type { FileDetails } from "../../api/files";
import { TimeText } from "../../parts/time-text";
import { Diff } from "./diff";
import type { EditedFile } from "./use-file";

export function OtherEditors({ file }: { file: FileDetails }) {
  if (file.editors.length === 0) return null;
  return (
    <div className="dev-bar" role="status">
      <span className="state state-info">
        <IconUsers size={15} aria-hidden />
        {file.editors.map((editor) => editor.user).join(", ")} {file.editors.length === 1 ? "is" : "are"}{" "}
        editing this file, too.
      </span>
    </div>
  );
}

interface ConflictProps {
  file: FileDetails;
  edited: EditedFile;
}

export function Conflict({ file, edited }: ConflictProps) {
  const [compared, setCompared] = useState(false);
  return (
    <div className="dev-bar" role="alert">
      <span className="state state-warn">
        <IconUsers size={15} aria-hidden />
        {file.modified_by} saved version {file.version}&nbsp;
        <TimeText moment={file.modified_time} form="ago" />; your text is based on version {edited.basedOn}.
      </span>
      <Group gap={6} ml="auto">
        <Button variant="default" onClick={() => setCompared(true)}>
          Compare
        </Button>
        <Button variant="default" onClick={edited.keepMine}>
          Keep mine
        </Button>
        <Button variant="default" onClick={() => void edited.takeTheirs()}>
          Take theirs
        </Button>
      </Group>
      <Modal
        opened={compared}
        onClose={() => setCompared(false)}
        title={`Version ${file.version} and your text`}
        size="90%"
      >
        <Diff
          before={file.content}
          after={edited.content}
          language={file.kind === "PYTHON" ? "python" : "sql"}
        />
      </Modal>
    </div>
  );
}
