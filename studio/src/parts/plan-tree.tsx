import type { Schemas } from "../api/client";
import { branches, detailText, metricText, type PlanBranch } from "./plan-branches";

/** A plan, each operator above its inputs. */
export function PlanTree({ label, plan }: { label: string; plan: Schemas["PlanTree"] }) {
  return (
    <div className="scroll" tabIndex={0}>
      <ul className="plan-tree" aria-label={label}>
        {branches(plan).map((branch) => (
          <Branch key={branch.node.id} branch={branch} />
        ))}
      </ul>
    </div>
  );
}

function Branch({ branch: { node, children } }: { branch: PlanBranch }) {
  return (
    <li>
      <div className="plan-node">
        <strong>{node.name}</strong>{" "}
        <span className="mono quiet" style={{ overflowWrap: "anywhere" }}>
          {detailText(node)}
        </span>
        {node.metrics !== undefined && node.metrics.length > 0 && (
          <div className="quiet" style={{ fontSize: "0.75rem" }}>
            {node.metrics.map(metricText).join(" · ")}
          </div>
        )}
      </div>
      {children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Branch key={child.node.id} branch={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
