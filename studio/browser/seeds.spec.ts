/** Two tutorials click by click: the folder of the tutorial, and scripts with a schedule that a person writes. */

import assert from "node:assert/strict";
import { describe } from "node:test";

import type { Locator, Page } from "playwright-core";

import { scene, url } from "./harness.ts";
import { createFile, everyMinute, goTo, runAll, submit, type } from "./steps.ts";

const FOLDER = "Tutorial_Working_With_Dynamic_Table";
const TABLES = ["Step02.Transformation_With_Dynamic_Table", "Step03.Aggregation_With_Dynamic_Table"];

const EVENTS_BY_TYPE = `
CREATE TABLE ecommerce_events (event_time TIMESTAMP, event_type STRING, user_id BIGINT);
INSERT INTO ecommerce_events VALUES
  (TIMESTAMP '2024-05-17 11:00:00', 'view', 1), (TIMESTAMP '2024-05-17 11:00:01', 'view', 2),
  (TIMESTAMP '2024-05-17 11:00:02', 'purchase', 1), (TIMESTAMP '2024-05-17 11:00:03', 'add_to_cart', 2);
CREATE DYNAMIC TABLE event_type_count
REFRESH INTERVAL 1 MINUTE VCLUSTER default
AS SELECT event_type, COUNT(*) AS events_count FROM ecommerce_events GROUP BY event_type;
REFRESH DYNAMIC TABLE event_type_count;`;
const NEWER_EVENTS = `
INSERT INTO ecommerce_events VALUES
  (TIMESTAMP '2024-05-17 11:01:00', 'view', 3), (TIMESTAMP '2024-05-17 11:01:01', 'purchase', 3);
REFRESH DYNAMIC TABLE event_type_count;
SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name = 'event_type_count';
SELECT * FROM event_type_count;`;
const EVENT_TABLE = `
CREATE TABLE event_tb (event STRING, process DOUBLE, event_time TIMESTAMP);
INSERT INTO event_tb VALUES
  ('event-0', 20.0, TIMESTAMP '2023-09-20 14:43:13'), ('event-0', 20.0, TIMESTAMP '2023-09-19 11:40:13'),
  ('event-1', 21.0, TIMESTAMP '2023-09-19 14:30:14'), ('event-1', 22.0, TIMESTAMP '2023-09-20 14:20:15');`;
const TIME_PROCESSING = `
CREATE DYNAMIC TABLE IF NOT EXISTS event_gettime AS
SELECT event, process, hour(event_time) AS event_hour, minute(event_time) AS event_minute FROM event_tb;
REFRESH DYNAMIC TABLE event_gettime;`;
const AGGREGATE = `
CREATE DYNAMIC TABLE IF NOT EXISTS event_group_minute AS
SELECT event, event_hour, event_minute, SUM(process) AS process_sum
FROM event_gettime GROUP BY event, event_hour, event_minute;
REFRESH DYNAMIC TABLE event_group_minute;`;
const ONE_MORE_EVENT = "INSERT INTO event_tb VALUES ('event-2', 20.0, TIMESTAMP '2024-01-20 14:43:13')";

async function openFile(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Files" }).getByRole("button", { name, exact: true }).click();
  await page.getByRole("heading", { name: new RegExp(name) }).waitFor({ state: "attached" });
  await page.locator(".cm-content").waitFor();
}

function cells(table: Locator): Promise<string[][]> {
  return table
    .locator("tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)),
    );
}

/** Of the result that is chosen. */
async function shownRows(page: Page): Promise<string[][]> {
  const table = page.getByRole("region", { name: "Rows" }).getByRole("table");
  await table.getByRole("cell").first().waitFor();
  return await cells(table);
}

/** Waits on the page of a dynamic table for an incremental refresh by the trigger. */
async function watchRefresh(page: Page, table: string, trigger: "schedule" | "manual"): Promise<void> {
  await goTo(page, "Dynamic tables");
  await page.getByRole("link", { name: table, exact: true }).click();
  await page
    .getByRole("table", { name: "Refresh history" })
    .getByRole("row", { name: new RegExp(`succeeded.*INCREMENTAL.*${trigger}`) })
    .first()
    .waitFor({ timeout: 200_000 });
}

/** Runs the check until no layer is older than two minutes: on a busy machine a refresh takes a while. */
async function untilFresh(page: Page): Promise<void> {
  for (;;) {
    await page.getByRole("tab", { name: /SELECT/ }).click();
    const layers = await shownRows(page);
    assert.deepEqual(
      layers.map(([layer]) => layer),
      ["tutorial_events", "tutorial_clean_events", "tutorial_sales_by_minute"],
    );
    if (layers.every(([, , age]) => /^0 00:0[01]:/.test(age ?? ""))) return;
    await runAll(page);
  }
}

