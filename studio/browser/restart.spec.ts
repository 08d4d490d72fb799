/** The server is killed and started again while a page is open; who runs this kills it when told. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";

import { launch, settled, url, view } from "./harness.ts";

const sign = process.env["STUDIO_SIGN"] ?? "";

test("a page says that the server is lost, and goes on when it is back", { timeout: 200_000 }, async () => {
  const browser = await launch();
  const { page, problems } = await view(browser);
  await page.goto(`${url}/compute`);
  await settled(page);
  await page.getByRole("row", { name: /^default / }).waitFor();
  await writeFile(`${sign}.opened`, "");
  await page.getByText("The connection to the server is lost").waitFor({ timeout: 60_000 });
  await writeFile(`${sign}.lost`, "");
  await page
    .getByText("The connection to the server is lost")
    .waitFor({ state: "detached", timeout: 100_000 });
  await page.getByRole("link", { name: "Dynamic tables" }).click();
  await page.getByRole("heading", { name: "Dynamic tables" }).waitFor();
  await settled(page);
  assert.ok(existsSync(`${sign}.lost`));
  assert.deepEqual(problems, []);
  await browser.close();
});
