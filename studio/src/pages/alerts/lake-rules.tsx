/** The rules of the whole lake, which only the person who runs the server can change: addresses contain secrets. */

import type { Schemas } from "../../api/client";
import { duration } from "../../format/durations";
import { Pairs } from "../../parts/card";
import { SqlText } from "../../parts/sql-text";
import { KINDS } from "./alert-kinds";
import { rulesAsSettings } from "./rule-settings";

export function LakeRules({ rules }: { rules: Schemas["AlertRules"] }) {
  return (
    <div className="stack">
      <Pairs
        pairs={[
          [
            "Sent to",
            rules.targets.length === 0
              ? "nobody: alerts are only listed here"
              : rules.targets.map((target, index) => (
                  <div key={index} className="mono">
                    {target}
                  </div>
                )),
          ],
          ["When", rules.kinds.map((kind) => KINDS[kind]).join(", ")],
          [
            "Late means",
            rules.lag_seconds === null ? "not set" : `a lag of more than ${duration(rules.lag_seconds)}`,
          ],
          [
            "Log held back",
            rules.held_log_mb === null ? "not watched" : `by a sync: more than ${rules.held_log_mb} MB`,
          ],
          ["Repeated after", duration(rules.repeat_seconds)],
        ]}
      />
      <div>
        <div className="quiet" style={{ marginBottom: 6 }}>
          These rules are edited in the file <code>lake.toml</code> of the lake, on the server, as addresses
          contain passwords; they apply when the server is started again. As they are now:
        </div>
        <SqlText text={rulesAsSettings(rules)} plain />
      </div>
    </div>
  );
}
