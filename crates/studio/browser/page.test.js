"use strict";

// The page in a browser: a text is edited, proved, refuted, cancelled and saved, by mouse and keys.

const assert = require("node:assert");
const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { after, before, test } = require("node:test");
const { chromium } = require("playwright-core");

const { HALIDOM: halidom, BROWSER: browserPath, REPOSITORY: repository } = process.env;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "studio-test-"));
let browser;
/** The servers that run; those of failed tests are ended at the end. */
const servers = new Set();

before(async () => {
  browser = await chromium.launch({
    executablePath: browserPath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
});

after(async () => {
  await browser?.close();
  for (const server of servers) {
    server.kill("SIGKILL");
  }
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Starts `halidom studio` for a file, and gives its address and what ends it. */
async function serve(file) {
  const server = spawn(halidom, ["studio", file], { stdio: ["ignore", "pipe", "ignore"] });
  servers.add(server);
  server.on("exit", () => servers.delete(server));
  const url = await new Promise((done, failed) => {
    let printed = "";
    server.stdout.on("data", (data) => {
      printed += data;
      if (printed.includes("\n")) {
        done(printed.trim());
      }
    });
    server.on("exit", () => failed(new Error("the server ended")));
  });
  const ended = new Promise((done) => server.on("exit", done));
  const stop = async () => {
    server.kill("SIGINT");
    return ended;
  };
  return { url, stop };
}

/** Opens the page of a file. Anything that the browser complains of fails the test. */
async function open(file, options = {}) {
  const server = await serve(file);
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      complaints.push(message.text());
    }
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(server.url).origin) {
      complaints.push(`a request elsewhere: ${request.url()}`);
    }
  });
  await page.goto(server.url);
  await page.waitForFunction(() => document.getElementById("name").textContent !== "…");
  const close = async () => {
    await context.close();
    assert.equal(await server.stop(), 0, "the server ends in order");
    assert.deepEqual(complaints, []);
  };
  return { page, close, complaints };
}

function copied(example, name = path.basename(example)) {
  const file = path.join(folder, name);
  fs.copyFileSync(path.join(repository, example), file);
  return file;
}

function shot(page, name) {
  return page.screenshot({ path: path.join(__dirname, `${name}.png`), fullPage: true });
}

/** Replaces a part of the text, as one who types does. */
async function replace(page, from, to) {
  await page.evaluate(([part, other]) => {
    const area = document.getElementById("text");
    const at = area.value.indexOf(part);
    if (at < 0) {
      throw new Error(`no ${part}`);
    }
    area.focus();
    area.setSelectionRange(at, at + part.length);
    document.execCommand("insertText", false, other);
  }, [from, to]);
}

const choose = (page, name) => page.getByRole("radio", { name, exact: false }).check();
const prove = (page) => page.getByRole("button", { name: "Prove" }).click();
const word = async (page, wanted) => page.waitForSelector(`#verdict.${wanted}`, { timeout: 60000 });
const hasNoVerdict = async (page) => {
  assert.equal(await page.locator("#verdict").textContent(), "");
  assert.equal(await page.locator("#verdict").getAttribute("class") || "", "");
};

