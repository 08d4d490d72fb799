/** What a person does again and again. */

import type { Locator, Page } from "playwright-core";

import { url } from "./harness.ts";

/** Takes an hour, in tasks that take less than a second, so that its end comes soon after it is cancelled. */
export const ENDLESS_QUERY = "SELECT max(xxhash64(id)) AS endless FROM range(0, 1000000000000, 1, 20000)";

const ATTEMPTS = 20;
const ATTEMPT_MILLISECONDS = 3000;

/** Repeats steps that are without effect while the page is not ready for them, and says so in no other way. */
export async function untilDone(steps: (timeout: number) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await steps(ATTEMPT_MILLISECONDS);
      return;
    } catch (failure) {
      if (attempt === ATTEMPTS) throw failure;
    }
  }
}

/** By the side bar. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();
}

export type NewFile = "SQL script" | "Python script" | "Dynamic table";

export async function createFile(page: Page, kind: NewFile, name: string): Promise<void> {
  await page.goto(`${url}/development`);
  await page.getByRole("button", { name: "New file or folder" }).click();
  await page.getByRole("menuitem", { name: kind }).click();
  await page.getByRole("dialog").getByLabel("Name").fill(name);
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name, exact: true }).waitFor({ state: "attached" });
  await page.locator(".cm-content").waitFor();
}

/** What the editor contains; comparisons of versions have editors of their own. */
export function script(page: Page): Locator {
  return page.locator("[aria-label=Script]");
}

/** In the place of what the editor contains. */
export async function type(page: Page, text: string): Promise<void> {
  await script(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

export async function runAll(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Other ways to run" }).click();
  await page.getByRole("menuitem", { name: "Run all statements" }).click();
  await ended(page);
}

/** The selection, or the statement at the cursor. */
export async function runChosen(page: Page): Promise<void> {
  await page.keyboard.press("Control+Enter");
  await ended(page);
}

/** The button is there from the click that begins the run to its end. */
async function ended(page: Page): Promise<void> {
  await page
    .getByRole("button", { name: "Cancel", exact: true })
    .waitFor({ state: "detached", timeout: 180_000 });
}

export async function everyMinute(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Settings" }).click();
  const settings = page.getByRole("complementary", { name: "Settings" });
  await settings.getByRole("combobox", { name: "Schedule" }).click();
  await page.getByRole("option", { name: "at an interval" }).click();
  await settings.getByText("Next runs").waitFor();
}

export async function submit(page: Page, task: string): Promise<void> {
  await page.getByRole("button", { name: "Submit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`Task ${task}: will be created`).waitFor();
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await page.getByText(`${task} is deployed`).waitFor({ timeout: 180_000 });
  await dialog.waitFor({ state: "detached" });
}

/** Waits until these objects are drawn, in alphabetical order, and no others. */
export async function onlyDrawn(page: Page, names: string[], box = ".react-flow__node"): Promise<void> {
  await page.waitForFunction(
    ([wanted, drawn]) => {
      const labels = [...document.querySelectorAll<HTMLElement>(`${drawn} .tree-label`)];
      return JSON.stringify(labels.map((label) => label.innerText).sort()) === wanted;
    },
    [JSON.stringify(names), box] as const,
  );
}

/** The names in the graph, once so many boxes are drawn. */
export async function drawnNames(page: Page, number: number): Promise<string[]> {
  const labels = page.locator(".react-flow__node .tree-label");
  await labels.nth(number - 1).waitFor();
  return (await labels.allInnerTexts()).sort();
}
