/** What goes wrong while a person works: statements, clusters, other people. */

import assert from "node:assert/strict";

import { scene, sharedBrowser, url, view } from "./harness.ts";
import { createFile, ENDLESS_QUERY, script, type } from "./steps.ts";

scene("an error is shown at its place, and a draft survives", { width: 1440 }, async (page) => {
  await createFile(page, "SQL script", "wrong");
  await type(page, "SELECT nosuch FROM ods_orders");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("alert").getByText("nosuch").first().waitFor();
  await page.locator(".cm-lintRange-error").waitFor();
  await page.getByText("draft of version 1, stored").waitFor();
  await page.reload();
  await page.locator(".cm-content").getByText("nosuch").waitFor();
});

scene("a running statement is cancelled", { width: 1440 }, async (page) => {
  await createFile(page, "SQL script", "long");
  await type(page, ENDLESS_QUERY);
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

scene("of two editors the second is told, and nothing is lost", { width: 1440 }, async (page) => {
  await createFile(page, "SQL script", "shared");
  const reader = (await view(await sharedBrowser())).page;
  await reader.goto(page.url());
  await reader.locator(".cm-content").waitFor();
  const other = (await view(await sharedBrowser())).page;
  await other.goto(page.url());
  await other.locator(".cm-content").waitFor();
  await type(page, "SELECT 'mine'");
  await type(other, "SELECT 'theirs'");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("version 2").waitFor();
  await script(reader).getByText("'mine'").waitFor();
  assert.equal(await reader.getByText(/saved version 2/).count(), 0);
  await other.getByText(/saved version 2/).waitFor();
  await other.getByRole("button", { name: "Keep mine" }).click();
  await other.getByRole("button", { name: "Save" }).click();
  await other.getByText("version 3").waitFor();
  await script(page).getByText("'theirs'").waitFor();
  await type(reader, "SELECT 'of the reader'");
  await reader.getByText("draft of version 3, stored").waitFor();
  await other.getByRole("button", { name: "Versions" }).click();
  await other.getByRole("button", { name: "Compare version 2" }).click();
  await other.getByText("'mine'").first().waitFor();
  await other.context().close();
  await reader.context().close();
});

scene("a page says that a cluster is starting", { width: 1440 }, async (page) => {
  await page.goto(`${url}/compute`);
  await page.getByRole("button", { name: "Create a cluster" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("slow");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByRole("row", { name: /^slow/ }).getByText("suspended").waitFor();
  await createFile(page, "SQL script", "first statement");
  await type(page, "SELECT count(*) AS orders FROM ods_orders");
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("combobox", { name: "Cluster" }).click();
  await page.getByRole("option", { name: "slow" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const results = page.getByRole("region", { name: "Results" });
  await results.getByText("Starting cluster slow").waitFor();
  await results.getByRole("columnheader", { name: /orders/ }).waitFor({ timeout: 120_000 });
  assert.equal(await results.getByText("Starting cluster").count(), 0);
});