test("a program is broken, mended, scheduled, proved and saved", { timeout: 120000 }, async () => {
  const file = copied("examples/blur.hal");
  const before = fs.readFileSync(file, "utf8");
  const { page, close } = await open(file);
  assert.equal(await page.locator("#text").inputValue(), before);
  await page.waitForFunction(() => document.querySelectorAll("#schedules input").length === 5);
  const nest = page.locator("#nest");
  await page.waitForFunction(() => document.getElementById("nest").textContent !== "");
  const tiled = await nest.textContent();
  assert.match(tiled, /parallel/);
  await shot(page, "1-opened");

  // A diagnostic at its line, and the way to it.
  await replace(page, "input(x + 2, y)", "inptu(x + 2, y)");
  await page.waitForSelector("#problems .error");
  const problem = page.locator("#problems button").first();
  assert.match(await problem.textContent(), /error, line 3: .*inptu/s);
  assert.equal(await page.locator("#numbers div:nth-child(3) b").textContent(), "●");
  await shot(page, "2-diagnostic");
  await problem.click();
  const cursor = await page.evaluate(() => {
    const area = document.getElementById("text");
    return area.value.slice(area.selectionStart, area.selectionStart + 5);
  });
  assert.equal(cursor, "inptu");
  await replace(page, "inptu(x + 2, y)", "input(x + 2, y)");
  await page.waitForSelector("#problems .quiet");

  // The loops follow the chosen schedule and the text.
  await choose(page, "rows");
  await page.waitForFunction((old) => {
    const now = document.getElementById("nest").textContent;
    return now !== "" && now !== old;
  }, tiled);
  const rows = await nest.textContent();
  await replace(page, "blur_x.compute_at(output, yo).vectorize(x, 16);", "blur_x.compute_root();");
  await page.waitForFunction((old) => document.getElementById("nest").textContent !== old, rows);
  await page.waitForFunction(() =>
    /at the root/.test(document.getElementById("places").textContent));

  // A verdict is about the shown text: an edit removes it.
  await prove(page);
  await word(page, "proved");
  assert.match(await page.locator("#verdict").textContent(),
    /^proved: the program computes what the algorithm says, bit for bit/);
  assert.match(await page.locator("#details table").first().textContent(), /✓ proved/);
  await shot(page, "3-proved");
  await replace(page, "blur_x.compute_root();", "blur_x.compute_root() ;");
  await hasNoVerdict(page);
  await page.waitForTimeout(400);
  await hasNoVerdict(page);

  // Another schedule has another verdict; the first one's is still known for the same text.
  await page.keyboard.press("Control+Enter");
  await word(page, "proved");
  await choose(page, "lines");
  await hasNoVerdict(page);
  await choose(page, "rows");
  await word(page, "proved");

  assert.equal(fs.readFileSync(file, "utf8"), before, "nothing is written before Save");
  await page.keyboard.press("Control+s");
  await page.waitForFunction(() => /^saved/.test(document.getElementById("message").textContent));
  const saved = await page.locator("#text").inputValue();
  assert.equal(fs.readFileSync(file, "utf8"), saved);
  assert.notEqual(saved, before);

  // A file that changed on disk is left alone.
  fs.writeFileSync(file, before);
  await replace(page, "Two-stage", "Two-step");
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForSelector("#message.bad");
  assert.match(await page.locator("#message").textContent(), /changed on disk/);
  assert.equal(fs.readFileSync(file, "utf8"), before);
  await shot(page, "4-not-saved");
  page.once("dialog", (dialog) => dialog.accept());
  await page.getByRole("button", { name: "Read the file again" }).click();
  await page.waitForFunction((text) => document.getElementById("text").value === text, before);
  await close();
});

/** The final form of a pipeline with a wrong index in its program, not in its algorithm. */
function wrongTwin(name) {
  const lowered = spawnSync(halidom,
    ["lower", path.join(repository, "examples/blur.hal"), "-s", "rows", "--stage", "final"],
    { encoding: "utf8" });
  assert.equal(lowered.status, 0, lowered.stderr);
  const at = lowered.stdout.indexOf("\nprogram ");
  const [algorithm, program] = [lowered.stdout.slice(0, at), lowered.stdout.slice(at)];
  const part = program.lastIndexOf("/ 3u16");
  const wrong = `${program.slice(0, part)}/ 2u16${program.slice(part + 6)}`;
  const file = path.join(folder, name);
  fs.writeFileSync(file, algorithm + program);
  return { file, right: algorithm + program, wrong: algorithm + wrong };
}

test("a wrong program is refuted with pictures", { timeout: 120000 }, async () => {
  const { file, right, wrong } = wrongTwin("blur.ir");
  const { page, close } = await open(file);
  await prove(page);
  await word(page, "proved");
  assert.equal(right, await page.locator("#text").inputValue());
  await page.evaluate((text) => {
    document.getElementById("text").focus();
    document.execCommand("selectAll");
    document.execCommand("insertText", false, text);
  }, wrong);
  await hasNoVerdict(page);
  await prove(page);
  await word(page, "refuted");
  assert.match(await page.locator("#verdict").textContent(), /^refuted: expected \d+, got \d+/);
  const titles = await page.locator("#pictures figcaption").allTextContents();
  assert.deepEqual(titles.slice(0, 3), ["expected", "got", "difference"]);
  const painted = await page.evaluate(() => {
    const canvases = Array.from(document.querySelectorAll("#pictures canvas"));
    return canvases.map((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(Array.from(data)).size > 2;
    });
  });
  assert.ok(painted.length >= 4 && painted.slice(0, 3).every(Boolean), String(painted));
  assert.match(await page.locator("#details").textContent(), /✗ refuted/);
  await shot(page, "5-refuted");
  await close();
});

