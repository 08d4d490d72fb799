/** A browser in which a page that breaks its policy, leaves the origin or throws fails the test. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, test } from "node:test";

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

/** Where pictures are left; they are not committed. */
export const PICTURES = process.env["STUDIO_PICTURES"] ?? "screenshots";
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
  timeZone?: string;
}

/** A new tab of a new user. */
export async function view(browser: Browser, options: ViewOptions = {}): Promise<Viewed> {
  const { scheme = "light", width = 1280, height = 900, timeZone } = options;
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height },
    acceptDownloads: true,
    timezoneId: timeZone,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.setDefaultTimeout(60_000);
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

let browser: Promise<Browser> | undefined;
after(async () => (await browser)?.close());

/** One for all tests of a file. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= launch();
  return browser;
}

export interface SceneOptions extends ViewOptions {
  /** It fails after so many seconds. */
  seconds?: number;
}

/** What a person does in a new tab. If it fails, a picture of the tab is left. */
export function scene(title: string, options: SceneOptions, steps: (page: Page) => Promise<void>): void {
  void test(title, { timeout: 1000 * (options.seconds ?? 300) }, async () => {
    const { page, problems } = await view(await sharedBrowser(), options);
    try {
      await steps(page);
    } catch (failure) {
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: `${PICTURES}/failed-${title.replaceAll(/\W+/g, "-")}.png` });
      throw failure;
    } finally {
      await page.context().close();
    }
    assert.deepEqual(problems, []);
  });
}

const QUIET_MILLISECONDS = 300;

/** Waits until nothing is being loaded, by what the page says, for a while from now on. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main").waitFor();
  const begun = await page.evaluate(() => performance.now());
  await page.waitForFunction(
    ([start, quiet]) => {
      const state = window as unknown as { busyAt?: number };
      const now = performance.now();
      if (/(Loading|Planning|Connecting)[^.]*…/.test(document.body.innerText)) state.busyAt = now;
      return now - Math.max(start, state.busyAt ?? 0) > quiet;
    },
    [begun, QUIET_MILLISECONDS] as const,
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

/** By the API, as another client does; its job. */
export async function submitStatement(statement: string): Promise<string> {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, string>;
  };
  const { session } = await post("/api/v1/sessions", {});
  const { job_id } = await post("/api/v1/statements", { session, statement, wait_seconds: 0 });
  return job_id ?? "";
}
