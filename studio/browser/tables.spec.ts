/** The overview and dynamic tables, as a person uses them. */

import assert from "node:assert/strict";

import type { Page } from "playwright-core";

import { scene, settled, submitStatement, url } from "./harness.ts";
import { ENDLESS_QUERY } from "./steps.ts";

const TABLE = "/dynamic-tables/lake/public/ads_category_rank";

scene("the overview says whether the data is fresh", {}, async (page) => {
  await page.goto(url);
  const verdict = page.getByRole("region", { name: "Is my data fresh?" });
  await verdict.getByRole("heading").waitFor();
  assert.match((await verdict.textContent()) ?? "", /fresh|late|cannot be refreshed/);
  await page
    .getByRole("region", { name: "Cost of the last 24 hours" })
    .getByRole("link", { name: "dwd_orders" })
    .waitFor();
});

scene("the overview lists what runs and what has failed", {}, async (page) => {
  const failing = await submitStatement("SELECT * FROM a_table_that_is_missing");
  const running = await submitStatement(ENDLESS_QUERY);
  await page.goto(url);
  const failed = page.getByRole("region", { name: "Failed in the last 24 hours" });
  await failed.getByRole("link", { name: /a_table_that_is_missing/ }).click();
  await page.waitForURL(new RegExp(failing));
  await page.getByRole("alert").getByText("a_table_that_is_missing").first().waitFor();
  await page.goBack();
  await page
    .getByRole("region", { name: "Running now" })
    .getByRole("link", { name: /AS endless/ })
    .click();
  await page.waitForURL(new RegExp(running));
  await page.getByRole("button", { name: "Cancel" }).click();
  await page
    .locator("header")
    .getByText(/cancelled|failed/)
    .waitFor();
});

scene("a table is refreshed, suspended, resumed and rescheduled", {}, async (page) => {
  await page.goto(url + TABLE);
  await page.getByRole("button", { name: "Refresh now" }).click();
  await page.getByText("ads_category_rank was refreshed.").waitFor();
  await page.getByRole("button", { name: "Suspend" }).click();
  await page.locator("header").getByText("suspended").waitFor();
  await reschedule(page, "45", "default_ap");
  await page.getByText("every 45").waitFor();
  await page.locator(".fact-value").getByText("default_ap", { exact: true }).waitFor();
  await reschedule(page, "50", "default");
  await page.getByText("every 50").waitFor();
  await page.locator(".fact-value").getByText("default", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator("header").getByText("active").waitFor();
});

async function reschedule(page: Page, interval: string, cluster: string): Promise<void> {
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Change schedule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Refresh every").fill(interval);
  await dialog.getByRole("combobox", { name: "Cluster" }).click();
  await page.getByRole("option", { name: cluster, exact: true }).click();
  await dialog.getByText(`\`${cluster}\``).waitFor();
  await dialog.getByRole("button", { name: "Change" }).click();
  await dialog.waitFor({ state: "detached" });
}

scene("older refreshes are shown page by page, and filtered", {}, async (page) => {
  await page.goto(`${url}/dynamic-tables/lake/public/large_orders_by_product`);
  const history = page.getByRole("table", { name: "Refresh history" });
  const rows = history.locator("tbody tr");
  await rows.nth(49).waitFor();
  assert.equal(await rows.count(), 50);
  const older = page.getByRole("button", { name: "Show older refreshes" });
  await older.click();
  await rows.nth(59).waitFor();
  await older.waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "Failed" }).click();
  await page.waitForURL(/state=FAILED/);
  await rows.nth(19).getByText("failed").waitFor();
  assert.equal(await rows.count(), 20);
});

scene("a table is refreshed with arguments, and what was recorded is shown", {}, async (page) => {
  await page.goto(`${url}/dynamic-tables/lake/public/orders_from`);
  await page.getByRole("button", { name: "Other refreshes" }).click();
  await page.getByRole("menuitem", { name: "Refresh with arguments" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("least").fill("3000");
  await dialog.getByText("'3000'").waitFor();
  await dialog.getByRole("button", { name: "Refresh" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("region", { name: "Why the last refresh" }).getByText("least = 3000").waitFor();
  const history = page.getByRole("table", { name: "Refresh history" });
  await history.getByRole("button").first().click();
  const details = page.getByRole("dialog", { name: /Refresh of/ });
  await details.getByText("least = 3000").waitFor();
  await details.getByText("Versions of the sources").waitFor();
  await details.getByText("lake.public.ods_orders", { exact: true }).waitFor();
});

scene("the next refresh is explained as a tree, and the table verified", {}, async (page) => {
  await page.goto(`${url}${TABLE}?tab=explain`);
  await settled(page);
  await page.getByText("A FULL refresh").click();
  await page.getByText("FULL", { exact: true }).first().waitFor();
  await page.getByRole("region", { name: /Stages/ }).waitFor();
  await page.getByRole("tab", { name: "Verify" }).click();
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText("exact", { exact: true }).waitFor();
});

scene("a refresh has a profile, and two are compared", {}, async (page) => {
  await page.goto(`${url}/dynamic-tables/lake/public/dwd_orders?mode=FULL`);
  await settled(page);
  const history = page.getByRole("table", { name: "Refresh history" });
  await history.getByText("FULL").first().waitFor();
  await history.getByRole("link").first().click();
  await page.getByRole("heading", { name: "Refresh of dwd_orders" }).waitFor();
  await page.getByRole("region", { name: "Phases" }).waitFor();
  await page.getByRole("list", { name: "Spark's plan" }).first().waitFor();
  await settled(page);
  await page.getByRole("combobox", { name: "Compare with" }).click();
  await page.getByRole("option").first().click();
  await page.getByRole("table", { name: "Figures of both jobs" }).waitFor();
});

scene("a table is dropped, and undropped", {}, async (page) => {
  await page.goto(`${url}/dynamic-tables/lake/public/scratch`);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Drop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Drop" }).click();
  await page.getByRole("button", { name: "Undrop" }).click();
  await page.getByText("scratch is there again.").waitFor();
  await page.getByRole("link", { name: "scratch" }).waitFor();
});
