/** The server's API, with the types of its own description. */

import createClient from "openapi-fetch";

import { ApiError, failure } from "./api-error";
import { exactJson } from "./exact-json";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

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
