/** JSON in which whole numbers may be larger than those of JavaScript: these remain text. */

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

const exact: Reviver = (_, value, context) => {
  const isRounded = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded ? (context?.source ?? value) : value;
};

export function exactJson(text: string): unknown {
  return JSON.parse(text, exact);
}
