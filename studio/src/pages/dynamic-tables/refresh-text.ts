import type { Refresh } from "../../api/queries";

export function triggerText({ trigger }: Refresh): string {
  return trigger === "MANUAL" ? "manual" : "schedule";
}

/** The values of the parameters of the query; null if it has none. */
export function argumentsText({ arguments: given }: Refresh): string | null {
  const named = Object.entries(given).map(([name, value]) => `${name} = ${value}`);
  return named.length === 0 ? null : named.join(", ");
}
