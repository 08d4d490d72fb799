/** The editor: completion, format, what is run, and what is done with its results. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import type { Page } from "playwright-core";

import { scene, url } from "./harness.ts";
import { findingsOfLooks } from "./looks.ts";
import { createFile, goTo, runAll, runChosen, script, submit, type, untilDone } from "./steps.ts";

const results = (page: Page) => page.getByRole("region", { name: "Results" });

/** A click does nothing while completions are looked up, which begins again when the tables become known. */
async function complete(page: Page, offered: string): Promise<void> {
  const completion = page
    .locator(".cm-tooltip-autocomplete")
    .getByRole("option", { name: new RegExp(`^${offered}`) });
  await untilDone(async (timeout) => {
    await page.keyboard.press("Control+Space");
    await completion.click({ timeout });
    await script(page).getByText(offered).waitFor({ timeout });
  });
}

async function firstColumn(page: Page): Promise<string[]> {
  return await results(page).locator("tbody tr td:first-child").allInnerTexts();
}

scene("keywords, functions, tables and columns are completed", { width: 1440 }, async (page) => {
  await createFile(page, "SQL script", "completed");
  for (const [typed, offered] of [
    ["SEL", "SELECT"],
    ["SELECT date_tr", "DATE_TRUNC"],
    ["SELECT * FROM ods_ord", "ods_orders"],
    ["SELECT ods_orders.pri", "price"],
  ] as const) {
    await type(page, "");
    await page.keyboard.type(typed);
    await complete(page, offered);
  }
});

scene("a script is formatted, and only the selection is run", { width: 1440 }, async (page) => {
  await createFile(page, "SQL script", "formatted");
  await type(page, "select   1 as one;  select 2   as two");
  await page.getByRole("button", { name: "Format", exact: true }).click();
  await script(page).getByText("AS one").waitFor();
  await type(page, "SELECT 'first' AS chosen;\nSELECT 'second' AS chosen;");
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Shift+ArrowDown");
  await runChosen(page);
  await results(page).getByRole("cell", { name: "first" }).waitFor();
  assert.equal(await results(page).getByRole("tab").count(), 1);
  await page.keyboard.press("Control+End");
  await runChosen(page);
  await results(page).getByRole("cell", { name: "second" }).waitFor();
  assert.equal(await results(page).getByRole("tab").count(), 1);
});

scene("what was typed and run is there after another page was shown", { width: 1440 }, async (page) => {
  await createFile(page, "SQL script", "left");
  await type(page, "SELECT 'kept' AS result");
  await runChosen(page);
  await type(page, "SELECT 'typed last'");
  await goTo(page, "Overview");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.goBack();
  await script(page).getByText("typed last").waitFor();
  await results(page).getByRole("cell", { name: "kept" }).waitFor();
  await type(page, "SELECT 'typed before the page was loaded again'");
  await page.reload();
  await script(page).getByText("typed before the page was loaded again").waitFor();
});

scene("rows are scrolled, sorted, copied and downloaded", { width: 1440 }, async (page) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await createFile(page, "SQL script", "many rows");
  await type(page, "SELECT id, 1999999 - id AS rest FROM range(2000000)");
  await runAll(page);
  await results(page).getByText("2,000,000 rows").waitFor();
  const rows = results(page).getByRole("region", { name: "Rows" });
  await rows.getByRole("cell", { name: "1999999", exact: true }).waitFor();
  await rows.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await rows.getByRole("cell", { name: "99999", exact: true }).waitFor();
  await results(page).getByRole("button", { name: "Rows from 1,900,001" }).click();
  await results(page).getByText("Rows 1,900,001 to 2,000,000").waitFor();
  await rows.getByRole("cell", { name: "1900000", exact: true }).waitFor();
  await rows.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await rows.getByRole("cell", { name: "1999999", exact: true }).waitFor();
  assert.ok((await rows.getByRole("row").count()) < 100);

  await type(page, "SELECT * FROM VALUES (2, 'b'), (10, 'j'), (1, 'a') AS t (number, letter)");
  await runAll(page);
  await rows.getByRole("cell", { name: "10" }).waitFor();
  await rows.getByRole("button", { name: /^number/ }).click();
  await rows.locator("tbody tr:first-child td:first-child").getByText("1", { exact: true }).waitFor();
  assert.deepEqual(await firstColumn(page), ["1", "2", "10"]);
  await results(page).getByRole("button", { name: "Copy" }).click();
  await page.getByText("3 rows were copied.").waitFor();
  assert.equal(
    await page.evaluate(() => navigator.clipboard.readText()),
    "number\tletter\n2\tb\n10\tj\n1\ta",
  );
  const downloaded = page.waitForEvent("download");
  await results(page).getByRole("link", { name: "Parquet" }).click();
  const content = await readFile(await (await downloaded).path());
  assert.equal(content.subarray(0, 4).toString(), "PAR1");
});

