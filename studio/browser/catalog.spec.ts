/** Objects of the catalog and their places in the graph. */

import assert from "node:assert/strict";

import { scene, settled, submitStatement, url } from "./harness.ts";
import { drawnNames, onlyDrawn } from "./steps.ts";

scene("an object: search, rows, versions, restore", {}, async (page) => {
  await page.goto(`${url}/catalog`);
  await page.getByLabel("Find objects").fill("versioned");
  await page.getByRole("link", { name: "versioned" }).click();
  await page.getByRole("row", { name: /^name string .* which insert it was$/ }).waitFor();
  await page.getByRole("tab", { name: "Rows" }).click();
  await page.getByRole("cell", { name: "second" }).waitFor();
  await page.getByRole("tab", { name: "Versions" }).click();
  const versions = page.getByRole("table", { name: "Versions" });
  await versions.getByRole("button", { name: "Read" }).last().click();
  await page.getByText("VERSION AS OF").waitFor();
  await page.getByRole("cell", { name: "first" }).waitFor();
  assert.equal(await page.getByRole("cell", { name: "second" }).count(), 0);
  await page.getByRole("tab", { name: "Versions" }).click();
  await versions.getByRole("button", { name: "Restore" }).last().click();
  await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Rows" }).click();
  await page.getByRole("cell", { name: "first" }).waitFor();
  await page.getByRole("cell", { name: "second" }).waitFor({ state: "detached" });
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address);
  await page.getByRole("cell", { name: "first" }).waitFor();
});

scene("the tree: workspace, schema and objects of each kind", {}, async (page) => {
  await page.goto(`${url}/catalog`);
  const tree = page.getByRole("navigation", { name: "Objects" });
  for (const object of [
    "table versioned",
    "view large_orders",
    "dynamic table dwd_orders",
    "stream orders_changes",
  ])
    await tree.getByTitle(object, { exact: true }).waitFor();
  await tree.getByRole("button", { name: "schema nothing_yet 0" }).waitFor();
  const table = tree.getByTitle("table versioned", { exact: true });
  const schema = tree.getByRole("button", { name: "schema public" });
  await schema.click();
  await table.waitFor({ state: "detached" });
  await page.getByLabel("Find objects").fill("VERSIO");
  await table.waitFor();
  assert.equal(await tree.getByRole("link").count(), 1);
  await page.getByLabel("Find objects").fill("no such name");
  await tree.getByText("No object has such a name").waitFor();
  await page.getByLabel("Find objects").fill("");
  await schema.click();
  await tree.getByRole("button", { name: "workspace lake" }).click();
  await schema.waitFor({ state: "detached" });
  await tree.getByRole("button", { name: "workspace lake" }).click();
  await tree.getByTitle("view large_orders").click();
  await page.getByRole("heading", { name: "large_orders" }).waitFor();
});

scene("an object: who feeds it, who reads it, DDL, properties", {}, async (page) => {
  await page.goto(`${url}/catalog/lake/public/dwd_orders`);
  await page.getByRole("region", { name: "Made from" }).getByText("lake.public.ods_orders").waitFor();
  await page.getByRole("region", { name: "Read by" }).getByText("lake.public.ads_category_gmv").waitFor();
  await page.getByRole("tab", { name: "DDL" }).click();
  await page.locator("pre").getByText("DYNAMIC").waitFor();
  await page.getByRole("tab", { name: "Properties" }).click();
  await page.getByRole("region", { name: "Properties" }).getByText("Current version").waitFor();
  await page.goBack();
  await page.locator("pre").getByText("DYNAMIC").waitFor();
});

scene("one selection filters list and graph", {}, async (page) => {
  await page.goto(`${url}/dynamic-tables`);
  await page.getByLabel("Selection").fill("dwd_orders+ kind:dynamic_table");
  await page.waitForURL(/select=/);
  await page.getByRole("table").getByText("ads_category_rank").waitFor();
  await page.getByText("scratch").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "As a graph" }).click();
  await onlyDrawn(page, ["ads_category_gmv", "ads_category_rank", "dwd_orders"]);
  const downloaded = page.waitForEvent("download");
  await page.getByRole("button", { name: "SVG" }).click();
  assert.equal((await downloaded).suggestedFilename(), "lineage.svg");
  await page.getByLabel("Selection").fill("state:");
  await page.getByRole("alert").waitFor();
});

scene("a node is found, its neighbours shown, its schema collapsed", { width: 1440 }, async (page) => {
  await page.goto(`${url}/lineage`);
  await settled(page);
  await page.getByRole("combobox", { name: "Find in the graph" }).fill("ads_category_gm");
  await page.getByRole("option", { name: "ads_category_gmv" }).click();
  const about = page.getByRole("complementary", { name: "About ads_category_gmv" });
  await page.locator(".react-flow__node").getByText("ads_category_gmv").waitFor();
  await about.getByRole("button", { name: "Downstream" }).click();
  await page.waitForURL(/select=/);
  const outside = page.locator(".react-flow__node").getByText("ods_orders", { exact: true });
  await outside.waitFor({ state: "detached" });
  await onlyDrawn(page, ["ads_category_gmv", "ads_category_rank"]);
  await about.getByRole("button", { name: "Upstream" }).click();
  await outside.waitFor();
  await page.getByRole("combobox", { name: "Collapsed schemas" }).click();
  await page.getByRole("option", { name: "lake.public" }).click();
  await page.getByText("4 objects").waitFor();
  await outside.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Expand" }).click();
  await outside.waitFor();
});

scene("the graph shows a new state without being loaded again", {}, async (page) => {
  await page.goto(`${url}/lineage?select=orders_from`);
  const box = page.locator(".react-flow__node").filter({ hasText: "orders_from" });
  await box.getByText(/active|never refreshed/).waitFor();
  await submitStatement("ALTER DYNAMIC TABLE orders_from SUSPEND");
  await box.getByText("suspended").waitFor();
  await submitStatement("ALTER DYNAMIC TABLE orders_from RESUME");
});

scene("the graph fits its window, whatever its size", { width: 1280 }, async (page) => {
  await page.goto(`${url}/lineage?select=${encodeURIComponent("+ads_category_rank")}`);
  await drawnNames(page, 5);
  await page.setViewportSize({ width: 1920, height: 1000 });
  await page.waitForFunction(() => {
    const pane = document.querySelector(".react-flow")?.getBoundingClientRect();
    const boxes = [...document.querySelectorAll(".react-flow__node")].map((node) =>
      node.getBoundingClientRect(),
    );
    if (pane === undefined) return false;
    const left = Math.min(...boxes.map((box) => box.left)) - pane.left;
    const right = pane.right - Math.max(...boxes.map((box) => box.right));
    return pane.width > 1500 && Math.abs(left - right) < 4;
  });
});

scene("a column is followed to its sources, and to what is computed from it", {}, async (page) => {
  await page.goto(`${url}/lineage?focus=lake.public.ads_category_gmv`);
  const panel = page.getByRole("complementary");
  await panel.getByRole("button", { name: /^gmv decimal/ }).click();
  await panel.getByText("ads_category_rank.").first().waitFor();
  await onlyDrawn(
    page,
    ["ads_category_gmv", "ads_category_rank", "dwd_orders", "ods_orders"],
    ".graph-marked",
  );
  await panel.getByRole("button", { name: "ods_orders.price" }).click();
  const source = page.getByRole("complementary", { name: "About ods_orders" });
  await source.getByRole("button", { name: /^price /, expanded: true }).waitFor();
  await source.getByRole("button", { name: "ads_category_gmv.gmv" }).waitFor();
});
