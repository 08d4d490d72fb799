/** The server is killed and started again while a page is open; who runs this kills it when told. */

import { writeFile } from "node:fs/promises";

import { scene, settled } from "./harness.ts";
import { createFile, goTo, type } from "./steps.ts";

const sign = process.env["STUDIO_SIGN"] ?? "";

scene("a page says that the server is lost, and goes on when it is back", {}, async (page) => {
  await createFile(page, "SQL script", "survivor");
  await writeFile(`${sign}.opened`, "");
  const banner = page.getByText("The connection to the server is lost");
  await banner.waitFor({ timeout: 100_000 });
  await type(page, "SELECT 'typed while the server was away'");
  await page.getByRole("alert").getByText("The server cannot be reached").waitFor();
  await writeFile(`${sign}.lost`, "");
  await banner.waitFor({ state: "detached", timeout: 150_000 });
  await page.getByText("draft of version 1, stored").waitFor();
  await page.reload();
  await page.locator(".cm-content").getByText("typed while the server was away").waitFor();
  await goTo(page, "Dynamic tables");
  await page.getByRole("heading", { name: "Dynamic tables" }).waitFor();
  await settled(page);
});
