/** `${name}` in a script stands for the value of a parameter; `bizdate` is the day, unless it is given. */

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_.]*)\}/g;

export function withParameters(text: string, given: Record<string, string>, today: string): string {
  const known: Record<string, string> = { bizdate: today, ...given };
  const once = (value: string): string =>
    value.replaceAll(REFERENCE, (found, name: string) => known[name] ?? found);
  return once(text).replaceAll(REFERENCE, (found, name: string) => once(known[name] ?? found));
}
