/** Pictures of every page, in both themes and widths: node browser/screenshots.ts DIRECTORY [PATH ...] */

import { mkdirSync } from "node:fs";

import { launch, settled, url, view } from "./harness.ts";

const [directory = "screenshots", ...given] = process.argv.slice(2);
const paths = given.length > 0 ? given : (process.env["STUDIO_PAGES"] ?? "/").split(" ");
const widths = (process.env["STUDIO_WIDTHS"] ?? "1280 1920").split(" ").map(Number);
const schemes = (process.env["STUDIO_SCHEMES"] ?? "light dark").split(" ") as ("light" | "dark")[];

mkdirSync(directory, { recursive: true });
const browser = await launch();
for (const scheme of schemes) {
  for (const width of widths) {
    const { page, problems } = await view(browser, { scheme, width, height: Math.round(width * 0.62) });
    for (const path of paths) {
      await page.goto(url + path);
      await settled(page);
      await page.waitForTimeout(400);
      const name = path.replaceAll(/[^a-z0-9]+/gi, "-").replaceAll(/^-|-$/g, "") || "overview";
      await page.screenshot({ path: `${directory}/${name}-${scheme}-${width}.png` });
    }
    if (problems.length > 0) process.stderr.write(`${problems.join("\n")}\n`);
    await page.context().close();
  }
}
await browser.close();