scene("a chart is remembered with its file", { width: 1440 }, async (page) => {
  await createFile(page, "SQL script", "charted");
  await type(page, "SELECT * FROM VALUES ('a', 1), ('b', 3) AS t (name, amount)");
  await runAll(page);
  await results(page).getByText("Chart", { exact: true }).click();
  await results(page).getByRole("combobox", { name: "Chart" }).click();
  await page.getByRole("option", { name: "line" }).click();
  await results(page).locator("svg[role=img] path").first().waitFor();
  await page.getByText("draft of version 1, stored").waitFor();
  await page.reload();
  await script(page).getByText("VALUES").waitFor();
  await runAll(page);
  await results(page).locator("svg[role=img] path").first().waitFor();
});

scene("a dynamic table is run, explained and submitted", { width: 1440 }, async (page) => {
  await createFile(page, "Dynamic table", "Orders by status");
  await type(
    page,
    "CREATE OR REPLACE DYNAMIC TABLE orders_by_status AS\nSELECT status, first(price) AS a_price FROM ods_orders GROUP BY status",
  );
  await runAll(page);
  await results(page).getByText("Done").waitFor();
  const job = await results(page).getByRole("link").getAttribute("href");
  await page.getByRole("button", { name: "Explain", exact: true }).click();
  await results(page)
    .getByRole("cell", { name: /INCREMENTAL|FULL/ })
    .first()
    .waitFor();
  await submit(page, "Orders by status");
  await page.getByRole("link", { name: "Open in Task operations" }).click();
  await page.getByRole("heading", { name: "Orders by status" }).waitFor();
  await page.locator("header").getByText("deployed").waitFor();
  await page.goto(`${url}${job}`);
  await page.getByRole("region", { name: "Notices" }).getByText("depends on the order of the rows").waitFor();
});

scene("results, settings and dialogs are accessible and fit", {}, async (page) => {
  await createFile(page, "SQL script", "looked at");
  await type(page, "SELECT category, gmv FROM ads_category_gmv ORDER BY gmv");
  await runAll(page);
  await results(page).getByRole("cell", { name: "Electronics" }).waitFor();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("complementary", { name: "Settings" }).waitFor();
  await page.locator(".cm-tooltip").waitFor({ state: "detached" });
  const found = await findingsOfLooks(page, "development-settings");
  await results(page).getByText("Chart", { exact: true }).click();
  await results(page).locator("svg[role=img]").waitFor();
  found.push(...(await findingsOfLooks(page, "development-chart")));
  await page.getByRole("button", { name: "Submit" }).click();
  await page.getByRole("dialog").getByText("will be created").waitFor();
  found.push(...(await findingsOfLooks(page, "development-submit")));
  await page.getByRole("button", { name: "Close the dialog" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Versions" }).click();
  await page.getByRole("button", { name: "Compare version 1" }).click();
  await page.getByLabel("Difference").waitFor();
  found.push(...(await findingsOfLooks(page, "development-versions")));
  assert.deepEqual(found, []);
});
