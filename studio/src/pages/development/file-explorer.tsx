import { ActionIcon, Group, Menu, TextInput, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import {
  IconBolt,
  IconBrandPython,
  IconChevronDown,
  IconChevronRight,
  IconDotsVertical,
  IconFileTypeSql,
  IconFolder,
  IconPlus,
  IconSchool,
  IconSearch,
} from "@tabler/icons-react";
import { useState } from "react";

import { files as fileActions, type FileKind, type FileView } from "../../api/files";
import { capital } from "../../parts/error-notice";
import { fileTree, type TreeEntry } from "./file-tree";
import { DeletedFiles } from "./deleted-files";
import { NameDialog, type NameAsked } from "./name-dialog";

const ICONS: Record<FileKind, typeof IconFolder> = {
  FOLDER: IconFolder,
  SQL: IconFileTypeSql,
  PYTHON: IconBrandPython,
  DYNAMIC_TABLE: IconBolt,
};
const NEW: { kind: FileKind; label: string; content: string }[] = [
  { kind: "SQL", label: "SQL script", content: "SELECT 1;\n" },
  {
    kind: "DYNAMIC_TABLE",
    label: "Dynamic table",
    content: "CREATE DYNAMIC TABLE name\nREFRESH INTERVAL 1 MINUTE\nAS SELECT ...\nFROM ...;\n",
  },
  { kind: "PYTHON", label: "Python script", content: "" },
  { kind: "FOLDER", label: "Folder", content: "" },
];

interface FileExplorerProps {
  files: FileView[];
  current: string | null;
  open: (id: string | undefined) => void;
}

export function FileExplorer({ files, current, open }: FileExplorerProps) {
  const [filter, setFilter] = useState("");
  const [asked, setAsked] = useState<NameAsked | null>(null);
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
      submit: (name) => act.mutate(async () => (await fileActions.create(name, kind, folder, content)).id),
    });
  const menu = { create, ask: setAsked, act: act.mutate };
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
      >
        {fileTree(shown).map((entry) => (
          <Branch key={entry.file.id} entry={entry} depth={0} current={current} open={open} menu={menu} />
        ))}
      </div>
      <DeletedFiles />
      <NameDialog asked={asked} close={() => setAsked(null)} />
    </nav>
  );
}

/** What a file's menu may do; the id of a file is opened afterwards. */
type Act = (step: () => Promise<string | null>) => void;

interface FileMenu {
  create: (kind: FileKind, folder: string | null, content: string) => void;
  ask: (asked: NameAsked) => void;
  act: Act;
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

interface BranchProps {
  entry: TreeEntry;
  depth: number;
  current: string | null;
  open: (id: string) => void;
  menu: FileMenu;
}

function Branch({ entry: { file, children }, depth, current, open, menu }: BranchProps) {
  const [opened, setOpened] = useState(true);
  const isFolder = file.kind === "FOLDER";
  const Icon = ICONS[file.kind];
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <div className={`tree-line ${file.id === current ? "active" : ""}`}>
        <button
          type="button"
          className="tree-row"
          style={{ paddingLeft: 8 + depth * 16 }}
          aria-expanded={isFolder ? opened : undefined}
          aria-current={file.id === current ? "page" : undefined}
          title={file.path}
          onClick={() => (isFolder ? setOpened(!opened) : open(file.id))}
        >
          {isFolder ? <Chevron size={13} aria-hidden /> : <span style={{ width: 13 }} />}
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
          />
        ))}
    </div>
  );
}

function EntryMenu({ file, menu }: { file: FileView; menu: FileMenu }) {
  const rename = (): void =>
    menu.ask({
      title: `Rename ${file.name}`,
      name: file.name,
      submit: (name) =>
        menu.act(async () => {
          await fileActions.move(file.id, name, file.folder_id);
          return null;
        }),
    });
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <ActionIcon size="xs" className="tree-menu" aria-label={`Actions for ${file.name}`}>
          <IconDotsVertical size={13} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {file.kind === "FOLDER" &&
          NEW.map(({ kind, label, content }) => (
            <Menu.Item key={kind} onClick={() => menu.create(kind, file.id, content)}>
              New {label.toLowerCase().replace("sql", "SQL").replace("python", "Python")}
            </Menu.Item>
          ))}
        <Menu.Item onClick={rename}>Rename</Menu.Item>
        <Menu.Item
          color="red"
          onClick={() =>
            menu.act(async () => {
              await fileActions.remove(file.id);
              return null;
            })
          }
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function NewMenu({ folder, create }: { folder: string | null; create: FileMenu["create"] }) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <ActionIcon aria-label="New file or folder" variant="light" color="teal">
          <IconPlus size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {NEW.map(({ kind, label, content }) => {
          const Icon = ICONS[kind];
          return (
            <Menu.Item
              key={kind}
              leftSection={<Icon size={14} />}
              onClick={() => create(kind, folder, content)}
            >
              {label}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
