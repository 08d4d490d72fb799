/** What all pages share: the user, the lake's time zone, the event stream, the time. */

import { createContext, use, useEffect, useState, useSyncExternalStore } from "react";

import type { ConnectionState, EventConnection } from "../api/events";
import type { Account } from "../api/queries";

export const AccountContext = createContext<Account | null>(null);
export const EventsContext = createContext<EventConnection | null>(null);

export function useAccount(): Account {
  const account = use(AccountContext);
  if (account === null) throw new Error("the account is known only below the shell");
  return account;
}

export function useZone(): string {
  return useAccount().time_zone;
}

function useEvents(): EventConnection {
  const events = use(EventsContext);
  if (events === null) throw new Error("events are known only below the shell");
  return events;
}

export function useConnectionState(): ConnectionState {
  const events = useEvents();
  return useSyncExternalStore(events.subscribe, () => events.state);
}

/** What a running statement reports. */
export function useProgress(job: string | null): string | null {
  const events = useEvents();
  const progress = useSyncExternalStore(events.subscribe, () => events.progress);
  return job === null ? null : (progress.get(job) ?? null);
}

/** The time, so many seconds apart. */
export function useNow(seconds = 1): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(new Date()), seconds * 1000);
    return () => window.clearInterval(timer);
  }, [seconds]);
  return now;
}
