/** What can be done with files and folders, by menus. */

import { ActionIcon, Menu } from "@mantine/core";
import {
  IconBolt,
  IconBrandPython,
  IconDotsVertical,
  IconFileTypeSql,
  IconFolder,
  IconPlus,
} from "@tabler/icons-react";

import { files as fileActions, type FileKind, type FileView } from "../../api/files";
import type { NameAsked } from "./name-dialog";

export const FILE_ICONS: Record<FileKind, typeof IconFolder> = {
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
  {
    kind: "PYTHON",
    label: "Python script",
    content:
      'import os\n\nimport headrace\n\nwith headrace.connect(os.environ["HEADRACE_URL"]) as lake:\n    print(lake.sql("SELECT 1 AS one"))\n',
  },
  { kind: "FOLDER", label: "Folder", content: "" },
];

/** What a file's menu may do; the id of a file is opened afterwards. */
export type Act = (step: () => Promise<string | null>) => void;

export interface FileMenu {
  create: (kind: FileKind, folder: string | null, content: string) => void;
  ask: (asked: NameAsked) => void;
  act: Act;
  /** Asks for the folder. */
  move: (file: FileView) => void;
}

export function EntryMenu({ file, menu }: { file: FileView; menu: FileMenu }) {
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
        <Menu.Item onClick={() => menu.move(file)}>Move</Menu.Item>
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

export function NewMenu({ folder, create }: { folder: string | null; create: FileMenu["create"] }) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <ActionIcon aria-label="New file or folder" variant="light" color="teal">
          <IconPlus size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {NEW.map(({ kind, label, content }) => {
          const Icon = FILE_ICONS[kind];
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
