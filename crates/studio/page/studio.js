"use strict";

// The page: what is shown belongs to exactly the text that is shown.

/** The pause after typing, in milliseconds. */
const QUIET = 250;
const SIZES = ["", "4194304", "2560x1920", "1280x960x3", "64x64x16x4"];

const editor = new Editor(edited);
/** What was read or written last. */
let file = { name: "", kind: "hal", version: "", saved: "" };
let choice = { pipeline: "", schedule: "" };
/** The answers for the shown text and equality of floats, by schedule. Any edit empties it. */
let answers = new Map();
let job = null;
let isLooking = false;
let mustLook = false;
let timer = 0;
/** What the list of schedules was made of. */
let listed = "";
let sized = -1;

function say(text, isBad) {
  part("message").textContent = text;
  part("message").className = isBad ? "bad" : "";
}

function lost(error) {
  // A request that does not arrive fails with this kind of error.
  const isGone = error instanceof TypeError;
  say(isGone ? "The server does not answer: start it again." : error.message, true);
}

function question() {
  const { pipeline, schedule } = choice;
  return { text: editor.text, pipeline, schedule, floats: part("floats").value };
}

function key(asked) {
  return JSON.stringify([asked.pipeline, asked.schedule]);
}

/** Tests whether an answer is about what is shown. */
function isShown(asked) {
  return asked.text === editor.text && key(asked) === key(choice)
    && asked.floats === part("floats").value;
}

function edited() {
  answers = new Map();
  showKnown();
  if (job) {
    stop("cancelled, as the text changed");
  }
  hideSpeed();
  showSaved();
  clearTimeout(timer);
  timer = setTimeout(look, QUIET);
}

function showSaved() {
  const isSaved = editor.text === file.saved;
  part("changed").hidden = isSaved;
  part("save").disabled = isSaved;
  document.title = `${isSaved ? "" : "• "}${file.name} – Halidom studio`;
}

/** Shows the answer for the chosen schedule, if there is one for this text. */
function showKnown() {
  const answer = answers.get(key(choice));
  if (answer) {
    showAnswer(answer, file.kind, (line, column) => editor.go(line, column));
    editor.judge((answer.stores || []).map((store) => ({
      status: store.status, place: storeLine(store, file.kind),
    })));
  } else {
    hideAnswer();
    editor.judge([]);
  }
  for (const badge of document.querySelectorAll("#schedules [data-key]")) {
    const known = answers.get(badge.dataset.key);
    const word = known && STORE_SIGNS[known.word] ? known.word : "";
    badge.textContent = word ? STORE_SIGNS[word] : "";
    badge.className = word;
    badge.title = word;
  }
}

async function look() {
  if (isLooking) {
    mustLook = true;
    return;
  }
  isLooking = true;
  const asked = question();
  try {
    const seen = await ask("/look", asked);
    if (asked.text === editor.text) {
      showLook(seen, asked);
    }
  } catch (error) {
    lost(error);
  }
  isLooking = false;
  if (mustLook) {
    mustLook = false;
    look();
  }
}

function showLook(seen, asked) {
  editor.diagnose(seen.diagnostics);
  const items = seen.diagnostics.map((one) => make("li", {},
    make("button", { type: "button", click: () => one.line && editor.go(one.line, one.column) },
      make("span", { class: one.severity }, `${SIGNS[one.severity] || ""} ${one.severity}`),
      `${one.line ? `, line ${one.line}` : ""}: ${one.message}`,
      make("small", {}, [one.hint, one.code].filter(Boolean).join(" · ")))));
  fill(part("problems"), ...(items.length > 0 ? items : [make("li", { class: "quiet" }, "none")]));
  const isKnown = seen.pipelines.length > 0;
  part("schedules").classList.toggle("stale", !isKnown);
  if (file.kind === "ir") {
    return;
  }
  if (isKnown) {
    listSchedules(seen.pipelines);
    const has = seen.pipelines.find((one) => one.name === choice.pipeline);
    if (!has?.schedules.some((one) => one.name === choice.schedule)) {
      const first = has || seen.pipelines[0];
      choose(first.name, (first.schedules[1] || first.schedules[0]).name);
      return;
    }
    if (has.rank !== sized) {
      sized = has.rank;
      part("size").value = SIZES[sized] || "";
    }
  }
  if (!isShown(asked)) {
    return;
  }
  part("nest").classList.toggle("stale", !seen.chosen);
  part("places").classList.toggle("stale", !seen.chosen);
  part("stale").hidden = Boolean(seen.chosen);
  part("stale").textContent = "The schedule has errors now. Below is what it was before them.";
  if (seen.chosen) {
    part("nest").textContent = seen.chosen.nest;
    fill(part("places"),
      make("thead", {}, make("tr", {},
        ...["value", "computed", "stored"].map((title) => make("th", { scope: "col" }, title)))),
      make("tbody", {}, ...seen.chosen.places.map((place) => make("tr", {},
        make("td", { class: "code" }, place.func),
        make("td", {}, place.compute), make("td", {}, place.store)))));
  }
}

function listSchedules(pipelines) {
  const now = JSON.stringify(pipelines.map((one) => [one.name, one.schedules]));
  if (now === listed) {
    return;
  }
  listed = now;
  const focused = part("schedules").contains(document.activeElement);
  const parts = [];
  for (const pipeline of pipelines) {
    if (pipelines.length > 1) {
      parts.push(make("h3", {}, pipeline.name));
    }
    for (const schedule of pipeline.schedules) {
      const named = { pipeline: pipeline.name, schedule: schedule.name };
      const input = make("input", {
        type: "radio", name: "schedule", change: () => choose(named.pipeline, named.schedule),
      });
      input.checked = key(named) === key(choice);
      parts.push(make("label", {}, input, schedule.name,
        schedule.refused ? make("span", { class: "error" }, "refused") : null,
        make("span", { "data-key": key(named) })));
    }
  }
  fill(part("schedules"), ...parts);
  if (focused) {
    part("schedules").querySelector(":checked")?.focus();
  }
  showKnown();
}

