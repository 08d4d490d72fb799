/** Dynamic tables, lineage and the catalog, as a person uses them. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";

import type { Browser } from "playwright-core";

import { launch, settled, url, view, type Viewed } from "./harness.ts";

const TABLE = "/dynamic-tables/lake/public/ads_category_rank";

let browser: Browser;
let viewed: Viewed;
before(async () => {
  browser = await launch();
});
after(() => browser.close());
beforeEach(async () => {
  viewed = await view(browser);
});
afterEach(async () => {
  await viewed.page.context().close();
  assert.deepEqual(viewed.problems, []);
});

test("the overview says whether the data is fresh", { timeout: 60_000 }, async () => {
  const { page } = viewed;
  await page.goto(url);
  const verdict = page.getByRole("region", { name: "Is my data fresh?" });
  await verdict.getByRole("heading").waitFor();
  assert.match((await verdict.textContent()) ?? "", /fresh|late|cannot be refreshed/);
});

test("a table is refreshed, suspended, resumed and rescheduled", { timeout: 120_000 }, async () => {
  const { page } = viewed;
  await page.goto(url + TABLE);
  await page.getByRole("button", { name: "Refresh now" }).click();
  await page.getByText("ads_category_rank was refreshed.").waitFor();
  await page.getByRole("button", { name: "Suspend" }).click();
  await page.locator("header").getByText("suspended").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator("header").getByText("active").waitFor();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Change schedule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Refresh every").fill("45");
  await dialog.getByText("INTERVAL").first().waitFor();
  await dialog.getByRole("button", { name: "Change" }).click();
  await page.getByText("every 45").waitFor();
});

test("the next refresh is explained as a tree, and the table verified", { timeout: 120_000 }, async () => {
  const { page } = viewed;
  await page.goto(`${url}${TABLE}?tab=explain`);
  await settled(page);
  await page.getByText("A FULL refresh").click();
  await page.getByText("FULL", { exact: true }).first().waitFor();
  await page.getByRole("region", { name: /Stages/ }).waitFor();
  await page.getByRole("tab", { name: "Verify" }).click();
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText("exact", { exact: true }).waitFor();
});

test("a refresh has a profile, and two are compared", { timeout: 120_000 }, async () => {
  const { page } = viewed;
  await page.goto(`${url}/dynamic-tables/lake/public/dwd_orders?mode=FULL`);
  await settled(page);
  const history = page.getByRole("table", { name: "Refresh history" });
  await history.getByText("FULL").first().waitFor();
  await history.getByRole("link").first().click();
  await page.getByRole("heading", { name: "Refresh of dwd_orders" }).waitFor();
  await page.getByRole("region", { name: "Phases" }).waitFor();
  await page.getByRole("list", { name: "Spark's plan" }).first().waitFor();
  await page.getByRole("combobox", { name: "Compare with" }).click();
  await page.getByRole("option").first().click();
  await page.getByRole("table", { name: "Figures of both jobs" }).waitFor();
});

test("a table is dropped, and undropped", { timeout: 120_000 }, async () => {
  const { page } = viewed;
  await page.goto(`${url}/dynamic-tables/lake/public/scratch`);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Drop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Drop" }).click();
  await page.getByRole("button", { name: "Undrop" }).click();
  await page.getByText("scratch is there again.").waitFor();
  await page.getByRole("link", { name: "scratch" }).waitFor();
});

test("one selection filters list and graph", { timeout: 90_000 }, async () => {
  const { page } = viewed;
  await page.goto(`${url}/dynamic-tables`);
  await page.getByLabel("Selection").fill("dwd_orders+ kind:dynamic_table");
  await page.waitForURL(/select=/);
  await page.getByRole("table").getByText("ads_category_rank").waitFor();
  await page.getByText("scratch").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "As a graph" }).click();
  await page.locator(".react-flow__node").first().waitFor();
  assert.equal(await page.locator(".react-flow__node").count(), 3);
  const downloaded = page.waitForEvent("download");
  await page.getByRole("button", { name: "SVG" }).click();
  assert.equal((await downloaded).suggestedFilename(), "lineage.svg");
  await page.getByLabel("Selection").fill("state:");
  await page.getByRole("alert").waitFor();
});

test("a column is followed to its sources", { timeout: 60_000 }, async () => {
  const { page } = viewed;
  await page.goto(`${url}/lineage?focus=lake.public.ads_category_rank`);
  const panel = page.getByRole("complementary");
  await panel.getByRole("button", { name: /^gmv decimal/ }).click();
  await panel.getByText("ods_orders.").first().waitFor();
});

test("an object of the catalog: search, rows, versions, restore", { timeout: 120_000 }, async () => {
  const { page } = viewed;
  await page.goto(`${url}/catalog`);
  await page.getByLabel("Find objects").fill("versioned");
  await page.getByRole("link", { name: "versioned" }).click();
  await page.getByRole("tab", { name: "Rows" }).click();
  await page.getByRole("cell", { name: "second" }).waitFor();
  await page.getByRole("tab", { name: "Versions" }).click();
  const versions = page.getByRole("table", { name: "Versions" });
  await versions.getByRole("button", { name: "Restore" }).last().click();
  await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Rows" }).click();
  await page.getByRole("cell", { name: "first" }).waitFor();
  await page.getByRole("cell", { name: "second" }).waitFor({ state: "detached" });
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address);
  await page.getByRole("cell", { name: "first" }).waitFor();
});
