/** The rows of a short statement as a query. */

import { queryOptions } from "@tanstack/react-query";

import { StatementSession } from "./statements";

const sessions = [new StatementSession(), new StatementSession(), new StatementSession()];
let next = 0;

/** Statements of a session run one after the other; a page sends several at once. */
function someSession(): StatementSession {
  next = (next + 1) % sessions.length;
  return sessions[next] ?? new StatementSession();
}

/** `group` is the first part of the key, which events make stale. */
export function rowsQuery(group: string, statement: string, limit = 1000) {
  return queryOptions({
    queryKey: [group, "rows", statement, limit],
    queryFn: () => someSession().run(statement, { limit }),
    staleTime: 30_000,
  });
}