function choose(pipeline, schedule) {
  choice = { pipeline, schedule };
  if (job) {
    stop("cancelled, as another schedule was chosen");
  }
  for (const badge of document.querySelectorAll("#schedules [data-key]")) {
    badge.parentElement.querySelector("input").checked = badge.dataset.key === key(choice);
  }
  part("nest").textContent = "";
  fill(part("places"));
  hideSpeed();
  showKnown();
  look();
}

function showJob(text) {
  const runs = job !== null;
  part("prove").disabled = runs;
  part("time").disabled = runs;
  part("explain").disabled = runs;
  const hadFocus = document.activeElement === part("cancel");
  part("cancel").hidden = !runs;
  if (!runs && hadFocus) {
    part("prove").focus();
  }
  part("progress").hidden = !runs;
  part("elapsed").textContent = text || "";
}

/** Runs a job to its end. Returns its answer, or nothing if it is not about what is shown. */
async function run(path, verb, more) {
  const mine = { asked: { ...question(), ...more }, number: null, isOver: false };
  job = mine;
  showJob(`${verb} …`);
  const begin = performance.now();
  const ticking = setInterval(() => {
    if (job === mine) {
      const seconds = Math.floor((performance.now() - begin) / 1000);
      showJob(seconds > 0 ? `${verb}, ${seconds} s` : `${verb} …`);
    }
  }, 500);
  try {
    const begun = await ask(path, mine.asked);
    if (mine.isOver) {
      if (!begun.refused) {
        await ask("/cancel", { job: begun.job });
      }
      return null;
    }
    if (begun.refused) {
      return { word: "failed", statement: begun.refused };
    }
    mine.number = begun.job;
    for (;;) {
      const state = await ask("/wait", { job: mine.number });
      if (mine.isOver) {
        return null;
      }
      if (state.state !== "running") {
        const failed = { word: "failed", statement: "no verdict: the job is gone" };
        return isShown(mine.asked) ? state.answer || failed : null;
      }
    }
  } catch (error) {
    lost(error);
    return null;
  } finally {
    clearInterval(ticking);
    if (job === mine) {
      job = null;
      showJob();
    }
  }
}

/** Ends the running job. */
function stop(reason) {
  const mine = job;
  job = null;
  mine.isOver = true;
  showJob(reason);
  if (mine.number !== null) {
    ask("/cancel", { job: mine.number }).catch(lost);
  }
}

async function prove() {
  if (job) {
    return;
  }
  if (file.kind !== "ir" && choice.pipeline === "") {
    showJob("there is no schedule to prove");
    return;
  }
  answers.delete(key(choice));
  showKnown();
  const asked = question();
  const answer = await run("/prove", "proving", {});
  if (answer && isShown(asked)) {
    answers.set(key(asked), answer);
    showKnown();
  }
}

function hideSpeed() {
  part("times").hidden = true;
  part("explained").hidden = true;
  part("timing").textContent = "";
}

/** Runs a job about speed, and shows its answer. */
async function speed(path, verb, show) {
  if (job || choice.pipeline === "" || !part("size").reportValidity()) {
    return;
  }
  hideSpeed();
  const answer = await run(path, verb, { size: part("size").value });
  if (answer) {
    show(answer);
  }
}

async function save() {
  const text = editor.text;
  try {
    const written = await ask("/save", { text, version: file.version });
    if (written.refused) {
      say(written.refused, true);
      part("reload").hidden = false;
      return;
    }
    file.version = written.version;
    file.saved = text;
    say(`saved at ${new Date().toLocaleTimeString()}`);
    showSaved();
  } catch (error) {
    lost(error);
  }
}

async function load() {
  try {
    const read = await ask("/file", {});
    if (read.refused) {
      say(read.refused, true);
      return;
    }
    if (job) {
      stop("cancelled, as the file was read again");
    }
    editor.text = read.text;
    file = { name: read.name, kind: read.kind, version: read.version, saved: editor.text };
    part("name").textContent = read.name;
    part("reload").hidden = true;
    say(editor.text === read.text ? "" : "Line ends are shown as line feeds, and saved so.");
    for (const id of ["schedules-part", "nest-part", "speed-part"]) {
      part(id).hidden = read.kind === "ir";
    }
    answers = new Map();
    showKnown();
    showSaved();
    look();
  } catch (error) {
    lost(error);
  }
}

part("prove").addEventListener("click", prove);
part("time").addEventListener("click", () => speed("/time", "timing", showTimes));
part("explain").addEventListener("click", () => speed("/explain", "estimating", showExplained));
part("floats").addEventListener("change", () => {
  answers = new Map();
  showKnown();
  if (job) {
    stop("cancelled, as another equality was chosen");
  }
});
part("cancel").addEventListener("click", () => job && stop("cancelled"));
part("save").addEventListener("click", save);
part("reload").addEventListener("click", () => {
  if (editor.text === file.saved || confirm("Give up what was changed here?")) {
    load();
  }
});
document.addEventListener("keydown", (event) => {
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key === "s") {
    event.preventDefault();
    save();
  } else if (isCommand && event.key === "Enter") {
    event.preventDefault();
    prove();
  } else if (event.key === "Escape" && job) {
    stop("cancelled");
  }
});
window.addEventListener("beforeunload", (event) => {
  if (editor.text !== file.saved) {
    event.preventDefault();
  }
});
load();
