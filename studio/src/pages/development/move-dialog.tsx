import { Button, Group, Modal } from "@mantine/core";
import { useState } from "react";

import { ChoiceField } from "../../parts/fields";
import { targetsOf, type FileView } from "./file-tree";

const TOP = "";

interface MoveDialogProps {
  file: FileView;
  files: FileView[];
  /** Into the folder with the id; null is the top level. */
  move: (folder: string | null) => void;
  close: () => void;
}

/** Moves a file or folder into another folder. */
export function MoveDialog({ file, files, move, close }: MoveDialogProps) {
  const choices = [
    ...(file.folder_id === null ? [] : [{ value: TOP, label: "the top level" }]),
    ...targetsOf(file, files).map((folder) => ({ value: folder.id, label: folder.path })),
  ];
  const [chosen, setChosen] = useState(choices[0]?.value ?? TOP);
  const submit = (): void => {
    move(chosen === TOP ? null : chosen);
    close();
  };
  return (
    <Modal opened onClose={close} title={`Move ${file.name}`} size="sm">
      {choices.length === 0 ? (
        <span className="quiet">There is no other folder. Create one first.</span>
      ) : (
        <ChoiceField label="Into" value={chosen} onChange={setChosen} choices={choices} />
      )}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          Close
        </Button>
        <Button disabled={choices.length === 0} onClick={submit}>
          Move
        </Button>
      </Group>
    </Modal>
  );
}
