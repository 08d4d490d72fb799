/** Tasks, compute, streams and tokens, as a person uses them. */

import assert from "node:assert/strict";

import { scene, submitStatement, url } from "./harness.ts";
import { createFile, type } from "./steps.ts";

scene("a file is submitted, run, paused and backfilled", { width: 1440 }, async (page) => {
  const name = "daily";
  await createFile(page, "SQL script", name);
  await type(page, "INSERT INTO ${target} VALUES ('${bizdate}')");
  await page.getByRole("button", { name: "Settings" }).click();
  const settings = page.getByRole("complementary", { name: "Settings" });
  await settings.getByRole("combobox", { name: "Schedule" }).click();
  await page.getByRole("option", { name: "cron" }).click();
  const times = settings.getByText(/^\d{4}-\d\d-\d\d 02:00:00$/);
  await times.first().waitFor();
  assert.equal(await times.count(), 5);
  const names = settings.getByLabel("Name of the parameter");
  for (const [index, typed] of ["target", "target2"].entries()) {
    await settings.getByRole("button", { name: "Add a parameter" }).click();
    await names.nth(index).press("Control+a");
    await names.nth(index).pressSequentially(typed);
  }
  await settings.getByLabel("Value of target", { exact: true }).fill("days");
  await settings.getByRole("button", { name: "Remove target2" }).click();
  await settings.getByLabel("Retries").fill("2");
  await settings.getByLabel("Timeout in seconds").fill("300");
  await page.getByRole("button", { name: "Submit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`Task ${name}: will be created`).waitFor();
  for (const setting of [/^parameters .*target = days$/, /^retries .*2$/, /^timeout .*5 minutes$/])
    await dialog.getByRole("row", { name: setting }).waitFor();
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await page.getByRole("link", { name: "Open in Task operations" }).click();
  await page.getByRole("heading", { name }).waitFor();
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByRole("table", { name: "Runs" }).getByText("succeeded").first().waitFor();
  await page.getByRole("button", { name: "Backfill" }).click();
  await page.getByRole("dialog").getByLabel("First date").fill("2024-06-01");
  await page.getByRole("dialog").getByLabel("Last date").fill("2024-06-03");
  await page.getByRole("button", { name: "Run for 3 dates" }).click();
  await page.getByText("3 of 3 succeeded").waitFor({ timeout: 120_000 });
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator("header").getByText("paused").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator("header").getByText("deployed").waitFor();
});

scene("tasks are changed together", { width: 1440 }, async (page) => {
  await page.goto(`${url}/tasks`);
  await page.getByLabel("Select nightly").check();
  await page.getByLabel("Select report").check();
  const rows = page.getByRole("row", { name: /Select (nightly|report)/ });
  for (const [step, done, state] of [
    ["Run now", "started", "deployed"],
    ["Pause", "paused", "paused"],
    ["Resume", "resumed", "deployed"],
    ["Take offline", "taken offline", "offline"],
    ["Deploy", "deployed", "deployed"],
  ] as const) {
    await page.getByRole("button", { name: step, exact: true }).click();
    await page.getByText(`2 tasks: ${done}.`).waitFor();
    await rows.nth(1).getByText(state, { exact: true }).waitFor();
    assert.equal(await rows.getByText(state, { exact: true }).count(), 2);
  }
});

scene("a cluster is created, resized, started, suspended and dropped", { width: 1440 }, async (page) => {
  await page.goto(`${url}/compute`);
  await page.getByRole("button", { name: "Create a cluster" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("etl");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  const row = page.getByRole("row", { name: /^etl/ });
  await row.getByText("suspended").waitFor();
  await page.getByRole("button", { name: "More for etl" }).click();
  await page.getByRole("menuitem", { name: "Change size and limits" }).click();
  await page.getByRole("dialog").getByLabel("Jobs at once").fill("3");
  await page.getByRole("dialog").getByRole("combobox", { name: "Size" }).click();
  await page.getByRole("option", { name: "SMALL", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
  await row.getByText("0 of 3").waitFor();
  await row.getByRole("cell", { name: "SMALL", exact: true }).waitFor();
  await page.getByRole("button", { name: "Start etl" }).click();
  await row.getByText("running", { exact: true }).waitFor({ timeout: 150_000 });
  await page.getByRole("button", { name: "Suspend etl" }).click();
  await row.getByText("suspended").waitFor({ timeout: 60_000 });
  await page.getByRole("button", { name: "More for etl" }).click();
  await page.getByRole("menuitem", { name: "Drop" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Drop" }).click();
  await row.waitFor({ state: "detached" });
});

scene("jobs are filtered", { width: 1440 }, async (page) => {
  const failed = await submitStatement("SELECT 'the only one' FROM nosuch");
  await page.goto(`${url}/compute/jobs`);
  const jobs = page.getByRole("table", { name: "Jobs" });
  const others = jobs.locator("tbody tr").filter({ hasNotText: "nosuch" });
  await page.getByLabel("Job id").fill(failed);
  await jobs.getByTitle(failed).waitFor();
  await others.first().waitFor({ state: "detached" });
  const { user } = (await (await fetch(`${url}/api/v1/account`)).json()) as { user: string };
  await page.getByLabel("User", { exact: true }).fill("nobody of this name");
  await page.getByText("No job is listed").waitFor();
  await page.getByLabel("User", { exact: true }).fill(user);
  await jobs.getByTitle(failed).waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await others.first().waitFor();
  for (const [filter, choice] of [
    ["state", "failed"],
    ["kind", "statement"],
    ["cluster", "default"],
    ["time", "last hour"],
    ["duration", "longer than 1 s"],
    ["duration", "Any duration"],
  ] as const) {
    await page.getByRole("combobox", { name: filter, exact: true }).click();
    await page.getByRole("option", { name: choice, exact: true }).click();
  }
  await page.waitForURL(/state=FAILED.*kind=STATEMENT.*cluster=default.*since=/);
  await jobs.getByTitle(failed).waitFor();
  await jobs.getByText("succeeded").first().waitFor({ state: "detached" });
  await jobs.getByText("refresh", { exact: true }).first().waitFor({ state: "detached" });
  await page.goto(`${url}/compute/jobs?kind=REFRESH&table=dwd_orders`);
  await jobs.getByText("dwd_orders").first().waitFor();
  assert.equal(await jobs.locator("tbody tr").filter({ hasNotText: "dwd_orders" }).count(), 0);
  await page.getByLabel("query_tag").fill("a tag of nobody");
  await page.getByText("No job is listed").waitFor();
});

scene("a stream shows what was not consumed", { width: 1440 }, async (page) => {
  await page.goto(`${url}/streams`);
  await page.getByRole("button", { name: "Show pending rows of orders_changes" }).click();
  await page.getByRole("columnheader", { name: /__change_type/ }).waitFor();
});

scene("a token is created, shown once, and revoked", { width: 1440 }, async (page) => {
  await page.goto(`${url}/tokens`);
  await page.getByRole("button", { name: "Create a token" }).click();
  await page.getByRole("dialog").getByLabel("Name of the user").fill("carol");
  await page.getByRole("dialog").getByRole("combobox", { name: "Role" }).click();
  await page.getByRole("option", { name: /^operator/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  const token = (await page.getByRole("dialog").locator("pre").textContent())?.trim() ?? "";
  const asked = () => fetch(`${url}/api/v1/account`, { headers: { Authorization: `Bearer ${token}` } });
  assert.equal((await asked()).status, 200);
  assert.equal(((await (await asked()).json()) as { role: string }).role, "operator");
  await page.getByRole("button", { name: "Done" }).click();
  assert.equal(await page.getByText(token).count(), 0);
  await page.getByRole("button", { name: "Revoke carol" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("row", { name: /carol/ }).getByText("revoked").waitFor();
  assert.equal((await asked()).status, 401);
});
