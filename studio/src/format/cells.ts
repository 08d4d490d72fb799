/** Values of results as text. */

/** An absent value is no text. */
export function plainText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    default:
      return value === null || value === undefined ? "" : JSON.stringify(value);
  }
}
