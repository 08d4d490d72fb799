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

/** Where a file or folder can be moved to: every folder but its own, and none inside of itself. */
export function targetsOf(moved: FileView, files: FileView[]): FileView[] {
  const inside = new Set([moved.id]);
  for (let before = 0; before !== inside.size;) {
    before = inside.size;
    for (const file of files) if (file.folder_id !== null && inside.has(file.folder_id)) inside.add(file.id);
  }
  return files.filter(
    (file) => file.kind === "FOLDER" && !inside.has(file.id) && file.id !== moved.folder_id,
  );
}

/** Folders first, then by name. */
function order(left: TreeEntry, right: TreeEntry): number {
  const isFolder = (entry: TreeEntry): number => (entry.file.kind === "FOLDER" ? 0 : 1);
  return (
    isFolder(left) - isFolder(right) || left.file.name.localeCompare(right.file.name, "en", { numeric: true })
  );
}
