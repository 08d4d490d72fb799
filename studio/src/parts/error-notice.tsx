import { Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

import { ApiError } from "../api/api-error";

/** What went wrong, where in the statement, what to do, and a way to try again. */
export function ErrorNotice({ error, retry }: { error: unknown; retry?: () => void }) {
  const found = error instanceof ApiError ? error : null;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div className="card" role="alert" style={{ borderColor: "var(--bad)" }}>
      <div className="card-body" style={{ display: "flex", gap: 12 }}>
        <IconAlertTriangle size={18} color="var(--bad)" style={{ flex: "none" }} aria-hidden />
        <div style={{ flex: 1, minWidth: 0 }}>
          <div style={{ fontWeight: 600, overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
            {capital(message)}
          </div>
          {found?.place != null && <PlaceText place={found.place} />}
          {found?.hint != null && <div className="quiet">{capital(found.hint)}</div>}
        </div>
        {retry !== undefined && (
          <Button variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}

function PlaceText({ place }: { place: NonNullable<ApiError["place"]> }) {
  return (
    <pre className="mono" style={{ margin: "6px 0", overflow: "auto" }}>
      {`${place.source_line}\n${" ".repeat(Math.max(0, place.column - 1))}${"^".repeat(Math.max(1, place.length ?? 1))}`}
      {`  line ${place.line}, column ${place.column}`}
    </pre>
  );
}

/** As a sentence begins; a name stays as it is written. */
export function capital(text: string): string {
  if (!/^[a-z]+($|[\s,:;.'-])/.test(text) || /^\w+ = /.test(text)) return text;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
