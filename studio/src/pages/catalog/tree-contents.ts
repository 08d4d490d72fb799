/** What the tree of the catalog shows: workspaces, their schemas, and objects whose names contain a text. */

import type { Schemas } from "../../api/client";

export interface CatalogObject {
  name: string;
  kind: Schemas["ObjectView"]["kind"] | "stream";
}

export interface SchemaContents {
  workspace: string;
  schema: string;
  objects: CatalogObject[];
}

/** Without a text, all; with one, schemas in which nothing is found are left out. */
export function selectedContents(schemas: SchemaContents[], text: string): SchemaContents[] {
  if (text === "") return schemas;
  return schemas
    .map((schema) => ({
      ...schema,
      objects: schema.objects.filter((each) => each.name.toLowerCase().includes(text)),
    }))
    .filter((schema) => schema.objects.length > 0);
}

export function byWorkspace(schemas: SchemaContents[]): [string, SchemaContents[]][] {
  const found = new Map<string, SchemaContents[]>();
  for (const each of schemas) found.set(each.workspace, [...(found.get(each.workspace) ?? []), each]);
  return [...found.entries()];
}
