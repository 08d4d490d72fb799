/** Every page, in both themes and widths: it keeps to its policy and origin, is accessible, and fits. */

import assert from "node:assert/strict";
import { describe } from "node:test";

import { scene, settled, url } from "./harness.ts";
import { findingsOfLooks } from "./looks.ts";
import { drawnNames, goTo } from "./steps.ts";

const TABLE = "/dynamic-tables/lake/public/ads_category_gmv";
const OBJECT = "/catalog/lake/public/ods_orders";

interface Item {
  id: string;
  kind: string;
}

/** Two refreshes of a table that computed something. */
async function refreshes(): Promise<string[]> {
  const query = "kind=REFRESH&table=dwd_orders&min_seconds=0.1&limit=2";
  const answer = await fetch(`${url}/api/v1/jobs?${query}`);
  const { items } = (await answer.json()) as { items: { job_id: string }[] };
  return items.map((job) => job.job_id);
}

async function paths(): Promise<Record<string, string>> {
  const [refresh = "", other = ""] = await refreshes();
  const files = (await (await fetch(`${url}/api/v1/files`)).json()) as { items: Item[] };
  const file = files.items.find((each) => each.kind === "SQL");
  return {
    overview: "/",
    "dynamic-tables": "/dynamic-tables",
    "dynamic-table": TABLE,
    "dynamic-table-explain": `${TABLE}?tab=explain`,
    "dynamic-table-definition": `${TABLE}?tab=definition`,
    "dynamic-table-verify": `${TABLE}?tab=verify`,
    lineage: "/lineage?focus=lake.public.ads_category_gmv&column=gmv",
    catalog: "/catalog",
    "catalog-object": OBJECT,
    "catalog-rows": `${OBJECT}?tab=rows`,
    "catalog-ddl": `${OBJECT}?tab=ddl`,
    "catalog-versions": `${OBJECT}?tab=versions`,
    "catalog-properties": `${OBJECT}?tab=properties`,
    streams: "/streams",
    development: `/development?file=${file?.id ?? ""}`,
    tasks: "/tasks",
    "tasks-instances": "/tasks?tab=runs",
    "tasks-day": "/tasks?tab=day",
    "tasks-dependencies": "/tasks?tab=graph",
    "tasks-tables": "/tasks?tab=tables",
    task: "/tasks/nightly",
    compute: "/compute",
    jobs: "/compute/jobs",
    job: `/compute/jobs/${refresh}`,
    "job-comparison": `/compute/jobs/${refresh}?compare=${other}`,
    missing: "/catalog/lake/public/nosuch",
    alerts: "/alerts",
    tokens: "/tokens",
  };
}

const PARTS = 2;
describe("every page", { concurrency: PARTS }, () => {
  for (let part = 0; part < PARTS; part++) {
    const title = `part ${part + 1}: keeps to its policy, is accessible and fits`;
    scene(title, { seconds: 700 }, async (page) => {
      const found: string[] = [];
      const own = Object.entries(await paths()).filter((_, place) => place % PARTS === part);
      for (const [name, path] of own) {
        await page.goto(url + path);
        await page.locator("h1").first().waitFor({ state: "attached" });
        found.push(...(await findingsOfLooks(page, name)));
      }
      assert.deepEqual(found, []);
    });
  }
});

scene("the command palette, shortcuts, back and forward", {}, async (page) => {
  await page.goto(url);
  await settled(page);
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Page, table, column").fill("ads_category_rank");
  await page
    .getByRole("button", { name: /ads_category_rank/ })
    .first()
    .click();
  await page.getByRole("heading", { name: "ads_category_rank" }).waitFor();
  await settled(page);
  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await page.getByRole("heading", { name: "Lineage" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "ads_category_rank" }).waitFor();
  await page.goForward();
  await page.getByRole("heading", { name: "Lineage" }).waitFor();
  await settled(page);
  await page.keyboard.press("Shift+?");
  await page.getByText("Go to a page, table or task").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("/");
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Selection");
});

scene("the theme is chosen and remembered", { scheme: "light" }, async (page) => {
  await page.goto(url);
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("menuitem", { name: "Dark" }).click();
  await page.reload();
  await settled(page);
  assert.equal(await page.locator("html").getAttribute("data-mantine-color-scheme"), "dark");
});

scene("times are those of the lake, the viewer's on hover", { timeZone: "Asia/Tokyo" }, async (page) => {
  await page.goto(`${url}/tasks/nightly`);
  await settled(page);
  await page.getByRole("table", { name: "Runs" }).locator("time").first().hover();
  await page.getByRole("tooltip").getByText("Asia/Tokyo (here)").waitFor();
});

scene("a stream is found in the catalog", {}, async (page) => {
  await page.goto(url);
  await goTo(page, "Catalog");
  await page.getByRole("navigation", { name: "Objects" }).getByTitle("stream orders_changes").click();
  await page.getByRole("columnheader", { name: /__change_type/ }).waitFor();
});

scene("a view stands between its tables and its readers", {}, async (page) => {
  await page.goto(`${url}/lineage?select=${encodeURIComponent("+large_orders_by_product")}`);
  assert.deepEqual(await drawnNames(page, 3), ["large_orders", "large_orders_by_product", "ods_orders"]);
});
