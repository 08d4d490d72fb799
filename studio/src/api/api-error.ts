/** Errors of the API. */

import type { components } from "./schema";

type Schemas = components["schemas"];

/** What the server refuses, or that it cannot be reached. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly kind: string,
    readonly status: number,
    readonly hint: string | null = null,
    readonly place: Schemas["Place"] | null = null,
  ) {
    super(message);
  }

  /** For an error in a statement that the user does not see. */
  withoutPlace(): ApiError {
    return new ApiError(this.message, this.kind, this.status, this.hint);
  }

  get isUnreachable(): boolean {
    return this.status === 0;
  }

  get needsSignIn(): boolean {
    return this.status === 401 && this.message !== "the request comes from the page of another site";
  }
}

export function failure(body: unknown, status: number): ApiError {
  const error = (body as Partial<Schemas["Failure"]> | undefined)?.error;
  if (error === undefined)
    return new ApiError(`the server answered with status ${status}`, "InternalError", status);
  return new ApiError(error.message, error.kind, status, error.hint, error.place);
}
