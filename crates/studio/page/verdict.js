"use strict";

// An answer of the prover, as it was given: the sentence is its own.

/** The place of a store: its definition in a `.hal` text, or itself in a program in text form. */
function storeLine(store, kind) {
  return kind === "ir" ? null : store.algorithm?.line;
}

function storesTable(stores, kind, go) {
  const rows = stores.map((store) => {
    const name = store.func === undefined ? "–" : `${store.func}, stage ${store.stage}`;
    const line = storeLine(store, kind);
    const place = line
      ? make("button", { type: "button", click: () => go(line, 1) }, `line ${line}`) : "";
    const open = store.open > 0 ? `${store.open} of ${store.total} open` : `${store.total}`;
    return make("tr", {},
      make("td", { class: `status ${STORE_CLASSES[store.status] || ""}` },
        `${STORE_SIGNS[store.status] || ""} ${store.status}`),
      make("td", { class: "code", title: store.text }, name),
      make("td", { class: "number" }, open),
      make("td", {}, place));
  });
  return make("table", { "aria-label": "Stores" },
    make("thead", {}, make("tr", {},
      make("th", { scope: "col" }, "store"),
      make("th", { scope: "col" }, "computes"),
      make("th", { scope: "col", class: "number" }, "obligations"),
      make("th", { scope: "col" }, "defined in"))),
    make("tbody", {}, ...rows));
}

function list(title, items) {
  if (items.length === 0) {
    return null;
  }
  return make("details", {}, make("summary", {}, title),
    make("ul", { class: "plain" }, ...items.map((item) => make("li", {}, item))));
}

function siteView(answer) {
  const site = answer.site;
  if (!site) {
    return null;
  }
  const loops = Object.entries(site.loops || {}).map(([name, value]) => `${name} = ${value}`);
  const rows = [
    ["fault", site.fault],
    ["statement", site.text],
    ["in the iteration", loops.join(", ")],
    ["expected", site.expected],
    ["got", site.got],
  ].filter(([, text]) => text);
  return make("div", {}, make("h3", {}, "Where it goes wrong"),
    make("table", { "aria-label": "Where it goes wrong" }, make("tbody", {},
      ...rows.map(([title, text]) => make("tr", {},
        make("th", { scope: "row" }, title), make("td", { class: "code" }, text))))));
}

/** Shows an answer. `go` leads to a line of the text. */
function showAnswer(answer, kind, go) {
  const known = ["proved", "refuted", "unknown", "nothing", "failed", "cancelled"];
  part("verdict").className = known.includes(answer.word) ? answer.word : "failed";
  const seconds = answer.seconds === undefined ? null : `${answer.seconds.toFixed(2)} s`;
  const counted = answer.obligations
    ? `${answer.obligations.proved} of ${answer.obligations.total} obligations are closed` : null;
  const numbers = [counted, seconds].filter(Boolean).join(", ");
  fill(part("verdict"), make("p", {}, answer.statement),
    answer.hint ? make("p", {}, answer.hint) : null,
    numbers ? make("p", {}, numbers) : null);
  const causes = (answer.causes || [])
    .map((cause) => `${cause.code}: ${cause.sentence}. ${cause.advice}`);
  const open = (answer.open || []).map((one) => `${one.kind} at ${one.place}: ${one.reason}`);
  const conditions = (answer.conditions || []).map((one) => `${one.name}: ${one.words}`);
  fill(part("details"),
    answer.counterexample ? counterexampleView(answer.counterexample) : null,
    siteView(answer),
    answer.stores?.length > 0 ? storesTable(answer.stores, kind, go) : null,
    list("Conditions", conditions),
    list("Reasons and advice", causes),
    list(`Open obligations (${open.length})`, open));
}

function hideAnswer() {
  part("verdict").className = "";
  fill(part("verdict"));
  fill(part("details"));
}

