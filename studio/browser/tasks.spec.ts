/** Task operations: runs that fail, are repeated, and are seen in the day and in the graph. */

import { scene, settled, url } from "./harness.ts";

scene("a run that failed has attempts with logs, and an alert", { width: 1440 }, async (page) => {
  await page.goto(`${url}/tasks/broken`);
  await page.getByRole("button", { name: "Run now" }).click();
  const runs = page.getByRole("table", { name: "Runs" });
  const second = runs.getByRole("row", { name: /failed 2 / });
  await second.getByRole("button", { name: /^Log of/ }).click();
  await page.getByRole("dialog").getByRole("alert").getByText("nosuch").first().waitFor();
  await page.keyboard.press("Escape");
  await runs.getByRole("row", { name: /failed 1 / }).waitFor();
  await page.goto(`${url}/alerts`);
  const alerts = page.getByRole("table", { name: "Alerts" });
  await alerts.getByRole("row", { name: /open .* a task failed task broken/ }).waitFor();
  const rules = page.getByRole("region", { name: "Rules of the lake" });
  await rules.getByText("a refresh failed").waitFor();
  await rules.getByText("[settings.alerts]").waitFor();
});

scene("what is reported of a task is changed", { width: 1440 }, async (page) => {
  await page.goto(`${url}/alerts`);
  await page.getByRole("button", { name: "Change the alerts of first_step" }).click();
  const dialog = page.getByRole("dialog", { name: "Alerts of first_step" });
  await dialog.getByLabel("A run has exceeded its timeout").uncheck();
  await dialog.getByText("(FAILURE)").waitFor();
  await dialog.getByRole("button", { name: "Change", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  const rules = page.getByRole("table", { name: "Rules of tasks" });
  await rules
    .getByRole("row", { name: /^first_step failures / })
    .getByRole("link")
    .click();
  const alerts = page.getByRole("region", { name: "Alerts" });
  await alerts.getByText("failures", { exact: true }).waitFor();
  await alerts.getByRole("button", { name: "Change" }).click();
  await dialog.getByLabel("A run has failed").uncheck();
  await dialog.getByRole("button", { name: "Change", exact: true }).click();
  await alerts.getByText("nothing", { exact: true }).waitFor();
});

scene("a run is repeated with all tasks after it", { width: 1440 }, async (page) => {
  const succeeded = page.getByRole("table", { name: "Runs" }).getByText("succeeded");
  await page.goto(`${url}/tasks/second_step`);
  await settled(page);
  const before = await succeeded.count();
  await page.goto(`${url}/tasks/first_step`);
  await page.getByRole("button", { name: "Run now" }).click();
  await page.goto(`${url}/tasks/second_step`);
  await succeeded.nth(before).waitFor();
  await page.goto(`${url}/tasks/first_step`);
  await page
    .getByRole("button", { name: /^Run .* again$/ })
    .first()
    .click();
  await page.getByRole("menuitem", { name: "Run again, with all tasks after it" }).click();
  await page.getByText("The task was started again, with all tasks after it.").waitFor();
  await page.getByRole("region", { name: "Dependencies" }).getByRole("link", { name: "second_step" }).click();
  await page.getByRole("heading", { name: "second_step" }).waitFor();
  await succeeded.nth(before + 1).waitFor();

  await page.goto(`${url}/tasks?tab=day`);
  const day = page.getByRole("region", { name: "Runs of the day" });
  await day
    .getByRole("link", { name: /^second_step .* succeeded, / })
    .last()
    .click();
  await page.getByRole("heading", { name: "second_step" }).waitFor();
  await page.goBack();
  await day.getByRole("button", { name: "Day after" }).click();
  await day.getByText("Nothing ran on this day").waitFor();

  await page.getByRole("tab", { name: "Dependencies" }).click();
  const box = (task: string) => page.locator(".react-flow__node").filter({ hasText: task });
  await box("second_step").getByText("succeeded").waitFor();
  await box("broken")
    .locator(".react-flow__handle.source")
    .dragTo(box("second_step").locator(".react-flow__handle.target"));
  const dialog = page.getByRole("dialog", { name: "Dependencies of second_step" });
  await dialog.getByText("SET AFTER `first_step`, `broken`").waitFor();
  await dialog.getByRole("button", { name: "Change", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await box("second_step").click();
  await page.getByRole("heading", { name: "second_step" }).waitFor();
  const dependencies = page.getByRole("region", { name: "Dependencies" });
  await dependencies.getByRole("link", { name: "broken" }).waitFor();
  await dependencies.getByRole("button", { name: "Change" }).click();
  const after = dialog.getByRole("combobox", { name: "Runs after" });
  await after.press("Backspace");
  await after.press("Tab");
  await dialog.getByText(/SET AFTER `first_step`$/).waitFor();
  await dialog.getByRole("button", { name: "Change", exact: true }).click();
  await dependencies.getByRole("link", { name: "broken" }).waitFor({ state: "detached" });
});
