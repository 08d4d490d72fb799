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

/** Decimals arrive as text. NULL comes last. */
export function compareCells(left: unknown, right: unknown): number {
  if (left == null || right == null) return left == null ? (right == null ? 0 : 1) : -1;
  const numbers = [Number(left), Number(right)] as const;
  if (!Number.isNaN(numbers[0]) && !Number.isNaN(numbers[1])) return numbers[0] - numbers[1];
  return plainText(left).localeCompare(plainText(right), "en");
}