function showTimes(answer) {
  if (answer.word !== "timed") {
    part("timing").textContent = answer.statement;
    part("times").hidden = true;
    return;
  }
  const hasLimit = answer.rows.some((row) => row.limit !== null);
  const titles = ["threads", "ms", "ns per element"].concat(hasLimit ? ["limit, ns"] : []);
  const number = (value, digits) =>
    make("td", { class: "number" }, value === null ? "–" : value.toFixed(digits));
  fill(part("times"),
    make("thead", {}, make("tr", {},
      ...titles.map((title) => make("th", { scope: "col", class: "number" }, title)))),
    make("tbody", {}, ...answer.rows.map((row) => make("tr", {},
      number(row.threads, 0), number(row.milliseconds, 3), number(row.each, 3),
      hasLimit ? number(row.limit, 3) : null))));
  part("times").hidden = false;
  const size = answer.size || "one element";
  part("timing").textContent = `Medians for an output of ${size}, not proved before. `
    + (hasLimit ? "The limit is the time that memory takes to move inputs and outputs once; "
      + "what stays in a cache can be faster." : "");
}

/** The nanoseconds of a part as a text. */
function took(nanoseconds) {
  return nanoseconds >= 1e6
    ? `${(nanoseconds / 1e6).toFixed(2)} ms` : `${(nanoseconds / 1e3).toFixed(1)} µs`;
}

/** A bar whose segments are a part's computing and its moving of memory, on one thread. */
function partBar(one, longest) {
  const segments = [
    ...one.stages.map((stage) => ["computing", `computes ${stage.name}`, stage.nanoseconds]),
    ["moving", "moves memory", one.moving],
  ];
  return make("div", { class: "bar" }, ...segments.map(([kind, title, nanoseconds]) => {
    const segment = make("span", { class: kind, title: `${title}: ${took(nanoseconds)}` });
    segment.style.width = `${(100 * nanoseconds) / longest}%`;
    return segment;
  }));
}

function stageRow(stage) {
  const again = stage.times >= 1.02 ? `${stage.times.toFixed(2)} times` : "once";
  const share = (nanoseconds) => Math.round((100 * nanoseconds) / Math.max(stage.nanoseconds, 1));
  const work = stage.work.map(([name, nanoseconds]) => `${name} ${share(nanoseconds)} %`);
  return make("tr", {},
    make("td", { class: "code" }, stage.name),
    make("td", { class: "number" }, took(stage.nanoseconds)),
    make("td", { class: "number" }, again),
    make("td", {}, work.join(", ")));
}

/** Shows where the estimated time of a schedule goes. */
function showExplained(answer) {
  if (answer.word !== "explained") {
    part("timing").textContent = answer.statement;
    return;
  }
  const { parts, lines } = answer;
  const length = (one) => one.computing + one.moving;
  const longest = Math.max(...parts.map(length), 1);
  const bars = parts.map((one) => make("tr", {},
    make("th", { scope: "row", class: "code" }, one.name),
    make("td", { class: "number" }, took(one.nanoseconds)),
    make("td", { class: "wide" }, partBar(one, longest))));
  const stages = parts.flatMap((one) => one.stages.map(stageRow));
  // The parts are in the pictures; the lines about memory, and about threads that wait, are not.
  const drawn = (line) => line.startsWith("  ");
  const notes = lines.filter((line) => !drawn(line));
  fill(part("explained"),
    parts.length > 0 ? make("p", { class: "quiet" },
      make("span", { class: "key computing" }), " computing, ",
      make("span", { class: "key moving" }), " moving memory, on one thread; both may overlap"
    ) : null,
    make("table", { "aria-label": "Estimated time of each part" }, make("tbody", {}, ...bars)),
    stages.length > 0 ? make("table", { "aria-label": "Computing of each stage" },
      make("thead", {}, make("tr", {},
        make("th", { scope: "col" }, "stage"),
        make("th", { scope: "col", class: "number" }, "computing"),
        make("th", { scope: "col", class: "number" }, "each point"),
        make("th", { scope: "col" }, "mostly"))),
      make("tbody", {}, ...stages)) : null,
    make("ul", { class: "plain" }, ...notes.map((line) => make("li", {}, line))));
  part("explained").hidden = false;
  part("timing").textContent = "Estimated, without a run.";
}
