/** Development, tasks, compute, streams and tokens, as a person uses them. */

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";

import type { Browser, Page } from "playwright-core";

import { launch, settled, url, view, type Viewed } from "./harness.ts";

let browser: Browser;
let viewed: Viewed;
before(async () => {
  browser = await launch();
});
after(() => browser.close());
beforeEach(async () => {
  viewed = await view(browser, { width: 1440 });
});
afterEach(async () => {
  await viewed.page.context().close();
  assert.deepEqual(viewed.problems, []);
});

/** The name that the file gets. */
async function createFile(page: Page, kind: string): Promise<string> {
  const name = `${kind}-${process.pid}`;
  await page.goto(`${url}/development`);
  await page.getByRole("button", { name: "New file or folder" }).click();
  await page.getByRole("menuitem", { name: "SQL script" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill(name);
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.locator(".cm-content").waitFor();
  return name;
}

async function type(page: Page, text: string): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

test("a script is written, run, charted, saved, compared and restored", { timeout: 150_000 }, async () => {
  const { page } = viewed;
  await createFile(page, "sales");
  await type(page, "SELECT category, gmv FROM ads_category_gmv ORDER BY gmv DESC;\nSELECT 2 AS two;\n");
  await page.getByRole("button", { name: "Other ways to run" }).click();
  await page.getByRole("menuitem", { name: "Run all statements" }).click();
  const results = page.getByRole("region", { name: "Results" });
  await results.getByRole("cell", { name: "2", exact: true }).waitFor();
  await results.getByRole("tab").first().click();
  await results.getByRole("cell", { name: "Electronics" }).waitFor();
  await results.getByText("Chart", { exact: true }).click();
  await results.locator("svg[role=img] rect").first().waitFor();
  const downloaded = page.waitForEvent("download");
  await results.getByRole("link", { name: "CSV" }).click();
  assert.match((await downloaded).suggestedFilename(), /\.csv$/);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("version 2").waitFor();
  await page.getByRole("button", { name: "Versions" }).click();
  await page.getByRole("button", { name: "Compare version 1" }).click();
  await page.locator(".cm-insertedLine, .cm-changedLine").first().waitFor();
  await page.getByRole("button", { name: "Restore version 1" }).click();
  await page.locator(".cm-content").getByText("SELECT 1").waitFor();
});

test("an error is shown at its place, and a draft survives", { timeout: 90_000 }, async () => {
  const { page } = viewed;
  await createFile(page, "wrong");
  await type(page, "SELECT nosuch FROM ods_orders");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("alert").getByText("nosuch").first().waitFor();
  await page.locator(".cm-lintRange-error").waitFor();
  await page.getByText("draft of version 1, stored").waitFor();
  await page.reload();
  await page.locator(".cm-content").getByText("nosuch").waitFor();
});

test("a running statement is cancelled", { timeout: 90_000 }, async () => {
  const { page } = viewed;
  await createFile(page, "long");
  await type(page, "SELECT count(*) FROM range(100000) a JOIN range(10000000) b ON a.id % 7 < b.id % 11");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("region", { name: "Results" }).getByRole("tab").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page
    .getByRole("alert")
    .getByText(/cancel/i)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
});

test("of two editors the second is told, and nothing is lost", { timeout: 120_000 }, async () => {
  const { page } = viewed;
  await createFile(page, "shared");
  const other = (await view(browser)).page;
  await other.goto(page.url());
  await other.locator(".cm-content").waitFor();
  await type(page, "SELECT 'mine'");
  await type(other, "SELECT 'theirs'");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("version 2").waitFor();
  await other.getByText(/saved version 2/).waitFor();
  await other.getByRole("button", { name: "Keep mine" }).click();
  await other.getByRole("button", { name: "Save" }).click();
  await page.locator(".cm-content").getByText("'mine'").waitFor();
  await other.getByText("version 3").waitFor();
  await other.getByRole("button", { name: "Versions" }).click();
  await other.getByRole("button", { name: "Compare version 2" }).click();
  await other.getByText("'mine'").first().waitFor();
  await other.context().close();
});

test("a file is submitted, run, paused and backfilled", { timeout: 150_000 }, async () => {
  const { page } = viewed;
  const name = await createFile(page, "daily");
  await type(page, "INSERT INTO days VALUES ('${bizdate}')");
  await page.getByRole("button", { name: "Settings" }).click();
  const settings = page.getByRole("complementary", { name: "Settings" });
  await settings.getByRole("combobox", { name: "Schedule" }).click();
  await page.getByRole("option", { name: "cron" }).click();
  const times = settings.getByText(/^\d{4}-\d\d-\d\d 02:00:00$/);
  await times.first().waitFor();
  assert.equal(await times.count(), 5);
  await page.getByRole("button", { name: "Submit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`Task ${name}: will be created`).waitFor();
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await page.getByRole("link", { name: "Open in Task operations" }).click();
  await page.getByRole("heading", { name }).waitFor();
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByRole("table", { name: "Runs" }).getByText("succeeded").first().waitFor();
  await page.getByRole("button", { name: "Backfill" }).click();
  await page.getByRole("dialog").getByLabel("First date").fill("2024-06-01");
  await page.getByRole("dialog").getByLabel("Last date").fill("2024-06-03");
  await page.getByRole("button", { name: "Run for 3 dates" }).click();
  await page.getByText("3 of 3 succeeded").waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator("header").getByText("paused").waitFor();
});

test("tasks are changed together", { timeout: 60_000 }, async () => {
  const { page } = viewed;
  await page.goto(`${url}/tasks`);
  await page.getByLabel("Select nightly").check();
  await page.getByLabel("Select report").check();
  await page.getByRole("button", { name: "Take offline" }).click();
  await page.getByText("2 tasks: taken offline.").waitFor();
  await page
    .getByRole("row", { name: /Select nightly/ })
    .getByText("offline")
    .waitFor();
});

test("a cluster is created, started, suspended and dropped", { timeout: 120_000 }, async () => {
  const { page } = viewed;
  await page.goto(`${url}/compute`);
  await page.getByRole("button", { name: "Create a cluster" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("etl");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  const row = page.getByRole("row", { name: /^etl/ });
  await row.getByText("suspended").waitFor();
  await page.getByRole("button", { name: "Start etl" }).click();
  await row.getByText("running", { exact: true }).waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "Suspend etl" }).click();
  await row.getByText("suspended").waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "More for etl" }).click();
  await page.getByRole("menuitem", { name: "Drop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Drop" }).click();
  await row.waitFor({ state: "detached" });
});

test("jobs are filtered", { timeout: 60_000 }, async () => {
  const { page } = viewed;
  await page.goto(`${url}/compute/jobs?kind=REFRESH&table=dwd_orders`);
  await settled(page);
  const cells = await page.getByRole("table", { name: "Jobs" }).locator("tbody tr").allInnerTexts();
  assert.ok(cells.length > 0);
  assert.ok(
    cells.every((text) => text.includes("dwd_orders")),
    cells.join("\n"),
  );
});

test("a stream shows what was not consumed", { timeout: 60_000 }, async () => {
  const { page } = viewed;
  await page.goto(`${url}/streams`);
  await page.getByRole("button", { name: "Show pending rows of orders_changes" }).click();
  await page.getByRole("columnheader", { name: /__change_type/ }).waitFor();
});

test("a token is created, shown once, and revoked", { timeout: 60_000 }, async () => {
  const { page } = viewed;
  await page.goto(`${url}/tokens`);
  await page.getByRole("button", { name: "Create a token" }).click();
  await page.getByRole("dialog").getByLabel("Name of the user").fill("carol");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  const token = (await page.getByRole("dialog").locator("pre").textContent())?.trim() ?? "";
  const asked = () => fetch(`${url}/api/v1/account`, { headers: { Authorization: `Bearer ${token}` } });
  assert.equal((await asked()).status, 200);
  await page.getByRole("button", { name: "Done" }).click();
  assert.equal(await page.getByText(token).count(), 0);
  await page.getByRole("button", { name: "Revoke carol" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("row", { name: /carol/ }).getByText("revoked").waitFor();
  assert.equal((await asked()).status, 401);
});
