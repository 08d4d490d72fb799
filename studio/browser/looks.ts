/** A page in both themes and widths: whether it is accessible and fits, with a picture of each. */

import { mkdirSync } from "node:fs";

import type { Page } from "playwright-core";

import { PICTURES, seriousFindings, settled } from "./harness.ts";

interface Look {
  scheme: "light" | "dark";
  width: number;
  height: number;
}

const ALL_LOOKS: Look[] = [
  { scheme: "light", width: 1280, height: 800 },
  { scheme: "dark", width: 1920, height: 1080 },
  { scheme: "light", width: 1920, height: 1080 },
  { scheme: "dark", width: 1280, height: 800 },
];
/** Both themes and both widths are among the first two. */
const LOOKS = process.env["STUDIO_LOOKS"] === "all" ? ALL_LOOKS : ALL_LOOKS.slice(0, 2);
/** What is wrong with the page as it is now. */
export async function findingsOfLooks(page: Page, name: string): Promise<string[]> {
  mkdirSync(PICTURES, { recursive: true });
  const found: string[] = [];
  for (const look of LOOKS) found.push(...(await findings(page, name, look)));
  return found;
}

async function findings(page: Page, name: string, { scheme, width, height }: Look): Promise<string[]> {
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height });
  await settled(page);
  const look = `${name}-${scheme}-${width}`;
  const found = (await seriousFindings(page)).map((finding) => `${look}: ${finding}`);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (overflow > 0) found.push(`${look}: ${overflow} pixels wider than the window`);
  found.push(...(await cutOff(page)).map((table) => `${look}: ${table} is cut off`));
  await page.screenshot({ path: `${PICTURES}/${look}.png` });
  return found;
}

/** Lists of which a column can only be seen by scrolling; rows of a user's tables may have any width. */
async function cutOff(page: Page): Promise<string[]> {
  return await page.locator("table[aria-label]").evaluateAll((tables) =>
    tables.flatMap((table) => {
      const box = table.closest(".scroll");
      const missing = box === null ? 0 : box.scrollWidth - box.clientWidth;
      return missing > 0 ? [`${table.getAttribute("aria-label") ?? ""} (${missing} pixels)`] : [];
    }),
  );
}
