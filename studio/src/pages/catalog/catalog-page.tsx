/** Workspaces, schemas and what they contain; the page of one object beside the tree. */

import { getRouteApi } from "@tanstack/react-router";

import { EmptyState } from "../../parts/empty-state";
import { PageHeader } from "../../parts/page-header";
import { CatalogTree } from "./catalog-tree";
import { ObjectView } from "./object-view";

const route = getRouteApi("/catalog/$workspace/$schema/$object");

export function CatalogPage() {
  return (
    <div className="split">
      <CatalogTree selected={null} />
      <div className="page">
        <PageHeader title="Catalog" />
        <section className="card">
          <EmptyState
            title="Choose a table, view or dynamic table"
            text="The tree lists all schemas; the field above it finds objects as you type."
            sql="CREATE TABLE orders (id BIGINT, category STRING, amount DECIMAL(10, 2));"
          />
        </section>
      </div>
    </div>
  );
}

export function CatalogObjectPage() {
  const { workspace, schema, object } = route.useParams();
  const name = { workspace, schema, table: object };
  return (
    <div className="split">
      <CatalogTree selected={name} />
      <div className="page" key={`${workspace}.${schema}.${object}`}>
        <ObjectView name={name} />
      </div>
    </div>
  );
}
