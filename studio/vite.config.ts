import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The server replaces this by the nonce of each response.
const NONCE = "__NONCE__";

export default defineConfig({
  plugins: [react()],
  html: { cspNonce: NONCE },
  test: { include: ["src/**/*.test.ts"] },
  build: {
    outDir: "../src/headrace/server/studio_assets",
    emptyOutDir: true,
    target: "es2023",
    // A font or image inside of a style sheet would need another policy.
    assetsInlineLimit: 0,
    manifest: "manifest.json",
    chunkSizeWarningLimit: 600,
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": process.env["HEADRACE_URL"] ?? "http://127.0.0.1:8642" } },
});
