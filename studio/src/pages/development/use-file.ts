/** A file that is being edited: its contents, its draft, and what others do to it. */

import { useDebouncedCallback } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";

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
  /** Another version has been saved since. */
  isOutdated: boolean;
  change: (part: Partial<Pick<EditedFile, "content" | "settings">>) => void;
  save: () => Promise<FileDetails | null>;
  /** Continue with the text as it is, on top of the newest version. */
  keepMine: () => void;
  /** Continue with the newest version; the own text is discarded. */
  takeTheirs: () => Promise<string>;
}

/** The user's draft, or else the newest version. */
function startOf({ draft, content, settings, version }: FileDetails): Edited {
  if (draft === null) return { content, settings, based_on: version };
  return { content: draft.content, settings: draft.settings, based_on: draft.based_on };
}

export function useFile(file: FileDetails): EditedFile {
  const queries = useQueryClient();
  const [edited, setEdited] = useState<Edited>(() => startOf(file));
  const [draftSaved, setDraftSaved] = useState(file.draft !== null);
  const [draftError, setDraftError] = useState<unknown>(null);
  const isChanged =
    edited.content !== file.content || JSON.stringify(edited.settings) !== JSON.stringify(file.settings);
  const saveDraft = useDebouncedCallback((draft: Edited) => {
    files.saveDraft(file.id, draft).then(() => {
      setDraftSaved(true);
      setDraftError(null);
    }, setDraftError);
  }, PAUSE_MILLISECONDS);

  const connection = useConnectionState();
  const saveAgain = useEffectEvent(() => {
    if (draftError !== null) saveDraft(edited);
  });
  useEffect(() => {
    if (connection === "connected") saveAgain();
  }, [connection]);

  const change = (part: Partial<Edited>): void => {
    const next = { ...edited, ...part };
    setEdited(next);
    setDraftSaved(false);
    setDraftError(null);
    saveDraft(next);
  };
  const saving = useMutation({
    mutationFn: () => files.save(file.id, edited),
    onSuccess: (saved) => {
      saveDraft.cancel();
      setEdited((old) => ({ ...old, based_on: saved.version }));
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
  const takeTheirs = async (): Promise<string> => {
    saveDraft.cancel();
    await files.discardDraft(file.id);
    saving.reset();
    setEdited({ content: file.content, settings: file.settings, based_on: file.version });
    return file.content;
  };
  const isConflict = saving.error instanceof ApiError && saving.error.status === 409;
  return {
    content: edited.content,
    settings: edited.settings,
    basedOn: edited.based_on,
    isChanged,
    isSaving: saving.isPending,
    draftSaved,
    error: isConflict ? null : (saving.error ?? draftError),
    isOutdated: edited.based_on < file.version && isChanged,
    change,
    save,
    keepMine: () => {
      saving.reset();
      change({ based_on: file.version });
    },
    takeTheirs,
  };
}
