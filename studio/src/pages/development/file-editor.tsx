/** One file: the editor with its tools, results below, settings beside. */

import { Button, Group, Menu, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import {
  IconAdjustments,
  IconChevronDown,
  IconDeviceFloppy,
  IconHistory,
  IconPlayerPlay,
  IconPlayerStop,
  IconRocket,
  IconWand,
} from "@tabler/icons-react";
import { useRef, useState } from "react";

import { answered, api } from "../../api/client";
import { fileQuery, type FileDetails } from "../../api/files";
import { useNow, useZone } from "../../app/context";
import { day } from "../../format/times";
import { BusyButton } from "../../parts/busy-button";
import { capital, ErrorNotice } from "../../parts/error-notice";
import { Loaded } from "../../parts/loaded";
import { CodeEditor, setContent, showDiagnostics, type EditorHandle } from "./code-editor";
import { Conflict, OtherEditors } from "./conflict";
import { diagnosticOf, pythonDiagnostic } from "./diagnostics";
import { FileVersions } from "./file-versions";
import { PythonOutput } from "./python-output";
import { usePythonRun, type PythonRun } from "./python-run";
import { ResultPane } from "./result-pane";
import { useScriptRun, type ScriptRun } from "./script-run";
import { SettingsPanel } from "./settings-panel";
import { statementAt, statementsOf, type Piece } from "./statements";
import { SubmitDialog } from "./submit-dialog";
import { useCompletions } from "./completions";
import { useFile, type EditedFile } from "./use-file";

export function FileEditor({ id }: { id: string }) {
  const file = useQuery(fileQuery(id));
  return (
    <Loaded query={file} what="the file">
      {(found) => <OpenFile file={found} />}
    </Loaded>
  );
}

type Dialog = "versions" | "submit" | null;

function OpenFile({ file }: { file: FileDetails }) {
  const handle = useRef<EditorHandle>({ view: null });
  const edited = useFile(file, (content) => setContent(handle.current.view, content));
  const run = useScriptRun(file.id);
  const script = usePythonRun(file.id);
  const [dialog, setDialog] = useState<Dialog>(null);
  const [hasSettings, setHasSettings] = useState(false);
  const schema = useCompletions();
  const today = day(useNow(60), useZone());
  const isSql = file.kind !== "PYTHON";

  const start = async (pieces: Piece[]): Promise<void> => {
    showDiagnostics(handle.current.view, []);
    const failed = await run.run(pieces, edited.settings, today);
    if (failed !== null) {
      showDiagnostics(handle.current.view, [diagnosticOf(failed.error, failed.piece)]);
    }
  };
  const startPython = async (): Promise<void> => {
    showDiagnostics(handle.current.view, []);
    const ended = await script.run(edited.content, edited.settings.parameters);
    if (ended?.error_message == null) return;
    const found = pythonDiagnostic(edited.content, ended.log, ended.error_message);
    if (found !== null) showDiagnostics(handle.current.view, [found]);
  };
  const runChosen = (): void =>
    void (isSql ? start(chosenPieces(handle.current.view?.state ?? null)) : startPython());
  const format = async (): Promise<void> => {
    const body = { text: edited.content };
    try {
      setContent(handle.current.view, (await answered(api.POST("/api/v1/format", { body }))).text);
    } catch (error) {
      notifications.show({ message: capital((error as Error).message), color: "red" });
    }
  };
  const submit = async (): Promise<void> => {
    if ((await edited.save()) !== null) setDialog("submit");
  };
  return (
    <>
      <h1 className="visually-hidden">{file.path}</h1>
      <div className="dev-bar">
        {isSql ? (
          <RunTools
            run={run}
            runChosen={runChosen}
            runAll={() => void start(statementsOf(edited.content))}
            explain={() => void start(explained(edited.content))}
            isTable={file.kind === "DYNAMIC_TABLE"}
          />
        ) : (
          <RunPython run={script} start={runChosen} />
        )}
        {isSql && (
          <Button variant="default" leftSection={<IconWand size={14} />} onClick={() => void format()}>
            Format
          </Button>
        )}
        <Group gap={6} ml="auto" wrap="nowrap" miw={0}>
          <SavedText edited={edited} file={file} />
          <Tooltip label="Save a version (Ctrl S)">
            <BusyButton
              variant="default"
              leftSection={<IconDeviceFloppy size={14} />}
              busy={edited.isSaving}
              doing="Saving"
              disabled={!edited.isChanged}
              onClick={() => void edited.save()}
            >
              Save
            </BusyButton>
          </Tooltip>
          <Button
            variant="default"
            leftSection={<IconHistory size={14} />}
            onClick={() => setDialog("versions")}
          >
            Versions
          </Button>
          <Button
            variant={hasSettings ? "light" : "default"}
            leftSection={<IconAdjustments size={14} />}
            onClick={() => setHasSettings(!hasSettings)}
          >
            Settings
          </Button>
          <Button leftSection={<IconRocket size={14} />} onClick={() => void submit()}>
            Submit
          </Button>
        </Group>
      </div>
      <OtherEditors file={file} />
      {edited.isOutdated && <Conflict file={file} edited={edited} />}
      {edited.error !== null && <ErrorNotice error={edited.error} />}
      <div className="dev-body">
        <div className="dev-work">
          <CodeEditor
            handle={handle}
            content={edited.content}
            language={isSql ? "sql" : "python"}
            schema={schema}
            onChange={(content) => edited.change({ content })}
            onRun={runChosen}
            onSave={() => void edited.save()}
          />
          {(script.isRunning || script.view !== null || script.error !== null) && (
            <PythonOutput run={script} />
          )}
          {(run.results.length > 0 || run.isRunning) && (
            <ResultPane
              run={run}
              chart={edited.settings.chart}
              setChart={(chart) => edited.change({ settings: { ...edited.settings, chart } })}
            />
          )}
        </div>
        {hasSettings && (
          <SettingsPanel
            file={file}
            settings={edited.settings}
            onChange={(settings) => edited.change({ settings })}
          />
        )}
      </div>
      <FileVersions
        file={file}
        opened={dialog === "versions"}
        close={() => setDialog(null)}
        restored={edited.showVersion}
      />
      {dialog === "submit" && <SubmitDialog file={file} close={() => setDialog(null)} />}
    </>
  );
}

/** The selection, or the statement at the cursor. */
function chosenPieces(
  state: { doc: { toString: () => string }; selection: { main: { from: number; to: number } } } | null,
): Piece[] {
  if (state === null) return [];
  const text = state.doc.toString();
  const { from, to } = state.selection.main;
  if (from !== to) {
    return statementsOf(text.slice(from, to)).map((piece) => ({
      ...piece,
      from: piece.from + from,
      to: piece.to + from,
    }));
  }
  const found = statementAt(text, from);
  return found === null ? [] : [found];
}

/** Places in an explained statement are those behind the word EXPLAIN. */
function explained(content: string): Piece[] {
  return statementsOf(content)
    .slice(0, 1)
    .map((piece) => ({ ...piece, text: `EXPLAIN ${piece.text}` }));
}

interface RunToolsProps {
  run: ScriptRun;
  runChosen: () => void;
  runAll: () => void;
  explain: () => void;
  isTable: boolean;
}

function CancelButton({ cancel }: { cancel: () => void }) {
  return (
    <Button color="red" variant="light" leftSection={<IconPlayerStop size={14} />} onClick={cancel}>
      Cancel
    </Button>
  );
}

function RunPython({ run, start }: { run: PythonRun; start: () => void }) {
  if (run.isRunning) return <CancelButton cancel={run.cancel} />;
  return (
    <Tooltip label="Run the script (Ctrl Enter)">
      <Button leftSection={<IconPlayerPlay size={14} />} onClick={start}>
        Run
      </Button>
    </Tooltip>
  );
}

function RunTools({ run, runChosen, runAll, explain, isTable }: RunToolsProps) {
  if (run.isRunning) return <CancelButton cancel={run.cancel} />;
  return (
    <>
      <Button.Group>
        <Tooltip label="Run the selection, or the statement at the cursor (Ctrl Enter)">
          <Button leftSection={<IconPlayerPlay size={14} />} onClick={runChosen}>
            Run
          </Button>
        </Tooltip>
        <Menu position="bottom-start">
          <Menu.Target>
            <Button px={6} aria-label="Other ways to run">
              <IconChevronDown size={14} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={runAll}>Run all statements</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Button.Group>
      {isTable && (
        <Button variant="default" onClick={explain}>
          Explain
        </Button>
      )}
    </>
  );
}

function SavedText({ edited, file }: { edited: EditedFile; file: FileDetails }) {
  const text = !edited.isChanged
    ? versionText(file)
    : edited.draftSaved
      ? `draft of version ${edited.basedOn}, stored`
      : "changed";
  return (
    <span className="quiet tree-label" title={text}>
      {text}
    </span>
  );
}

function versionText({ version, deployed_version }: FileDetails): string {
  if (deployed_version === null) return `version ${version}`;
  return deployed_version === version
    ? `version ${version}, deployed`
    : `version ${version}, version ${deployed_version} deployed`;
}
