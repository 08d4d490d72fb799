/** All that is recorded of one refresh. */

import { Drawer } from "@mantine/core";

import type { Refresh } from "../../api/queries";
import { duration } from "../../format/durations";
import { bytes, count } from "../../format/numbers";
import { secondsBetween } from "../../format/times";
import { Pairs } from "../../parts/card";
import { capital, ErrorNotice } from "../../parts/error-notice";
import { ModeText, StateText } from "../../parts/state-text";
import { STATES } from "../../parts/states";
import { JobLink } from "../../parts/table-link";
import { TimeText } from "../../parts/time-text";
import { argumentsText, triggerText } from "./refresh-text";

export function RefreshDetails({ refresh, close }: { refresh: Refresh; close: () => void }) {
  const versions = Object.entries(refresh.source_versions);
  return (
    <Drawer opened onClose={close} position="right" size="lg" title={`Refresh of ${refresh.table}`}>
      <div className="stack">
        {refresh.error_message !== null && <ErrorNotice error={refresh.error_message} />}
        <Pairs
          pairs={[
            ["State", <StateText key="state" shown={STATES[refresh.state]} />],
            ["Mode", <ModeText key="mode" mode={refresh.mode} />],
            ["Reason", refresh.mode_reason === null ? null : capital(refresh.mode_reason)],
            ["Trigger", triggerText(refresh)],
            ["Started", <TimeText key="start" moment={refresh.start_time} form="full" />],
            ["Ended", <TimeText key="end" moment={refresh.end_time} form="full" />],
            ["Took", duration(secondsBetween(refresh.start_time, refresh.end_time))],
            ["Rows inserted", count(refresh.rows_inserted)],
            ["Rows deleted", count(refresh.rows_deleted)],
            ["Rows read", count(refresh.rows_read)],
            ["Bytes read", bytes(refresh.bytes_read)],
            ["Cluster", refresh.cluster],
            ["Cluster time", duration(refresh.cluster_seconds)],
            ["Arguments", argumentsText(refresh) ?? "none"],
            ["Partition", refresh.partition ?? "all"],
            ["Suspended because", refresh.suspended_reason ?? "not suspended"],
            ["Job", <JobLink key="job" job={refresh.job_id} />],
          ]}
        />
        {versions.length > 0 && (
          <div>
            <div className="fact-label">Versions of the sources</div>
            <Pairs
              pairs={versions.map(([table, version]) => [
                table,
                <VersionText key={table} version={version} />,
              ])}
            />
          </div>
        )}
      </div>
    </Drawer>
  );
}

function VersionText({ version }: { version: string }) {
  return <span className="mono">{version}</span>;
}
