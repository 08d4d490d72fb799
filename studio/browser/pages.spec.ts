/** Every page, in both themes: it keeps to its policy and origin, is accessible, and says what it is. */

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import type { Browser } from "playwright-core";

import { launch, seriousFindings, settled, url, view } from "./harness.ts";

const PICTURES = process.env["STUDIO_PICTURES"] ?? "screenshots";
const TABLE = "/dynamic-tables/lake/public/ads_category_gmv";
const OBJECT = "/catalog/lake/public/ods_orders";

interface Item {
  id: string;
  kind: string;
}

async function first(path: string): Promise<Record<string, string>> {
  const answer = (await (await fetch(url + path)).json()) as { items: Record<string, string>[] };
  return answer.items[0] ?? {};
}

async function paths(): Promise<Record<string, string>> {
  const refresh = await first("/api/v1/jobs?kind=REFRESH&min_seconds=0.1&limit=1");
  const files = (await (await fetch(`${url}/api/v1/files`)).json()) as { items: Item[] };
  const file = files.items.find((each) => each.kind === "SQL");
  return {
    overview: "/",
    "dynamic-tables": "/dynamic-tables",
    "dynamic-table": TABLE,
    "dynamic-table-explain": `${TABLE}?tab=explain`,
    "dynamic-table-definition": `${TABLE}?tab=definition`,
    "dynamic-table-verify": `${TABLE}?tab=verify`,
    lineage: "/lineage?focus=lake.public.ads_category_gmv&column=gmv",
    catalog: "/catalog",
    "catalog-object": OBJECT,
    "catalog-rows": `${OBJECT}?tab=rows`,
    "catalog-ddl": `${OBJECT}?tab=ddl`,
    "catalog-versions": `${OBJECT}?tab=versions`,
    "catalog-properties": `${OBJECT}?tab=properties`,
    streams: "/streams",
    development: `/development?file=${file?.id ?? ""}`,
    tasks: "/tasks",
    "tasks-instances": "/tasks?tab=runs",
    "tasks-day": "/tasks?tab=day",
    "tasks-dependencies": "/tasks?tab=graph",
    task: "/tasks/nightly",
    compute: "/compute",
    jobs: "/compute/jobs",
    job: `/compute/jobs/${refresh["job_id"] ?? ""}`,
    alerts: "/alerts",
    tokens: "/tokens",
  };
}

let browser: Browser;
before(async () => {
  mkdirSync(PICTURES, { recursive: true });
  browser = await launch();
});
after(() => browser.close());

describe("every page", () => {
  for (const scheme of ["light", "dark"] as const) {
    test(`${scheme}: keeps to its policy, is accessible and fits`, { timeout: 280_000 }, async () => {
      const { page, problems } = await view(browser, { scheme, width: 1280, height: 800 });
      const found: string[] = [];
      for (const [name, path] of Object.entries(await paths())) {
        await page.goto(url + path);
        await settled(page);
        await page.locator("h1").first().waitFor({ state: "attached" });
        await page.waitForTimeout(250);
        found.push(...(await seriousFindings(page)).map((finding) => `${name}: ${finding}`));
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (overflow > 0) found.push(`${name}: ${overflow} pixels wider than the window`);
        await page.screenshot({ path: `${PICTURES}/${name}-${scheme}-1280.png` });
      }
      assert.deepEqual([...problems, ...found], []);
    });
  }

  test("at 1920 pixels", { timeout: 200_000 }, async () => {
    const { page, problems } = await view(browser, { scheme: "light", width: 1920, height: 1080 });
    for (const [name, path] of Object.entries(await paths())) {
      await page.goto(url + path);
      await settled(page);
      await page.waitForTimeout(250);
      await page.screenshot({ path: `${PICTURES}/${name}-light-1920.png` });
    }
    assert.deepEqual(problems, []);
  });
});

test("the command palette, shortcuts, back and forward", { timeout: 60_000 }, async () => {
  const { page, problems } = await view(browser);
  await page.goto(url);
  await settled(page);
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Page, table, column").fill("ads_category_rank");
  await page
    .getByRole("button", { name: /ads_category_rank/ })
    .first()
    .click();
  await page.getByRole("heading", { name: "ads_category_rank" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await page.getByRole("heading", { name: "Lineage" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "ads_category_rank" }).waitFor();
  await page.goForward();
  await page.getByRole("heading", { name: "Lineage" }).waitFor();
  await page.keyboard.press("Shift+?");
  await page.getByText("Go to a page, table or task").waitFor();
  assert.deepEqual(problems, []);
});

test("the theme is chosen and remembered", { timeout: 60_000 }, async () => {
  const { page } = await view(browser, { scheme: "light" });
  await page.goto(url);
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("menuitem", { name: "Dark" }).click();
  await page.reload();
  await settled(page);
  assert.equal(await page.locator("html").getAttribute("data-mantine-color-scheme"), "dark");
});
