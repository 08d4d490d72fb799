/** Pictures for the documentation, of a live demo: STUDIO_URL=... scripts/studio pictures */

import { mkdirSync } from "node:fs";

import { launch, settled, url, view } from "./harness.ts";

const [directory = "../docs/images"] = process.argv.slice(2);
const TABLE = "lake.public.ads_category_gmv";
const PAGES: Record<string, string> = {
  overview: "/",
  "dynamic-table": `/dynamic-tables/${TABLE.replaceAll(".", "/")}`,
  lineage: `/lineage?focus=${TABLE}&column=gmv`,
  development: "/development",
};

mkdirSync(directory, { recursive: true });
const browser = await launch();
const { page } = await view(browser, { width: 1280, height: 800 });
await fetch(`${url}/api/v1/files/tutorial`, { method: "POST" });
for (const [name, path] of Object.entries(PAGES)) {
  await page.goto(url + path);
  await settled(page);
  if (name === "development") {
    await page.getByText("Step02").click();
    await page.locator(".cm-content").waitFor();
  }
  await page.waitForTimeout(1500);
  await page.screenshot({ path: `${directory}/studio-${name}.png` });
}
await browser.close();
