/** Development files: what is loaded, and what is done with them. */

import { queryOptions } from "@tanstack/react-query";

import { answered, api, type Schemas } from "./client";

export type FileView = Schemas["FileView"];
export type FileKind = Schemas["FileKind"];
export type Chart = Required<Schemas["Chart"]>;

/** The server sends all settings; a request may omit those that have a default. */
export interface FileSettings extends Required<Omit<Schemas["FileSettings"], "chart">> {
  chart: Chart | null;
}

export interface FileDetails extends Omit<Schemas["FileDetails"], "settings" | "draft"> {
  settings: FileSettings;
  draft: (Omit<Schemas["DraftView"], "settings"> & { settings: FileSettings }) | null;
}
export type Plan = Schemas["Plan"];

const ALL = 10_000;

export const filesQuery = queryOptions({
  queryKey: ["files", "all"],
  queryFn: async () =>
    (await answered(api.GET("/api/v1/files", { params: { query: { limit: ALL } } }))).items,
});

export const deletedFilesQuery = queryOptions({
  queryKey: ["files", "deleted"],
  queryFn: async () =>
    (await answered(api.GET("/api/v1/files", { params: { query: { limit: ALL, deleted: true } } }))).items,
});

/** What has defaults is sent, too. */
async function complete(call: Parameters<typeof answered<Schemas["FileDetails"]>>[0]): Promise<FileDetails> {
  return (await answered(call)) as FileDetails;
}

export function fileQuery(id: string) {
  return queryOptions({
    queryKey: ["files", "one", id],
    queryFn: () => complete(api.GET("/api/v1/files/{file_id}", { params: { path: { file_id: id } } })),
  });
}

export function fileVersionsQuery(id: string) {
  return queryOptions({
    queryKey: ["files", "versions", id],
    queryFn: async () =>
      (
        await answered(
          api.GET("/api/v1/files/{file_id}/versions", {
            params: { path: { file_id: id }, query: { limit: ALL } },
          }),
        )
      ).items,
  });
}

export function fileVersionQuery(id: string, number: number) {
  return queryOptions({
    queryKey: ["files", "version", id, number],
    queryFn: () =>
      answered(
        api.GET("/api/v1/files/{file_id}/versions/{number}", { params: { path: { file_id: id, number } } }),
      ),
    staleTime: Infinity,
  });
}

export interface Edited {
  content: string;
  settings: FileSettings;
  /** The version that was edited. */
  based_on: number;
}

const path = (id: string) => ({ params: { path: { file_id: id } } });

export const files = {
  create: (name: string, kind: FileKind, folder: string | null, content = "") =>
    answered(api.POST("/api/v1/files", { body: { name, kind, folder_id: folder, content } })),
  createTutorial: () => answered(api.POST("/api/v1/files/tutorial")),
  save: (id: string, edited: Edited) =>
    complete(api.PUT("/api/v1/files/{file_id}", { ...path(id), body: edited })),
  saveDraft: (id: string, edited: Edited, keepalive = false) =>
    answered(api.PUT("/api/v1/files/{file_id}/draft", { ...path(id), body: edited, keepalive })),
  discardDraft: (id: string) => answered(api.DELETE("/api/v1/files/{file_id}/draft", path(id))),
  move: (id: string, name: string, folder: string | null) =>
    answered(api.POST("/api/v1/files/{file_id}/move", { ...path(id), body: { name, folder_id: folder } })),
  remove: (id: string) => answered(api.DELETE("/api/v1/files/{file_id}", path(id))),
  restore: (id: string) => answered(api.POST("/api/v1/files/{file_id}/restore", path(id))),
  restoreVersion: (id: string, version: number, basedOn: number) =>
    complete(
      api.POST("/api/v1/files/{file_id}/versions/restore", {
        ...path(id),
        body: { version, based_on: basedOn },
      }),
    ),
  plan: (id: string) => answered(api.POST("/api/v1/files/{file_id}/plan", path(id))),
  submit: (id: string, version: number) =>
    answered(api.POST("/api/v1/files/{file_id}/submit", { ...path(id), body: { version } })),
};
