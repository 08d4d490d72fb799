import { Tooltip } from "@mantine/core";

import { useNow, useZone } from "../app/context";
import { dateTime, relative, shortTime, upcoming, viewerZone } from "../format/times";

type Form = "ago" | "next" | "short" | "full";

interface TimeTextProps {
  moment: string | null | undefined;
  /** `ago`: how long ago; `next`: how soon; `short`: without the date if it is today; `full`: date and time. */
  form?: Form;
  absent?: string;
}

/** A moment in the lake's time zone; the viewer's is shown on hover. */
export function TimeText({ moment, form = "short", absent = "–" }: TimeTextProps) {
  const zone = useZone();
  const now = useNow(form === "ago" || form === "next" ? 1 : 60);
  if (moment == null) return <span className="quiet">{absent}</span>;
  return (
    <Tooltip label={<Zones moment={moment} zone={zone} />}>
      <time dateTime={moment} className="number" style={{ whiteSpace: "nowrap" }}>
        {textOf(moment, form, zone, now)}
      </time>
    </Tooltip>
  );
}

function textOf(moment: string, form: Form, zone: string, now: Date): string {
  switch (form) {
    case "ago":
      return relative(moment, now);
    case "next":
      return upcoming(moment, now);
    case "short":
      return shortTime(moment, zone, now);
    case "full":
      return dateTime(moment, zone);
  }
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
