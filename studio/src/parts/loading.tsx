import { IconLoader2 } from "@tabler/icons-react";

/** What is being waited for, in words. */
export function Loading({ what }: { what: string }) {
  return (
    <div className="page" role="status">
      <LoadingText what={what} />
    </div>
  );
}

export function LoadingText({ what }: { what: string }) {
  return (
    <span className="state state-quiet">
      <IconLoader2 size={15} className="spin" aria-hidden />
      {what}…
    </span>
  );
}
