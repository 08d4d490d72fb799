/** The server's API, with the types of its own description. */

import createClient from "openapi-fetch";

import { exactJson } from "./exact-json";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];
export type Place = Schemas["Place"];

/** What the server refuses, or that it cannot be reached. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly kind: string,
    readonly status: number,
    readonly hint: string | null = null,
    readonly place: Place | null = null,
  ) {
    super(message);
  }

  get isUnreachable(): boolean {
    return this.status === 0;
  }

  get needsSignIn(): boolean {
    return this.status === 401 && this.message !== "the request comes from the page of another site";
  }
}

export const api = createClient<paths>({ baseUrl: window.location.origin, fetch: exactFetch });

/** Versions of tables are larger than the whole numbers of JavaScript. */
async function exactFetch(request: Request): Promise<Response> {
  const response = await fetch(request);
  response.json = async () => exactJson(await response.text());
  return response;
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The data of an answer; otherwise an `ApiError`. */
export async function answered<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await call;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new ApiError("the server cannot be reached", "OperationalError", 0, "is `headrace serve` running?");
  }
  if (!answer.response.ok) throw failure(answer.error, answer.response.status);
  return answer.data as T;
}

export function failure(body: unknown, status: number): ApiError {
  const error = (body as Partial<Schemas["Failure"]> | undefined)?.error;
  if (error === undefined)
    return new ApiError(`the server answered with status ${status}`, "InternalError", status);
  return new ApiError(error.message, error.kind, status, error.hint, error.place);
}
