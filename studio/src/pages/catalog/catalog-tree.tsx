import { TextInput } from "@mantine/core";
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  IconBolt,
  IconChevronDown,
  IconChevronRight,
  IconEye,
  IconSearch,
  IconTable,
} from "@tabler/icons-react";
import { useState } from "react";

import type { Schemas } from "../../api/client";
import { objectsQuery, schemasQuery } from "../../api/queries";
import type { TableName } from "../../format/names";
import { Loaded } from "../../parts/loaded";

type CatalogObject = Schemas["ObjectView"];

const ICONS: Record<CatalogObject["kind"], typeof IconTable> = {
  table: IconTable,
  "dynamic table": IconBolt,
  view: IconEye,
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
          placeholder="Find tables and views"
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
        aria-label="Schemas"
      >
        <Loaded query={schemas} what="schemas">
          {(found) => <SchemaList schemas={found} filter={filter.trim().toLowerCase()} selected={selected} />}
        </Loaded>
      </div>
    </nav>
  );
}

interface SchemaListProps {
  schemas: Schemas["SchemaView"][];
  filter: string;
  selected: TableName | null;
}

function SchemaList({ schemas, filter, selected }: SchemaListProps) {
  const objects = useQueries({
    queries: schemas.map(({ workspace, schema }) => objectsQuery(workspace, schema)),
  });
  if (schemas.length === 0)
    return (
      <div className="quiet" style={{ padding: 10 }}>
        The lake has no tables yet.
      </div>
    );
  return schemas.map(({ workspace, schema }, index) => {
    const all = objects[index]?.data ?? [];
    const shown = all.filter((each) => each.name.toLowerCase().includes(filter));
    if (filter !== "" && shown.length === 0) return null;
    return (
      <SchemaBranch
        key={`${workspace}.${schema}`}
        workspace={workspace}
        schema={schema}
        objects={shown}
        selected={selected}
      />
    );
  });
}

interface SchemaBranchProps {
  workspace: string;
  schema: string;
  objects: CatalogObject[];
  selected: TableName | null;
}

function SchemaBranch({ workspace, schema, objects, selected }: SchemaBranchProps) {
  const [opened, setOpened] = useState(true);
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  const isSelected = (name: string): boolean =>
    selected?.workspace === workspace && selected.schema === schema && selected.table === name;
  return (
    <div>
      <button type="button" className="tree-row" aria-expanded={opened} onClick={() => setOpened(!opened)}>
        <Chevron size={14} aria-hidden />
        <span className="tree-label" style={{ fontWeight: 600 }}>
          <span className="quiet">{workspace}.</span>
          {schema}
        </span>
        <span className="quiet number" style={{ marginLeft: "auto" }}>
          {objects.length}
        </span>
      </button>
      {opened &&
        objects.map(({ name, kind }) => {
          const Icon = ICONS[kind];
          return (
            <Link
              key={name}
              to="/catalog/$workspace/$schema/$object"
              params={{ workspace, schema, object: name }}
              className={`tree-row ${isSelected(name) ? "active" : ""}`}
              style={{ paddingLeft: 30 }}
              aria-current={isSelected(name) ? "page" : undefined}
              title={`${kind} ${name}`}
            >
              <Icon size={15} stroke={1.6} aria-label={kind} />
              <span className="tree-label">{name}</span>
            </Link>
          );
        })}
    </div>
  );
}