describe("tutorials", { concurrency: 2 }, () => {
  scene("the folder of the tutorial, with its clean-up", { width: 1440, seconds: 700 }, async (page) => {
    await page.goto(`${url}/development`);
    await page.getByRole("button", { name: "Create the tutorial" }).first().click();
    await page.getByRole("button", { name: FOLDER, exact: true }).waitFor();

    await openFile(page, "Step01.Preparation");
    await runAll(page);
    await everyMinute(page);
    await submit(page, "Step01.Preparation");
    for (const step of TABLES) {
      await openFile(page, step);
      await everyMinute(page);
      await submit(page, step);
    }

    await watchRefresh(page, "tutorial_clean_events", "schedule");
    await watchRefresh(page, "tutorial_sales_by_minute", "schedule");
    await goTo(page, "Development");
    await openFile(page, "Step04.Check_Data_Freshness");
    await runAll(page);
    const history = (await shownRows(page)).map((row) => row.join(" "));
    const scheduled = /tutorial_sales_by_minute .* SYSTEM_SCHEDULED NULL INCREMENTAL/;
    assert.ok(
      history.some((row) => scheduled.test(row)),
      history.join("\n"),
    );
    await untilFresh(page);

    await goTo(page, "Task operations");
    await page.getByLabel("Select Step01.Preparation").check();
    await page.getByRole("button", { name: "Take offline" }).click();
    await page.getByText("Step01.Preparation: taken offline.").waitFor();
    await page.getByRole("tab", { name: /Dynamic table tasks/ }).click();
    for (const step of TABLES) await page.getByLabel(`Select ${step}`).check();
    await page.getByRole("button", { name: "Take offline" }).click();
    await page.getByText("2 tasks: taken offline.").waitFor();
    await goTo(page, "Dynamic tables");
    for (const table of ["tutorial_clean_events", "tutorial_sales_by_minute"]) {
      await page
        .getByRole("row", { name: new RegExp(table) })
        .getByText("suspended")
        .waitFor();
    }
  });

  scene("scripts that refresh dynamic tables on a schedule", { width: 1440, seconds: 700 }, async (page) => {
    await createFile(page, "SQL script", "Events by type");
    await type(page, EVENTS_BY_TYPE);
    await runAll(page);
    await type(page, NEWER_EVENTS);
    await runAll(page);
    assert.deepEqual((await shownRows(page)).sort(), [
      ["add_to_cart", "1"],
      ["purchase", "2"],
      ["view", "3"],
    ]);
    await page.getByRole("tab", { name: /SHOW/ }).click();
    await page.getByRole("cell", { name: "INCREMENTAL", exact: true }).waitFor();

    await goTo(page, "Compute");
    await page.getByRole("tab", { name: "Job History" }).click();
    await page.getByLabel("Table", { exact: true }).fill("event_type_count");
    await page.getByRole("combobox", { name: "kind" }).click();
    await page.getByRole("option", { name: "refresh" }).click();
    await page
      .getByRole("table", { name: "Jobs" })
      .getByRole("row", { name: /succeeded refresh .*event_type_count.* default manual/ })
      .first()
      .getByRole("link")
      .click();
    await page.getByRole("heading", { name: "Refresh of event_type_count" }).waitFor();
    await page.getByRole("table", { name: "Rows and bytes read" }).getByText("change").waitFor();
    await page.getByRole("list", { name: "Spark's plan" }).first().waitFor();

    await createFile(page, "SQL script", "0. Data");
    await type(page, EVENT_TABLE);
    await runAll(page);
    await createFile(page, "SQL script", "1. Time Processing dt");
    await type(page, TIME_PROCESSING);
    await runAll(page);
    await everyMinute(page);
    await submit(page, "1. Time Processing dt");
    await createFile(page, "SQL script", "2. Aggregate dy");
    await type(page, AGGREGATE);
    await runAll(page);
    await everyMinute(page);
    await page.getByRole("combobox", { name: "Runs after" }).click();
    await page.getByRole("option", { name: "1. Time Processing dt" }).click();
    await page.keyboard.press("Escape");
    await submit(page, "2. Aggregate dy");

    await createFile(page, "SQL script", "3. Verify");
    await type(page, ONE_MORE_EVENT);
    await runAll(page);
    await watchRefresh(page, "event_group_minute", "manual");
    await goTo(page, "Development");
    await openFile(page, "3. Verify");
    await type(page, "SHOW DYNAMIC TABLE REFRESH HISTORY WHERE name = 'event_gettime'");
    await runAll(page);
    const rows = (await shownRows(page)).map((row) => row.join(" "));
    const incremental = /SUCCEED MANUAL NULL INCREMENTAL.*"rows_inserted":"1"/;
    assert.ok(
      rows.some((row) => incremental.test(row)),
      rows.join("\n"),
    );
  });
});
