import type { Refresh } from "../../api/queries";

/** `newestFirst` are refreshes of the same table. */
export function lastEnded(last: Refresh | null, newestFirst: Refresh[]): Refresh | null {
  if (last === null || last.end_time !== null) return last;
  return newestFirst.find((each) => each.end_time !== null) ?? last;
}
