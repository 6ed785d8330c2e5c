#!/bin/sh
# SPDX-License-Identifier: ISC
# report.html in headless Chromium, from disk, at two widths and in both colour schemes: no console message, no request but
# the page itself, nothing wider than the screen. Run by `make check-interop`; SHOTS=DIR keeps the screenshots to look at.
. "$(dirname "$0")/../cli/common.sh"
chromium=$(command -v chromium || command -v chromium-browser) || { echo "chromium is missing: install chromium"; exit 1; }
command -v npm > /dev/null 2>&1 || { echo "npm is missing: install npm"; exit 1; }
cat > c.yaml <<'C'
sallyport: 1
name: page
purpose: What a browser makes of the report
names: posix
partial: true
outputs:
  - {glob: "**/*", types: [text, html-static]}
  - {path: gone.txt, types: [text], optional: true}
C
mkdir -p s/d && echo hello > s/a.txt && echo '<!DOCTYPE html><script>x</script>' > s/page.html
long=$(printf 'x%.0s' 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0)
echo far > "s/d/$long$long$long$long$long$long.txt"
echo '<!DOCTYPE html><script>x</script>' > 's/<img src=x onerror=alert(1)>'
echo x > 's/"><script>alert(1)<!--'
for i in 1 2 3 4 5 6 7 8 9; do echo "$i" > s/$i.txt; done
expect 7 "$sallyport" promote c.yaml --from s --to d --id one -q
printf 'sallyport: 1\nname: none\nowner: a@example.org\noutputs: [{path: page.html, types: [html-static]}]\n' > refuse.yaml
expect 1 "$sallyport" check refuse.yaml --from s --report html=refuse.html -q
npm init -y > /dev/null 2>&1
PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm install --no-audit --no-fund --silent playwright-core > npm.log 2>&1 || { cat npm.log; fail "npm install"; finish; }
cat > look.mjs <<'J'
import { chromium } from "playwright-core";
const [program, shots, ...pages] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
let bad = 0;
for (const page of pages) for (const scheme of ["light", "dark"]) for (const width of [1280, 390]) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
    const tab = await context.newPage(), said = [], asked = [];
    tab.on("console", (m) => said.push(m.text()));
    tab.on("pageerror", (e) => said.push(String(e)));
    tab.on("dialog", (d) => { said.push("dialog"); d.dismiss(); });
    tab.on("request", (r) => asked.push(r.url()));
    await tab.goto("file://" + page);
    for (const summary of await tab.$$("details:not([open]) > summary")) await summary.click();
    const seen = await tab.evaluate(() => ({ over: document.documentElement.scrollWidth - innerWidth,
        scripts: document.querySelectorAll("script,img,iframe,link").length, rows: document.querySelectorAll("tbody tr").length,
        light: getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).every((c) => c > 127) }));
    if (shots) await tab.screenshot({ path: `${shots}/${page.split("/").at(-1)}-${width}-${scheme}.png`, fullPage: true });
    const good = said.length === 0 && asked.length === 1 && seen.over <= 0 && seen.scripts === 0 && seen.rows > 0 &&
        seen.light === (scheme === "light");
    if (!good) { bad++; console.log(page, scheme, width, said, asked, seen); }
    await context.close();
}
await browser.close();
process.exit(bad ? 1 : 0);
J
expect 0 node look.mjs "$chromium" "${SHOTS:-}" "$work/d/page-one/sallyport/report.html" "$work/refuse.html"
# the same eye sees a page that does load something
sed 's,</body>,<img src="file:///nowhere.png"></body>,' refuse.html > loads.html
expect 1 node look.mjs "$chromium" "" "$work/loads.html"
finish