test("a sum in another order is not the same bit for bit", { timeout: 120000 }, async () => {
  const { page, close } = await open(copied("tests/cases/validate/fast_math_bits.hal"));
  await page.waitForSelector("#schedules input:checked");
  await prove(page);
  await word(page, "proved");
  await page.getByLabel("Floats:").selectOption("bits");
  await hasNoVerdict(page);
  await prove(page);
  await word(page, "refuted");
  // The output is one value, which is no picture; the inputs are rows.
  assert.match(await page.locator("#pictures table").textContent(), /d\(\)4\.784463/);
  assert.equal(await page.locator("#pictures canvas").count(), 2);
  await shot(page, "10-bits");
  await page.getByLabel("Floats:").selectOption("");
  await hasNoVerdict(page);
  await close();
});

/** Tests whether a proof of `local_laplacian` runs. */
function isProving() {
  const { stdout } = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return /validate --json .*--pipeline=local_laplacian/.test(stdout);
}

test("a proof is cancelled, and an edit ends one", { timeout: 120000 }, async () => {
  const file = copied("examples/applications/local_laplacian.hal");
  const { page, close } = await open(file);
  await page.waitForSelector("#schedules input:checked");
  await choose(page, "application");
  await prove(page);
  await page.waitForSelector("#progress:not([hidden])");
  await page.waitForTimeout(1300);
  assert.match(await page.locator("#elapsed").textContent(), /^proving, \d+ s$/);
  await shot(page, "6-proving");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForSelector("#progress", { state: "hidden" });
  assert.equal(await page.locator("#elapsed").textContent(), "cancelled");
  await hasNoVerdict(page);

  await prove(page);
  await page.waitForSelector("#progress:not([hidden])");
  for (let round = 0; !isProving(); round += 1) {
    assert.ok(round < 100, "the proof runs");
    await page.waitForTimeout(50);
  }
  await page.locator("#text").focus();
  await page.keyboard.type("// ");
  await page.waitForSelector("#progress", { state: "hidden" });
  assert.match(await page.locator("#elapsed").textContent(), /text changed/);
  await page.waitForTimeout(500);
  await hasNoVerdict(page);
  assert.ok(!isProving(), "no proof is left");
  await close();
});

test("times are shown for an element", { timeout: 120000 }, async () => {
  const { page, close } = await open(copied("examples/blur.hal", "timed.hal"), {
    colorScheme: "dark",
  });
  await page.waitForSelector("#schedules input:checked");
  await page.waitForFunction(() => document.getElementById("size").value !== "");
  await page.getByRole("textbox", { name: "Output size" }).fill("640x480");
  await page.getByRole("button", { name: "Time" }).click();
  await page.waitForSelector("#times:not([hidden])", { timeout: 60000 });
  assert.match(await page.locator("#times").textContent(), /ns per element.*\d\.\d{3}/s);
  await page.getByRole("button", { name: "Explain" }).click();
  await page.waitForSelector("#explained:not([hidden])", { timeout: 60000 });
  assert.equal(await page.locator("#times:not([hidden])").count(), 0);
  assert.ok(await page.locator("#explained .bar .computing").count() > 0);
  assert.match(await page.locator("#explained").textContent(), /blur_x.*times.*beyond L1/s);
  await page.locator("#explained").scrollIntoViewIfNeeded();
  await shot(page, "7-explained");
  await prove(page);
  await word(page, "proved");
  await shot(page, "8-dark");
  await page.setViewportSize({ width: 700, height: 900 });
  await shot(page, "9-narrow");
  await close();
});

test("text of the file is never markup", { timeout: 60000 }, async () => {
  const file = path.join(folder, "markup.hal");
  const evil = "<img src=x onerror=\"document.title='taken'\">";
  fs.writeFileSync(file, `// ${evil}\npipeline p(a: buffer<u8, 1>) -> b: buffer<u8, 1> {\n`
    + "    func b(x) = a(x);\n}\nschedule s for p {}\n");
  const { page, close } = await open(file);
  await page.waitForSelector("#schedules input:checked");
  await replace(page, "= a(x);", `= ${evil};`);
  await page.waitForSelector("#problems .error");
  assert.equal(await page.locator("img").count(), 0);
  assert.ok(!(await page.title()).includes("taken"));
  await prove(page);
  await word(page, "failed");
  assert.equal(await page.locator("img").count(), 0);
  await close();
});
