/** A server that requires tokens: signing in, a token revoked in mid-session, signing out. */

import assert from "node:assert/strict";
import { scene, seriousFindings, settled, url } from "./harness.ts";

const token = process.env["STUDIO_TOKEN"] ?? "";
const owner = process.env["STUDIO_OTHER_TOKEN"] ?? "";

scene("a user signs in, and is asked again after the token was revoked", {}, async (page) => {
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
  await page.getByRole("heading", { name: "Sign in to Headrace Studio" }).waitFor();
});

/** What is shown first where there is nothing yet. */
const EMPTY: Record<string, string> = {
  "/": "There are no dynamic tables yet",
  "/dynamic-tables": "There are no dynamic tables yet",
  "/lineage": "There is nothing to draw yet",
  "/streams": "There are no table streams yet",
  "/tasks": "There are no tasks of this kind",
  "/tasks?tab=runs": "Nothing has run yet",
  "/tasks?tab=graph": "There are no tasks yet",
  "/alerts": "Nothing was reported",
};

scene("the pages of a new lake say what to do next", {}, async (page) => {
  await page.goto(url);
  await page.getByLabel("Token").fill(owner);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  for (const [path, title] of Object.entries(EMPTY)) {
    await page.goto(url + path);
    await page.getByText(title).waitFor();
    await page.getByRole("button", { name: "Copy the statement" }).first().waitFor();
    assert.deepEqual(await seriousFindings(page), [], path);
  }
});

scene("a user signs out", {}, async (page) => {
  await page.goto(url);
  await page.getByLabel("Token").fill(owner);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Headrace Studio" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Sign in to Headrace Studio" }).waitFor();
});
