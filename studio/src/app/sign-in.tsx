/** Signing in with a token, where the server requires one. */

import { Button, PasswordInput, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";

import { answered, api } from "../api/client";
import { ErrorNotice } from "../parts/error-notice";
import { SqlText } from "../parts/sql-text";
import icon from "./icon.svg";

export function SignIn() {
  const queries = useQueryClient();
  const [token, setToken] = useState("");
  const [error, setError] = useState<unknown>(null);
  const signIn = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault();
    try {
      const account = await answered(api.POST("/api/v1/sign-in", { body: { token } }));
      queries.setQueryData(["account"], account);
      await queries.invalidateQueries();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <main style={{ maxWidth: 420, margin: "14vh auto 0", padding: "0 16px" }}>
      <div className="card" style={{ padding: 28 }}>
        <Stack gap="md" component="form" onSubmit={(event: SyntheticEvent) => void signIn(event)}>
          <div className="brand" style={{ padding: 0 }}>
            <img src={icon} width={26} height={26} alt="" />
            <h1 style={{ fontSize: "1.125rem", margin: 0 }}>Sign in to Headrace Studio</h1>
          </div>
          <PasswordInput
            label="Token"
            size="sm"
            autoComplete="current-password"
            value={token}
            onChange={(event) => setToken(event.currentTarget.value)}
            required
            data-autofocus
          />
          {error !== null && <ErrorNotice error={error} />}
          <Button type="submit" size="sm" disabled={token.trim() === ""}>
            Sign in
          </Button>
          <div className="quiet">Create a token on the machine of the server:</div>
          <SqlText text="headrace token create NAME" plain />
        </Stack>
      </div>
    </main>
  );
}
