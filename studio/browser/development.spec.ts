/** Scripts: written, run, moved, deployed; their logs. */

import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { scene, url } from "./harness.ts";
import { createFile, runAll, script, submit, type } from "./steps.ts";

const ENDLESS = `
import time
while True:
    print("still running")
    time.sleep(0.5)
`;

/** Prints, waits for the file, and prints again. */
function waitsFor(file: string): string {
  return `
import pathlib, time
print("begun")
while not pathlib.Path("${file}").exists():
    time.sleep(0.1)
print("ended")
`;
}

scene("a script is written, run, charted, saved, compared and restored", { width: 1440 }, async (page) => {
  await createFile(page, "SQL script", "sales");
  await type(page, "SELECT category, gmv FROM ads_category_gmv ORDER BY gmv DESC;\nSELECT 2 AS two;\n");
  await runAll(page);
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
  await script(page).getByText("SELECT 1").waitFor();
});

scene("a Python script is run, cancelled, and marked where it fails", { width: 1440 }, async (page) => {
  await createFile(page, "Python script", "loader");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const log = page.getByRole("region", { name: "Results" }).getByLabel("Log");
  await log.getByText("one").waitFor();
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  await type(page, ENDLESS);
  await page.keyboard.press("Control+Enter");
  await log.getByText("still running").first().waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("region", { name: "Results" }).getByText("cancelled").first().waitFor();
  await type(page, "print('begins')\n1 / 0\n");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("alert").getByText("division by zero").waitFor();
  await page.locator(".cm-lintRange-error").getByText("1 / 0").waitFor();
});

scene("the log of a task grows while it runs", { width: 1440 }, async (page) => {
  const sign = join(await mkdtemp(join(tmpdir(), "studio-")), "sign");
  await createFile(page, "Python script", "talker");
  await type(page, waitsFor(sign));
  await submit(page, "talker");
  await page.getByRole("link", { name: "Open in Task operations" }).click();
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByRole("button", { name: /^Log of/ }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByText("begun").waitFor();
  await drawer.getByText("running").waitFor();
  await writeFile(sign, "");
  await drawer.getByText("ended").waitFor();
  await drawer.getByText("succeeded").waitFor();
});

scene("files and folders are moved", { width: 1440 }, async (page) => {
  await createFile(page, "SQL script", "moved");
  for (const folder of ["outer", "inner"]) {
    await page.getByRole("button", { name: "New file or folder" }).click();
    await page.getByRole("menuitem", { name: "Folder" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill(folder);
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    await page.getByRole("button", { name: folder, exact: true }).waitFor();
  }
  await page.getByRole("button", { name: "Actions for inner" }).click();
  await page.getByRole("menuitem", { name: "Move" }).click();
  await page.getByRole("combobox", { name: "Into" }).click();
  await page.getByRole("option", { name: "outer" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Move" }).click();
  await page.getByTitle("outer/inner", { exact: true }).waitFor();
  const tree = page.getByRole("navigation", { name: "Files" });
  await tree.getByTitle("moved", { exact: true }).dragTo(tree.getByTitle("outer/inner", { exact: true }));
  await tree.getByTitle("outer/inner/moved", { exact: true }).waitFor();
  await page.goto(`${url}/development`);
  await tree.getByTitle("outer/inner/moved", { exact: true }).waitFor();
});
