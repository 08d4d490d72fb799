import { TextInput } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  IconBolt,
  IconChevronDown,
  IconChevronRight,
  IconDatabase,
  IconEye,
  IconFolder,
  IconSearch,
  IconTable,
  IconWaveSine,
} from "@tabler/icons-react";
import { type ReactNode, useState } from "react";

import type { Schemas } from "../../api/client";
import { objectsQuery, schemasQuery, streamsQuery } from "../../api/queries";
import type { TableName } from "../../format/names";
import { Loaded } from "../../parts/loaded";
import { byWorkspace, selectedContents, type CatalogObject, type SchemaContents } from "./tree-contents";

const ICONS: Record<CatalogObject["kind"], typeof IconTable> = {
  table: IconTable,
  "dynamic table": IconBolt,
  view: IconEye,
  stream: IconWaveSine,
};

export function CatalogTree({ selected }: { selected: TableName | null }) {
  const schemas = useQuery(schemasQuery);
  const [filter, setFilter] = useState("");
  return (
    <nav className="side-tree" aria-label="Objects">
      <div style={{ padding: 12 }}>
        <TextInput
          data-filter
          aria-label="Find objects"
          placeholder="Find tables, views, streams"
          leftSection={<IconSearch size={14} />}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      </div>
      <div
        className="scroll"
        style={{ flex: 1, padding: "0 8px 12px" }}
        tabIndex={0}
        role="group"
        aria-label="Workspaces"
      >
        <Loaded query={schemas} what="schemas">
          {(found) => (
            <WorkspaceList schemas={found} filter={filter.trim().toLowerCase()} selected={selected} />
          )}
        </Loaded>
      </div>
    </nav>
  );
}

interface WorkspaceListProps {
  schemas: Schemas["SchemaView"][];
  filter: string;
  selected: TableName | null;
}

function WorkspaceList({ schemas, filter, selected }: WorkspaceListProps) {
  const objects = useQueries({
    queries: schemas.map(({ workspace, schema }) => objectsQuery(workspace, schema)),
  });
  const streams = useQuery(streamsQuery).data ?? [];
  const contents = schemas.map((schema, index): SchemaContents => {
    const own = streams
      .filter((stream) => stream.workspace === schema.workspace && stream.schema === schema.schema)
      .map(({ name }): CatalogObject => ({ name, kind: "stream" }));
    return { ...schema, objects: [...(objects[index]?.data ?? []), ...own] };
  });
  const shown = selectedContents(contents, filter);
  const text = filter === "" ? "The lake has no tables yet." : "No object has such a name.";
  return (
    <>
      {byWorkspace(shown).map(([workspace, own]) => (
        <Branch
          key={workspace}
          level={1}
          label={workspace}
          icon={IconDatabase}
          count={own.reduce((sum, schema) => sum + schema.objects.length, 0)}
          isForcedOpen={filter !== ""}
        >
          {own.map((contents) => (
            <SchemaBranch
              key={contents.schema}
              contents={contents}
              selected={selected}
              isForcedOpen={filter !== ""}
            />
          ))}
        </Branch>
      ))}
      {shown.every(({ objects }) => objects.length === 0) && (
        <div className="quiet" style={{ padding: 10 }}>
          {text}
        </div>
      )}
    </>
  );
}

interface SchemaBranchProps {
  contents: SchemaContents;
  selected: TableName | null;
  isForcedOpen: boolean;
}

function SchemaBranch({ contents, selected, isForcedOpen }: SchemaBranchProps) {
  const { workspace, schema, objects } = contents;
  const isSelected = (name: string): boolean =>
    selected?.workspace === workspace && selected.schema === schema && selected.table === name;
  return (
    <Branch level={2} label={schema} icon={IconFolder} count={objects.length} isForcedOpen={isForcedOpen}>
      {objects.map(({ name, kind }) => (
        <ObjectLink
          key={`${kind} ${name}`}
          name={{ workspace, schema, table: name }}
          kind={kind}
          isSelected={isSelected(name)}
        />
      ))}
    </Branch>
  );
}

interface BranchProps {
  level: 1 | 2;
  label: string;
  icon: typeof IconTable;
  count: number;
  /** While objects are searched for, all that were found are shown. */
  isForcedOpen: boolean;
  children: ReactNode;
}

const KINDS = { 1: "workspace", 2: "schema" } as const;

function Branch({ level, label, icon: Icon, count, isForcedOpen, children }: BranchProps) {
  const [opened, setOpened] = useState(true);
  const isOpen = opened || isForcedOpen;
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <button
        type="button"
        className="tree-row"
        style={{ paddingLeft: indent(level) }}
        title={`${KINDS[level]} ${label}`}
        aria-expanded={isOpen}
        onClick={() => setOpened(!opened)}
      >
        <Chevron size={14} aria-hidden />
        <Icon size={15} stroke={1.6} aria-label={KINDS[level]} />
        <span className="tree-label" style={{ fontWeight: 600 }}>
          {label}
        </span>
        <span className="quiet number" style={{ marginLeft: "auto" }}>
          {count}
        </span>
      </button>
      {isOpen && children}
    </div>
  );
}

/** Names of a level begin below those of the level above. */
function indent(level: 1 | 2): number {
  return 10 + (level - 1) * 18;
}

interface ObjectLinkProps {
  name: TableName;
  kind: CatalogObject["kind"];
  isSelected: boolean;
}

function ObjectLink({ name: { workspace, schema, table }, kind, isSelected }: ObjectLinkProps) {
  const Icon = ICONS[kind];
  const shared = {
    className: `tree-row ${isSelected ? "active" : ""}`,
    style: { paddingLeft: 67 },
    title: `${kind} ${table}`,
    children: (
      <>
        <Icon size={15} stroke={1.6} aria-label={kind} />
        <span className="tree-label">{table}</span>
      </>
    ),
  };
  return kind === "stream" ? (
    <Link to="/streams" search={{ stream: `${workspace}.${schema}.${table}` }} {...shared} />
  ) : (
    <Link
      to="/catalog/$workspace/$schema/$object"
      params={{ workspace, schema, object: table }}
      aria-current={isSelected ? "page" : undefined}
      {...shared}
    />
  );
}
