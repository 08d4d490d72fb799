/** What surrounds every page: navigation, the command palette, shortcuts, the state of the connection. */

import { ActionIcon, Group, Kbd, Menu, Tooltip, useMantineColorScheme } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import {
  IconCommand,
  IconDeviceDesktop,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconPlugConnectedX,
  IconSun,
} from "@tabler/icons-react";
import { Suspense, useEffect, useState } from "react";

import { ApiError } from "../api/api-error";
import { answered, api } from "../api/client";
import { EventConnection } from "../api/events";
import { accountQuery } from "../api/queries";
import { ErrorNotice } from "../parts/error-notice";
import { Loading } from "../parts/loading";
import { CommandPalette, openPalette } from "./command-palette";
import { AccountContext, EventsContext, useAccount, useConnectionState } from "./context";
import icon from "./icon.svg";
import { ADMIN_PAGES, DATA_PAGES, WORK_PAGES, type PageLink } from "./navigation";
import { openShortcuts, Shortcuts } from "./shortcuts";
import { SignIn } from "./sign-in";

export function Shell() {
  const account = useQuery(accountQuery);
  if (account.error instanceof ApiError && account.error.needsSignIn) return <SignIn />;
  if (account.data !== undefined) {
    return (
      <AccountContext value={account.data}>
        <Connected />
      </AccountContext>
    );
  }
  if (account.error !== null) {
    return (
      <main className="page">
        <ErrorNotice error={account.error} retry={() => void account.refetch()} />
      </main>
    );
  }
  return <Loading what="Connecting to the server" />;
}

function Connected() {
  const queries = useQueryClient();
  const [events] = useState(() => new EventConnection(queries));
  useEffect(() => {
    events.open();
    return events.close;
  }, [events]);
  return (
    <EventsContext value={events}>
      <div className="shell">
        <SideBar />
        <div>
          <ConnectionBanner />
          <main>
            <Suspense fallback={<Loading what="Loading the page" />}>
              <Outlet />
            </Suspense>
          </main>
        </div>
      </div>
      <Notifications position="bottom-right" autoClose={8000} />
      <CommandPalette />
      <Shortcuts />
    </EventsContext>
  );
}

function SideBar() {
  return (
    <nav className="side" aria-label="Pages">
      <Link to="/" className="brand">
        <img src={icon} width={22} height={22} alt="" />
        Headrace Studio
      </Link>
      <SearchButton />
      {DATA_PAGES.map(navLink)}
      <div className="nav-heading">Work</div>
      {WORK_PAGES.map(navLink)}
      <div className="nav-heading">Administration</div>
      {ADMIN_PAGES.map(navLink)}
      <div style={{ flex: 1 }} />
      <Footer />
    </nav>
  );
}

function navLink({ to, label, icon: Icon }: PageLink) {
  return (
    <Link key={to} to={to} className="nav-link" activeOptions={{ exact: to === "/" }}>
      <Icon size={17} stroke={1.7} />
      {label}
    </Link>
  );
}

function SearchButton() {
  return (
    <button
      type="button"
      className="tree-row"
      style={{ border: "1px solid var(--line)", marginBottom: 10, justifyContent: "space-between" }}
      onClick={openPalette}
    >
      <Group gap={7} className="quiet">
        <IconCommand size={15} stroke={1.7} />
        Go to
      </Group>
      <Kbd size="xs">Ctrl K</Kbd>
    </button>
  );
}

function Footer() {
  const account = useAccount();
  return (
    <Group
      justify="space-between"
      wrap="nowrap"
      px={8}
      pt={10}
      style={{ borderTop: "1px solid var(--line)" }}
    >
      <div style={{ minWidth: 0 }}>
        <div className="tree-label" style={{ fontWeight: 550 }}>
          {account.user}
        </div>
        <div className="quiet" style={{ fontSize: "0.6875rem" }}>
          {account.time_zone} · {account.version}
        </div>
      </div>
      <Group gap={2} wrap="nowrap">
        <Tooltip label="Shortcuts (?)">
          <ActionIcon aria-label="Shortcuts" onClick={openShortcuts}>
            <IconKeyboard size={16} />
          </ActionIcon>
        </Tooltip>
        <ThemeMenu />
        {account.signed_in && <SignOut />}
      </Group>
    </Group>
  );
}

function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Icon = colorScheme === "dark" ? IconMoon : colorScheme === "light" ? IconSun : IconDeviceDesktop;
  return (
    <Menu position="top-end">
      <Menu.Target>
        <ActionIcon aria-label="Theme">
          <Icon size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconSun size={14} />} onClick={() => setColorScheme("light")}>
          Light
        </Menu.Item>
        <Menu.Item leftSection={<IconMoon size={14} />} onClick={() => setColorScheme("dark")}>
          Dark
        </Menu.Item>
        <Menu.Item leftSection={<IconDeviceDesktop size={14} />} onClick={() => setColorScheme("auto")}>
          As the system
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function SignOut() {
  const signOut = async (): Promise<void> => {
    await answered(api.POST("/api/v1/sign-out"));
    window.location.assign("/");
  };
  return (
    <Tooltip label="Sign out">
      <ActionIcon aria-label="Sign out" onClick={() => void signOut()}>
        <IconLogout size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

function ConnectionBanner() {
  const state = useConnectionState();
  if (state !== "lost") return null;
  return (
    <div className="banner" role="status">
      <IconPlugConnectedX size={16} />
      The connection to the server is lost. What is shown may be out of date; reconnecting.
    </div>
  );
}
