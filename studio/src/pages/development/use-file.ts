/** A file that is being edited: its contents, its draft, and what others do to it. */

import { useDebouncedCallback } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";

import { ApiError } from "../../api/api-error";
import { useConnectionState } from "../../app/context";
import { files, type Edited, type FileDetails, type FileSettings } from "../../api/files";

const PAUSE_MILLISECONDS = 800;

export interface EditedFile {
  content: string;
  settings: FileSettings;
  /** The version that is edited. */
  basedOn: number;
  isChanged: boolean;
  isSaving: boolean;
  draftSaved: boolean;
  error: unknown;
  /** Another version has been saved since; a text that the user has not changed follows it. */
  isOutdated: boolean;
  change: (part: Partial<Pick<EditedFile, "content" | "settings">>) => void;
  save: () => Promise<FileDetails | null>;
  /** Continue with the text as it is, on top of the newest version. */
  keepMine: () => void;
  /** Continue with the newest version; the own text is discarded. */
  takeTheirs: () => Promise<void>;
  /** Continue with a version that was restored; the own text is discarded. */
  showVersion: (restored: FileDetails) => void;
}

/** The user's draft, or else the newest version. */
function startOf({ draft, content, settings, version }: FileDetails): Edited {
  if (draft === null) return { content, settings, based_on: version };
  return { content: draft.content, settings: draft.settings, based_on: draft.based_on };
}

type Text = Pick<Edited, "content" | "settings">;

function isSame(left: Text, right: Text): boolean {
  return left.content === right.content && JSON.stringify(left.settings) === JSON.stringify(right.settings);
}

/** `show` puts a text into the editor. */
export function useFile(file: FileDetails, show: (content: string) => void): EditedFile {
  const queries = useQueryClient();
  const [edited, setEdited] = useState<Edited>(() => startOf(file));
  const [base, setBase] = useState<Text | null>(() => (file.draft === null ? file : null));
  const latest = useRef(edited);
  const put = (next: Edited): void => {
    latest.current = next;
    setEdited(next);
  };
  const [draftSaved, setDraftSaved] = useState(file.draft !== null);
  const [draftError, setDraftError] = useState<unknown>(null);
  const isChanged = !isSame(edited, file);
  const isUntouched = base !== null && isSame(edited, base);
  const saveDraft = useDebouncedCallback(
    (draft: Edited) => {
      files.saveDraft(file.id, draft).then(() => {
        setDraftSaved(true);
        setDraftError(null);
      }, setDraftError);
    },
    { delay: PAUSE_MILLISECONDS, flushOnUnmount: true },
  );
  const keepText = useEffectEvent(() => {
    if (isSame(latest.current, file)) return;
    const draft = { ...latest.current, modified_time: file.modified_time };
    queries.setQueryData<FileDetails>(["files", "one", file.id], (old) => old && { ...old, draft });
  });
  const leave = useEffectEvent(() => {
    if (!saveDraft.isPending()) return;
    saveDraft.cancel();
    void files.saveDraft(file.id, latest.current, true);
  });
  useEffect(() => {
    const leaving = (): void => leave();
    window.addEventListener("pagehide", leaving);
    return () => {
      window.removeEventListener("pagehide", leaving);
      keepText();
    };
  }, []);

  const connection = useConnectionState();
  const saveAgain = useEffectEvent(() => {
    if (draftError !== null) saveDraft(edited);
  });
  useEffect(() => {
    if (connection === "connected") saveAgain();
  }, [connection]);

  const change = (part: Partial<Edited>): void => {
    const next = { ...latest.current, ...part };
    if (next.based_on === latest.current.based_on && isSame(next, latest.current)) return;
    put(next);
    setDraftSaved(false);
    setDraftError(null);
    saveDraft(next);
  };
  const saving = useMutation({
    mutationFn: () => files.save(file.id, latest.current),
    onSuccess: (saved) => {
      const next = { ...latest.current, based_on: saved.version };
      put(next);
      setBase(saved);
      if (isSame(next, saved)) saveDraft.cancel();
      else saveDraft(next);
      queries.setQueryData(["files", "one", file.id], saved);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["files"] }),
  });
  const save = async (): Promise<FileDetails | null> => {
    if (!isChanged) return file;
    try {
      return await saving.mutateAsync();
    } catch (error) {
      if (error instanceof ApiError) return null;
      throw error;
    }
  };
  const showVersion = (shown: FileDetails): void => {
    saveDraft.cancel();
    saving.reset();
    put({ content: shown.content, settings: shown.settings, based_on: shown.version });
    setBase(shown);
    show(shown.content);
  };
  const takeTheirs = async (): Promise<void> => {
    saveDraft.cancel();
    await files.discardDraft(file.id);
    showVersion(file);
  };
  const follow = useEffectEvent(() => {
    if (edited.based_on < file.version && isUntouched) showVersion(file);
  });
  useEffect(() => {
    follow();
  }, [file.version]);
  const isConflict = saving.error instanceof ApiError && saving.error.status === 409;
  return {
    content: edited.content,
    settings: edited.settings,
    basedOn: edited.based_on,
    isChanged,
    isSaving: saving.isPending,
    draftSaved,
    error: isConflict ? null : (saving.error ?? draftError),
    isOutdated: edited.based_on < file.version && isChanged && !isUntouched,
    change,
    save,
    keepMine: () => {
      saving.reset();
      change({ based_on: file.version });
    },
    takeTheirs,
    showVersion,
  };
}
