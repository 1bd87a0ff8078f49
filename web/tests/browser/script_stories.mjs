// The script tag of a search page, on the page of a shop with an origin of its own.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { Client, startServer } from "./server.mjs";
import { until, WAIT } from "./watched_page.mjs";

const LISTS = { old: ["a1", "a2"], new: ["b1", "b2"] };

// The ten lines that a shop needs.
const searchPage = (duel) => `<!doctype html><title>Shop</title>
<script src="${duel}/duel.js" data-experiment="shop"></script>
<ol id="results"></ol>
<script>
  async function search(lists) {
    const page = await duel.interleave(lists, { query: "toner", subject: "s" + Math.random() });
    results.innerHTML = page.items
      .map((item) => \`<li data-duel-item="\${item.object_id}"><p>\${item.object_id}</p>
        <a href="/item/\${item.object_id}">open</a> <button data-duel-action="add_to_cart">buy</button></li>\`)
      .join("");
    window.shown = page;
  }
  search(${JSON.stringify(LISTS)});
</script>`;

// A page that the shop's own server has interleaved.
const servedPage = (duel, page) => `<!doctype html><title>Shop</title>
<script src="${duel}/duel.js" data-experiment="shop"></script>
<ol data-duel-query="${page.duel_id}" data-duel-token="${page.report_token}">
${page.items.map((item) => `<li data-duel-item="${item.object_id}"><a href="/item/x">${item.object_id}</a></li>`).join("\n")}
</ol>`;

async function withShop({ binary, browser }, story) {
  const pages = new Map();
  const shop = createServer((asked, answer) => {
    const page = pages.get(asked.url);
    answer.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    answer.end(page ? page() : "<!doctype html><title>Item</title>");
  });
  await new Promise((done) => shop.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${shop.address().port}`;
  const server = await startServer(binary, { arguments: ["--allow-origin", origin] });
  const context = await browser.newContext();
  try {
    const client = new Client(server.origin);
    await client.create("shop", {
      mode: "interleave",
      arms: [{ arm_id: "old" }, { arm_id: "new" }],
      policy: "uniform",
      interleave: { actions: { click: 1, add_to_cart: 3 } },
    });
    const page = await context.newPage();
    page.setDefaultTimeout(WAIT);
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await story({ origin, server, client, pages, page });
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
    await server.stop();
    shop.close();
    shop.closeAllConnections();
  }
}

const outcomeOf = (client, duel) =>
  until(client, `/v1/experiments/shop/duels/${duel}`, (told) => told.outcome !== undefined);

export const tests = {
  async the_script_has_at_most_six_kilobytes({ binary }) {
    const server = await startServer(binary);
    try {
      const answer = await fetch(`${server.origin}/duel.js`);
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get("content-type"), /^text\/javascript/);
      assert.equal(answer.headers.get("cache-control"), "no-cache", "its name never changes");
      assert.ok((await answer.arrayBuffer()).byteLength <= 6000);
    } finally {
      await server.stop();
    }
  },

  async a_search_page_of_ten_lines_decides_a_duel({ binary, browser }) {
    await withShop({ binary, browser }, async ({ origin, server, client, pages, page }) => {
      pages.set("/search", () => searchPage(server.origin));
      await page.goto(`${origin}/search`);
      await page.locator("[data-duel-item]").nth(3).waitFor();
      const shown = await page.evaluate(() => window.shown);
      assert.equal(shown.fallback, false);
      assert.deepEqual(shown.items.map((item) => item.object_id).sort(), ["a1", "a2", "b1", "b2"]);
      // The text of an item that has links is no click on it.
      await page.locator('[data-duel-item="a1"] p').click();
      await page.locator('[data-duel-item="b1"] a').click();
      await page.waitForURL("**/item/b1");
      const told = await outcomeOf(client, shown.query_id);
      assert.equal(told.outcome.result, "win");
      assert.equal(told.outcome.winner, "new");
    });
  },

  async actions_have_their_weights_and_the_next_query_closes_the_page({ binary, browser }) {
    await withShop({ binary, browser }, async ({ origin, server, client, pages, page }) => {
      pages.set("/search", () => searchPage(server.origin));
      await page.goto(`${origin}/search`);
      await page.locator("[data-duel-item]").nth(3).waitFor();
      const first = await page.evaluate(() => window.shown.query_id);
      await page.evaluate(() => {
        duel.track("b1");
        duel.track("b2");
      });
      await page.locator('[data-duel-item="a1"] button').click();
      await until(client, "/v1/experiments/shop/result", (told) => told.pages?.clicked === 1);
      await page.evaluate(() => search({ old: ["c1"], new: ["d1"] }));
      await page.locator('[data-duel-item="d1"]').waitFor();
      const told = await outcomeOf(client, first);
      assert.equal(told.outcome.winner, "old", "a purchase is worth three clicks");
      assert.notEqual(await page.evaluate(() => window.shown.query_id), first);
    });
  },

  async a_page_that_the_shop_interleaved_needs_attributes_alone({ binary, browser }) {
    await withShop({ binary, browser }, async ({ origin, server, client, pages, page }) => {
      const made = await client.call("POST", "/v1/experiments/shop/interleavings", {
        duel_id: "q-1",
        lists: LISTS,
      });
      pages.set("/search", () => servedPage(server.origin, made));
      await page.goto(`${origin}/search`);
      await page.locator('[data-duel-item="a2"] a').click();
      await page.waitForURL("**/item/x");
      const told = await outcomeOf(client, "q-1");
      assert.equal(told.outcome.winner, "old");
    });
  },

  async a_shop_whose_duel_server_is_gone_shows_its_first_ranking({ binary, browser }) {
    await withShop({ binary, browser }, async ({ origin, server, pages, page }) => {
      pages.set("/search", () => searchPage(server.origin));
      await page.goto(`${origin}/search`);
      await page.locator("[data-duel-item]").nth(3).waitFor();
      await page.route(`${server.origin}/v1/**`, (route) => route.abort());
      await page.evaluate(() => search({ old: ["c1", "c2"], new: ["d1"] }));
      await page.locator('[data-duel-item="c2"]').waitFor();
      const shown = await page.evaluate(() => window.shown);
      assert.equal(shown.fallback, true);
      assert.deepEqual(
        shown.items.map((item) => item.object_id),
        ["c1", "c2"],
      );
    });
  },
};
