/** Parameters of a query: each `SESSION_CONFIGS()['dt.args.name']` in it. */

import { quoteIdentifier, quoteString } from "../../format/names";

const PARAMETER = /\bSESSION_CONFIGS\s*\(\s*\)\s*\[\s*'dt\.args\.([^']+)'\s*\]/gi;

/** Their names, which know no case, in the order of their first use. */
export function queryParameters(query: string): string[] {
  return [...new Set([...query.matchAll(PARAMETER)].map(([, name = ""]) => name.toLowerCase()))];
}

/** The statement that gives a parameter its value in a session. */
export function setParameter(name: string, value: string): string {
  return `SET dt.args.${quoteIdentifier(name)} = ${quoteString(value)}`;
}
