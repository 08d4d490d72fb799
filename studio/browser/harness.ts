/** A browser in which a page that breaks its policy, leaves the origin or throws fails the test. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { chromium, type Browser, type Page } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const url = process.env["STUDIO_URL"] ?? "http://127.0.0.1:8642";

export async function launch(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"] ?? PLACES.find((place) => existsSync(place));
  assert.ok(executablePath, "Chromium is not installed; set CHROMIUM to its path");
  return await chromium.launch({ executablePath, args: FLAGS, headless: true });
}

export interface Viewed {
  page: Page;
  /** What must not happen in a page. */
  problems: string[];
}

export interface ViewOptions {
  scheme?: "light" | "dark";
  width?: number;
  height?: number;
}

/** A new tab of a new user. */
export async function view(browser: Browser, options: ViewOptions = {}): Promise<Viewed> {
  const { scheme = "light", width = 1280, height = 900 } = options;
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height },
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.setDefaultTimeout(30_000);
  page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http") && origin !== url) problems.push(`request to ${origin}`);
  });
  page.on("console", (message) => {
    if (/Content Security Policy/i.test(message.text())) problems.push(message.text());
  });
  return { page, problems };
}

const QUIET_MILLISECONDS = 500;

/** Waits until nothing is being loaded, by what the page says, for a while. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector("main") !== null);
  await page.waitForFunction(
    (quiet) => {
      const state = window as unknown as { quietSince?: number };
      const isLoading = /(Loading|Planning|Connecting)[^.]*…/.test(document.body.innerText);
      if (isLoading || state.quietSince === undefined) state.quietSince = performance.now();
      return !isLoading && performance.now() - state.quietSince > quiet;
    },
    QUIET_MILLISECONDS,
    { timeout: 120_000 },
  );
}

interface AxeResult {
  violations: { id: string; impact: string | null; nodes: { target: string[]; failureSummary?: string }[] }[];
}

/** The serious findings of axe. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const result = await page.evaluate<AxeResult>("axe.run(document, { resultTypes: ['violations'] })");
  return result.violations
    .filter((each) => each.impact === "serious" || each.impact === "critical")
    .flatMap((each) =>
      each.nodes.map((node) => `${each.id}: ${node.target.join(" ")} ${node.failureSummary ?? ""}`),
    );
}
