/** A server that requires tokens: signing in, a token revoked in mid-session, signing out. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import type { Browser } from "playwright-core";

import { launch, seriousFindings, settled, url, view } from "./harness.ts";

const token = process.env["STUDIO_TOKEN"] ?? "";
const owner = process.env["STUDIO_OTHER_TOKEN"] ?? "";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

test("a user signs in, and is asked again after the token was revoked", { timeout: 90_000 }, async () => {
  const { page, problems } = await view(browser);
  await page.goto(`${url}/compute`);
  await page.getByLabel("Token").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").getByText("not valid").waitFor();
  assert.deepEqual(await seriousFindings(page), []);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Compute" }).waitFor();
  await page.getByText("ann", { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => document.cookie), "");
  await page.reload();
  await settled(page);
  await page.getByRole("heading", { name: "Compute" }).waitFor();
  const revoked = await fetch(`${url}/api/v1/tokens/ann`, {
    method: "DELETE",
    headers: { Authorization: `Bearer ${token}` },
  });
  assert.equal(revoked.status, 204);
  await page.getByRole("heading", { name: "Sign in to Headrace Studio" }).waitFor({ timeout: 40_000 });
  assert.deepEqual(problems, []);
});

test("a user signs out", { timeout: 60_000 }, async () => {
  const { page } = await view(browser);
  await page.goto(url);
  await page.getByLabel("Token").fill(owner);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Headrace Studio" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Sign in to Headrace Studio" }).waitFor();
});
