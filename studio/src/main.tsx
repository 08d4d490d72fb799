import "@fontsource-variable/inter/wght.css";
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./app/theme.css";

import { MantineProvider } from "@mantine/core";
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { ApiError } from "./api/api-error";
import { nonce, shareNonce } from "./app/nonce";
import { router } from "./app/router";
import { theme } from "./app/theme";

const RETRIES = 2;

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      const isRefused = error instanceof ApiError && error.needsSignIn;
      if (isRefused && query.queryKey[0] !== "account")
        void queries.invalidateQueries({ queryKey: ["account"] });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      retry: (failures, error) => failures < RETRIES && error instanceof ApiError && error.isUnreachable,
    },
  },
});

shareNonce();
const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element for the page");
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={nonce}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
