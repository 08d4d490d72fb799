import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { ErrorNotice } from "./error-notice";
import { LoadingText } from "./loading";
import { PageHeader } from "./page-header";

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  what: string;
  /** The heading of a page that has no other until it is loaded. */
  title?: string;
  children: (data: T) => ReactNode;
}

/** What a query has loaded; until then what is awaited, or the error. Old data stays while the server is away. */
export function Loaded<T>({ query, what, title, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  return (
    <>
      {title !== undefined && <PageHeader title={title} />}
      {query.error !== null ? (
        <ErrorNotice error={query.error} retry={() => void query.refetch()} />
      ) : (
        <div style={{ padding: 20 }} role="status">
          <LoadingText what={`Loading ${what}`} />
        </div>
      )}
    </>
  );
}
