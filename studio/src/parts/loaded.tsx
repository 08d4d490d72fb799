import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { ErrorNotice } from "./error-notice";
import { LoadingText } from "./loading";

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  what: string;
  children: (data: T) => ReactNode;
}

/** What a query has loaded; until then what is awaited, or the error. Old data stays while the server is away. */
export function Loaded<T>({ query, what, children }: LoadedProps<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error !== null) return <ErrorNotice error={query.error} retry={() => void query.refetch()} />;
  return (
    <div style={{ padding: 20 }} role="status">
      <LoadingText what={`Loading ${what}`} />
    </div>
  );
}
