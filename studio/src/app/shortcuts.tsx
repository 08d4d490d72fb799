/** `?` lists the shortcuts; `g` and a letter goes to a page. */

import { Kbd, Modal } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { PAGES } from "./navigation";

const OPEN = "headrace:shortcuts";
const PAUSE_MILLISECONDS = 1200;
const OTHERS: [string, string][] = [
  ["Ctrl K", "Go to a page, table or task"],
  ["?", "Show these shortcuts"],
  ["/", "Filter the list of the page"],
  ["Ctrl Enter", "Run the statement at the cursor, or the selection"],
  ["Ctrl S", "Save a version of the file"],
];

export function openShortcuts(): void {
  window.dispatchEvent(new Event(OPEN));
}

export function Shortcuts() {
  const [opened, setOpened] = useState(false);
  const navigate = useNavigate();
  const pressed = useRef(0);
  useEffect(() => {
    const open = (): void => setOpened(true);
    window.addEventListener(OPEN, open);
    return () => window.removeEventListener(OPEN, open);
  }, []);
  const go = (to: string): void => {
    if (Date.now() - pressed.current < PAUSE_MILLISECONDS) void navigate({ to });
  };
  useHotkeys([
    ["shift+?", () => setOpened(true)],
    ["?", () => setOpened(true)],
    ["/", focusFilter],
    ["g", () => (pressed.current = Date.now())],
    ...PAGES.map(({ key, to }): [string, () => void] => [key, () => go(to)]),
  ]);
  return (
    <Modal opened={opened} onClose={() => setOpened(false)} title="Shortcuts" size="sm">
      <dl className="pairs">
        {OTHERS.map(([keys, meaning]) => (
          <Shortcut key={keys} keys={keys} meaning={meaning} />
        ))}
        {PAGES.map(({ key, label }) => (
          <Shortcut key={key} keys={`g ${key}`} meaning={label} />
        ))}
      </dl>
    </Modal>
  );
}

function Shortcut({ keys, meaning }: { keys: string; meaning: string }) {
  return (
    <>
      <dt>
        {keys.split(" ").map((key) => (
          <Kbd key={key} size="xs" mr={4}>
            {key}
          </Kbd>
        ))}
      </dt>
      <dd>{meaning}</dd>
    </>
  );
}

function focusFilter(): void {
  document.querySelector<HTMLInputElement>("input[data-filter]")?.focus();
}
