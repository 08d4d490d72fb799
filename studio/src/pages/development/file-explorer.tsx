/** The tree of files and folders. */

import { ActionIcon, Group, TextInput, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { IconChevronDown, IconChevronRight, IconSchool, IconSearch } from "@tabler/icons-react";
import { type DragEvent, useState } from "react";

import { files as fileActions, type FileKind, type FileView } from "../../api/files";
import { capital } from "../../parts/error-notice";
import { EntryMenu, FILE_ICONS, NewMenu, type FileMenu } from "./file-menu";
import { fileTree, targetsOf, type TreeEntry } from "./file-tree";
import { MoveDialog } from "./move-dialog";
import { DeletedFiles } from "./deleted-files";
import { NameDialog, type NameAsked } from "./name-dialog";

interface FileExplorerProps {
  files: FileView[];
  current: string | null;
  open: (id: string | undefined) => void;
}

export function FileExplorer({ files, current, open }: FileExplorerProps) {
  const [filter, setFilter] = useState("");
  const [asked, setAsked] = useState<NameAsked | null>(null);
  const [moved, setMoved] = useState<FileView | null>(null);
  const [dragged, setDragged] = useState<FileView | null>(null);
  const act = useFileAction(open);
  const shown =
    filter === ""
      ? files
      : files.filter(
          (file) => file.kind !== "FOLDER" && file.path.toLowerCase().includes(filter.toLowerCase()),
        );
  const create = (kind: FileKind, folder: string | null, content: string): void =>
    setAsked({
      title: kind === "FOLDER" ? "New folder" : "New file",
      name: "",
      submit: (name) =>
        act.mutate(async () => {
          const created = await fileActions.create(name, kind, folder, content);
          return kind === "FOLDER" ? null : created.id;
        }),
    });
  const move = (file: FileView, folder: string | null): void =>
    act.mutate(async () => {
      await fileActions.move(file.id, file.name, folder);
      return null;
    });
  const menu = { create, ask: setAsked, act: act.mutate, move: setMoved };
  const drag: Dragging = {
    dragged,
    begin: setDragged,
    canDrop: (folder) =>
      dragged !== null &&
      (folder === null
        ? dragged.folder_id !== null
        : targetsOf(dragged, files).some(({ id }) => id === folder)),
    drop: (folder) => {
      if (dragged !== null) move(dragged, folder);
      setDragged(null);
    },
  };
  return (
    <nav className="side-tree" aria-label="Files">
      <Group gap={6} p={12} wrap="nowrap">
        <TextInput
          data-filter
          aria-label="Find files"
          placeholder="Find files"
          leftSection={<IconSearch size={14} />}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
          style={{ flex: 1 }}
        />
        <NewMenu folder={null} create={create} />
        <Tooltip label="Create the tutorial">
          <ActionIcon
            aria-label="Create the tutorial"
            onClick={() =>
              act.mutate(async () => {
                await fileActions.createTutorial();
                return null;
              })
            }
          >
            <IconSchool size={16} />
          </ActionIcon>
        </Tooltip>
      </Group>
      <div
        className="scroll"
        style={{ flex: 1, padding: "0 8px" }}
        role="group"
        aria-label="Folders and files"
        tabIndex={0}
        {...dropTarget(drag, null)}
      >
        {fileTree(shown).map((entry) => (
          <Branch
            key={entry.file.id}
            entry={entry}
            depth={0}
            current={current}
            open={open}
            menu={menu}
            drag={drag}
          />
        ))}
      </div>
      <DeletedFiles />
      <NameDialog asked={asked} close={() => setAsked(null)} />
      {moved !== null && (
        <MoveDialog
          key={moved.id}
          file={moved}
          files={files}
          move={(folder) => move(moved, folder)}
          close={() => setMoved(null)}
        />
      )}
    </nav>
  );
}

function useFileAction(open: (id: string) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (step: () => Promise<string | null>) => step(),
    onSuccess: (id) => {
      if (id !== null) open(id);
    },
    onError: (error) =>
      notifications.show({ message: capital(error.message), color: "red", autoClose: 10_000 }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["files"] }),
  });
}

interface Dragging {
  dragged: FileView | null;
  begin: (file: FileView | null) => void;
  /** Whether it would be moved; null is the top level. */
  canDrop: (folder: string | null) => boolean;
  drop: (folder: string | null) => void;
}

function dropTarget(drag: Dragging, folder: string | null) {
  return {
    onDragOver: (event: DragEvent) => {
      event.stopPropagation();
      if (drag.canDrop(folder)) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      event.stopPropagation();
      event.preventDefault();
      if (drag.canDrop(folder)) drag.drop(folder);
    },
  };
}

interface BranchProps {
  entry: TreeEntry;
  depth: number;
  current: string | null;
  open: (id: string) => void;
  menu: FileMenu;
  drag: Dragging;
}

function Branch({ entry: { file, children }, depth, current, open, menu, drag }: BranchProps) {
  const [opened, setOpened] = useState(true);
  const isFolder = file.kind === "FOLDER";
  const Icon = FILE_ICONS[file.kind];
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <div
        className={`tree-line ${file.id === current ? "active" : ""}`}
        draggable
        onDragStart={() => drag.begin(file)}
        onDragEnd={() => drag.begin(null)}
        {...dropTarget(drag, isFolder ? file.id : file.folder_id)}
      >
        <button
          type="button"
          className="tree-row"
          style={{ paddingLeft: 8 + depth * 16 }}
          aria-expanded={isFolder ? opened : undefined}
          aria-current={file.id === current ? "page" : undefined}
          title={file.path}
          onClick={() => (isFolder ? setOpened(!opened) : open(file.id))}
        >
          {isFolder ? <Chevron size={13} aria-hidden /> : <span style={{ width: 13, flex: "none" }} />}
          <Icon size={15} stroke={1.6} aria-hidden />
          <span className="tree-label">{file.name}</span>
        </button>
        <EntryMenu file={file} menu={menu} />
      </div>
      {isFolder &&
        opened &&
        children.map((child) => (
          <Branch
            key={child.file.id}
            entry={child}
            depth={depth + 1}
            current={current}
            open={open}
            menu={menu}
            drag={drag}
          />
        ))}
    </div>
  );
}
