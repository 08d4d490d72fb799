import { useNow } from "../../app/context";
import { duration } from "../../format/durations";
import { secondsBetween } from "../../format/times";
import { ErrorNotice } from "../../parts/error-notice";
import { LoadingText } from "../../parts/loading";
import { LogText } from "../../parts/log-text";
import { StateText } from "../../parts/state-text";
import { STATES } from "../../parts/states";
import type { PythonRun } from "./python-run";

/** What a Python script prints, while it does. */
export function PythonOutput({ run: { view, error } }: { run: PythonRun }) {
  const now = useNow();
  return (
    <section className="dev-results" aria-label="Results" tabIndex={0}>
      <div className="card-body stack">
        {error !== null && <ErrorNotice error={error} />}
        {view === null ? (
          error === null && <LoadingText what="Starting the script" />
        ) : (
          <>
            <div className="state" style={{ gap: 12 }}>
              <StateText shown={STATES[view.state]} />
              <span className="quiet number">
                {duration(secondsBetween(view.start_time, view.end_time ?? now.toISOString()))}
              </span>
            </div>
            {view.error_message !== null && <ErrorNotice error={view.error_message} />}
            <LogText
              text={view.log}
              none={view.end_time === null ? "Nothing was printed yet." : "The script printed nothing."}
            />
          </>
        )}
      </div>
    </section>
  );
}
