/** The rules of a lake as lake.toml has them; what is not set, or secret, is a comment. */

import type { Schemas } from "../../api/client";

export function rulesAsSettings({
  targets,
  kinds,
  lag_seconds,
  held_log_mb,
  repeat_seconds,
}: Schemas["AlertRules"]): string {
  return [
    "[settings.alerts]",
    targets.length === 0
      ? '# targets = ["jsons://host/path"]'
      : `# targets = (not shown: ${targets.join(", ")})`,
    "kinds = [",
    ...kinds.map((kind) => `  "${kind}",`),
    "]",
    lag_seconds === null ? "# lag_seconds = 600" : `lag_seconds = ${lag_seconds}`,
    ...(held_log_mb === null ? [] : [`held_log_mb = ${held_log_mb}`]),
    `repeat_seconds = ${repeat_seconds}`,
  ].join("\n");
}
