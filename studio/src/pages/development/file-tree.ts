/** Files and folders as a tree. */

import type { Schemas } from "../../api/client";

export type FileView = Schemas["FileView"];

export interface TreeEntry {
  file: FileView;
  children: TreeEntry[];
}

export function fileTree(files: FileView[]): TreeEntry[] {
  const entries = new Map(files.map((file) => [file.id, { file, children: [] as TreeEntry[] }]));
  const roots: TreeEntry[] = [];
  for (const entry of entries.values()) {
    const parent = entry.file.folder_id === null ? undefined : entries.get(entry.file.folder_id);
    (parent?.children ?? roots).push(entry);
  }
  for (const entry of entries.values()) entry.children.sort(order);
  return roots.sort(order);
}

/** Folders first, then by name. */
function order(left: TreeEntry, right: TreeEntry): number {
  const isFolder = (entry: TreeEntry): number => (entry.file.kind === "FOLDER" ? 0 : 1);
  return (
    isFolder(left) - isFolder(right) || left.file.name.localeCompare(right.file.name, "en", { numeric: true })
  );
}
