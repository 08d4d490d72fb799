import { Tooltip } from "@mantine/core";

import { useNow, useZone } from "../app/context";
import { dateTime, relative, shortTime, viewerZone } from "../format/times";

interface TimeTextProps {
  moment: string | null | undefined;
  /** `ago`: how long ago; `short`: without the date if it is today; `full`: date and time. */
  form?: "ago" | "short" | "full";
  absent?: string;
}

/** A moment in the lake's time zone; the viewer's is shown on hover. */
export function TimeText({ moment, form = "short", absent = "–" }: TimeTextProps) {
  const zone = useZone();
  const now = useNow(form === "ago" ? 1 : 60);
  if (moment == null) return <span className="quiet">{absent}</span>;
  const shown =
    form === "ago"
      ? relative(moment, now)
      : form === "short"
        ? shortTime(moment, zone, now)
        : dateTime(moment, zone);
  return (
    <Tooltip label={<Zones moment={moment} zone={zone} />}>
      <time dateTime={moment} className="number" style={{ whiteSpace: "nowrap" }}>
        {shown}
      </time>
    </Tooltip>
  );
}

function Zones({ moment, zone }: { moment: string; zone: string }) {
  return (
    <div className="number">
      <div>
        {dateTime(moment, zone)} {zone}
      </div>
      {viewerZone !== zone && (
        <div>
          {dateTime(moment, viewerZone)} {viewerZone} (here)
        </div>
      )}
    </div>
  );
}
