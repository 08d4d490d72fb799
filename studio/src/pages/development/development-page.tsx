/** Development: scripts in folders; written, run, scheduled and submitted. */

import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { IconX } from "@tabler/icons-react";
import { useEffect, useState } from "react";

import { filesQuery, type FileView } from "../../api/files";
import { EmptyState } from "../../parts/empty-state";
import { FileExplorer } from "./file-explorer";
import { FileEditor } from "./file-editor";
import { TutorialButton } from "./tutorial-button";

const route = getRouteApi("/development");
const OPENED = "headrace:opened-files";

export function DevelopmentPage() {
  const { file: current } = route.useSearch();
  const all = useQuery(filesQuery).data ?? [];
  const navigate = useNavigate({ from: route.id });
  const [opened, setOpened] = useState<string[]>(readOpened);
  const open = (id: string | undefined): void =>
    void navigate({ search: id === undefined ? {} : { file: id } });
  if (current !== undefined && !opened.includes(current)) setOpened([...opened, current]);
  useEffect(() => {
    document.title = "Development · Headrace Studio";
    sessionStorage.setItem(OPENED, JSON.stringify(opened));
  }, [opened]);
  const close = (id: string): void => {
    const rest = opened.filter((each) => each !== id);
    setOpened(rest);
    if (id === current) open(rest.at(-1));
  };
  return (
    <div className="split dev">
      <FileExplorer files={all} current={current ?? null} open={open} />
      <div className="dev-main">
        <FileTabs files={all} opened={opened} current={current} open={open} close={close} />
        {current === undefined ? (
          <Start hasFiles={all.length > 0} open={open} />
        ) : (
          <FileEditor key={current} id={current} />
        )}
      </div>
    </div>
  );
}

function readOpened(): string[] {
  const stored: unknown = JSON.parse(sessionStorage.getItem(OPENED) ?? "[]");
  return Array.isArray(stored) ? stored.filter((each): each is string => typeof each === "string") : [];
}

interface FileTabsProps {
  files: FileView[];
  opened: string[];
  current: string | undefined;
  open: (id: string) => void;
  close: (id: string) => void;
}

function FileTabs({ files, opened, current, open, close }: FileTabsProps) {
  const known = new Map(files.map((file) => [file.id, file]));
  const shown = opened.flatMap((id) => known.get(id) ?? []);
  return (
    <div className="dev-tabs" role="group" aria-label="Opened files">
      {shown.map((file) => (
        <div
          key={file.id}
          ref={file.id === current ? intoView : undefined}
          className={`dev-tab ${file.id === current ? "active" : ""}`}
        >
          <button
            type="button"
            className="dev-tab-name"
            aria-pressed={file.id === current}
            title={file.path}
            onClick={() => open(file.id)}
          >
            {file.name}
          </button>
          <button
            type="button"
            className="dev-tab-close"
            aria-label={`Close ${file.name}`}
            onClick={() => close(file.id)}
          >
            <IconX size={13} />
          </button>
        </div>
      ))}
    </div>
  );
}

function intoView(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function Start({ hasFiles, open }: { hasFiles: boolean; open: (id: string) => void }) {
  return (
    <div className="page">
      <h1 className="visually-hidden">Development</h1>
      <section className="card">
        <EmptyState
          title={hasFiles ? "Open a file" : "Write your first script"}
          text={`${hasFiles ? "Choose one on the left, or create one with +. " : ""}A file is a SQL script, a Python script or a dynamic table. It is run here, and submitted to run on a schedule.`}
        >
          {!hasFiles && <TutorialButton open={open} />}
        </EmptyState>
      </section>
    </div>
  );
}
