"use strict";

// A counterexample as pictures: arrays of one or two dimensions on canvases, others as tables.

/** The greatest width and height of a picture, and the greatest size of an element. */
const WIDEST = 210;
const LARGEST = 42;
/** The smallest element that shows its number. */
const READABLE = 26;
/** The greatest number of elements that a table lists. */
const LISTED = 40;

function numeric(value) {
  return typeof value === "number" ? value : Number(value);
}

function shown(value) {
  if (typeof value !== "number" || Number.isInteger(value)) {
    return String(value);
  }
  return String(Number(value.toPrecision(6)));
}

/** A number with the fewest digits that tell it from its neighbours. */
function exact(value, type) {
  if (typeof value === "number" && type === "f32") {
    for (let digits = 1; digits < 10; digits += 1) {
      const short = Number(value.toPrecision(digits));
      if (Math.fround(short) === value) {
        return String(short);
      }
    }
  }
  return String(value);
}

/** The coordinates of an element of an array. */
function coordinates(shape, element) {
  let rest = element;
  return shape.map(([min, extent]) => {
    const coordinate = min + (rest % extent);
    rest = Math.floor(rest / extent);
    return coordinate;
  });
}

function isSame(one, other) {
  return one === other || (Number.isNaN(one) && Number.isNaN(other));
}

/** The least and the greatest finite number of some values. */
function range(values) {
  const finite = values.map(numeric).filter(Number.isFinite);
  return finite.length === 0 ? [0, 0] : [Math.min(...finite), Math.max(...finite)];
}

/** Grey between the least value, black, and the greatest, white. */
function grey(value, [least, greatest]) {
  const number = numeric(value);
  if (!Number.isFinite(number)) {
    return { fill: "#c04bb0", ink: "#ffffff" };
  }
  const part = greatest > least ? (number - least) / (greatest - least) : 0.5;
  const level = Math.round(30 + 215 * part);
  return { fill: `rgb(${level}, ${level}, ${level})`, ink: level > 130 ? "#000000" : "#ffffff" };
}

/** Orange for a value that is too large, blue for one that is too small, white for a right one. */
function difference(expected, got, most) {
  if (isSame(expected, got)) {
    return { fill: "#ffffff", ink: "#8a9199", label: "0" };
  }
  const by = numeric(got) - numeric(expected);
  if (!Number.isFinite(by)) {
    return { fill: "#c04bb0", ink: "#ffffff", label: "≠" };
  }
  // The smallest difference is still seen.
  const part = 0.2 + 0.8 * (most > 0 ? Math.abs(by) / most : 1);
  const full = by >= 0 ? [214, 94, 0] : [0, 94, 190];
  const [red, green, blue] = full.map((level) => Math.round(255 + (level - 255) * part));
  const ink = part > 0.6 ? "#ffffff" : "#000000";
  return { fill: `rgb(${red}, ${green}, ${blue})`, ink, label: (by > 0 ? "+" : "") + shown(by) };
}

/** Draws an array of one or two dimensions, with a frame around one element. `cell` gives fill, ink
 * and label of each. */
function picture(title, described, shape, cell, framed) {
  const [width, height] = [shape[0][1], shape.length > 1 ? shape[1][1] : 1];
  const size = Math.max(1, Math.min(LARGEST, WIDEST / width, WIDEST / height));
  const scale = window.devicePixelRatio || 1;
  const canvas = make("canvas", { role: "img", "aria-label": `${title}: ${described}` });
  canvas.width = Math.max(1, Math.round(width * size * scale));
  canvas.height = Math.max(1, Math.round(height * size * scale));
  canvas.style.width = `${width * size}px`;
  canvas.style.height = `${height * size}px`;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const { fill: colour, ink, label } = cell(y * width + x);
      pen.fillStyle = colour;
      // A hair more, so that no seams are seen.
      pen.fillRect(x * size, y * size, size + 0.5, size + 0.5);
      if (size >= READABLE && label !== undefined) {
        pen.fillStyle = ink;
        pen.font = `${label.length > 4 ? 9 : 12}px system-ui, sans-serif`;
        pen.fillText(label, (x + 0.5) * size, (y + 0.5) * size, size - 3);
      }
    }
  }
  if (framed) {
    // Around a tiny element the frame is larger than it.
    const [x, y] = [framed[0] - shape[0][0], shape.length > 1 ? framed[1] - shape[1][0] : 0];
    const side = Math.max(size, 6);
    pen.strokeStyle = "#e5352b";
    pen.lineWidth = 2;
    const start = (at) => (at + 0.5) * size - side / 2 + 1;
    pen.strokeRect(start(x), start(y), side - 2, side - 2);
  }
  return make("figure", {}, make("figcaption", {}, title), canvas);
}

function isDrawn(shape) {
  return (shape.length === 1 || shape.length === 2) && shape.every(([, extent]) => extent > 0);
}

function extents(shape) {
  const all = shape.map(([, extent]) => extent).join(" × ");
  return shape.length === 0 ? "one value" : `${all} values`;
}

/** Draws an output: the expected values, the values of the run, and their difference. `framed` is
 * the place that the verdict names, if it is in this output. */
function contrast(output, framed) {
  const { shape, expected, got } = output;
  const wrong = expected.map((value, element) => !isSame(value, got[element]));
  const count = wrong.filter(Boolean).length;
  const parts = [];
  if (isDrawn(shape)) {
    const [least, greatest] = range(expected.concat(got));
    const differences = expected.map((value, at) => Math.abs(numeric(got[at]) - numeric(value)));
    const most = range(differences)[1];
    const size = `${extents(shape)}, from ${shown(least)} to ${shown(greatest)}`;
    const plain = (values) => (element) => ({
      ...grey(values[element], [least, greatest]),
      label: shown(values[element]),
    });
    parts.push(make("div", { class: "pictures" },
      picture("expected", size, shape, plain(expected), framed),
      picture("got", `${size}; ${count} of them wrong`, shape,
        plain(got), framed),
      picture("difference", `${count} values differ, by at most ${shown(most)}`, shape,
        (element) => difference(expected[element], got[element], most), framed)));
    parts.push(make("p", { class: "quiet" },
      `Grey goes from ${shown(least)} (black) to ${shown(greatest)} (white). `
      + "Orange is too large, blue too small. "
      + (framed ? `The red frame marks ${output.output}(${framed.join(", ")}). ` : "")
      + begins(shape)));
  }
  const rows = [];
  for (let element = 0; element < expected.length && rows.length < LISTED; element += 1) {
    if (wrong[element]) {
      const place = coordinates(shape, element).join(", ");
      rows.push(make("tr", {},
        make("td", { class: "code" }, `${output.output}(${place})`),
        make("td", { class: "code" }, exact(expected[element], output.type)),
        make("td", { class: "code" }, exact(got[element], output.type))));
    }
  }
  const table = make("table", { "aria-label": `Wrong values of ${output.output}` },
    make("thead", {}, make("tr", {},
      ...["element", "expected", "got"].map((title) => make("th", { scope: "col" }, title)))),
    make("tbody", {}, ...rows));
  if (rows.length > 0) {
    const title = `${count} wrong of ${expected.length}`
      + (count > rows.length ? `; the first ${rows.length}` : "");
    parts.push(isDrawn(shape)
      ? make("details", {}, make("summary", {}, title), table)
      : make("div", {}, make("p", { class: "quiet" }, title), table));
  }
  return make("div", {}, make("h3", {}, `Output ${output.output}, ${extents(shape)}`), ...parts);
}

function begins(shape) {
  const names = ["x", "y"];
  const mins = shape.map(([min], dimension) => `${names[dimension]} = ${min}`);
  return `The first element, at the top left, is at ${mins.join(", ")}.`;
}

/** The inputs and parameters of a run. */
function given(counterexample) {
  const inputs = Object.entries(counterexample.inputs).map(([name, { shape, values }]) => {
    const title = `Input ${name}, ${extents(shape)}`;
    if (!isDrawn(shape)) {
      const few = values.slice(0, LISTED).map(shown).join(", ");
      return make("figure", {}, make("figcaption", {}, title),
        make("code", {}, few + (values.length > LISTED ? ", …" : "")));
    }
    const limits = range(values);
    return picture(title, `from ${shown(limits[0])} to ${shown(limits[1])}`, shape,
      (element) => ({ ...grey(values[element], limits), label: shown(values[element]) }));
  });
  const parameters = Object.entries(counterexample.parameters)
    .map(([name, value]) => `${name} = ${shown(value)}`);
  return make("div", {},
    make("h3", {}, "On these inputs"),
    parameters.length > 0 ? make("p", { class: "quiet" }, parameters.join(", ")) : null,
    make("div", { class: "pictures" }, ...inputs));
}

/** All that is known of a run that refutes. */
function counterexampleView(counterexample) {
  const outputs = counterexample.outputs || [];
  const parts = outputs.map((output) => contrast(output,
    output.output === counterexample.output ? counterexample.coordinates : null));
  if (outputs.length === 0) {
    const where = counterexample.output
      ? `${counterexample.output}(${counterexample.coordinates.join(", ")})` : "the run";
    parts.push(make("table", { "aria-label": "The difference" }, make("tbody", {},
      ...[["at", where], ["expected", counterexample.expected], ["got", counterexample.got]]
        .map(([title, text]) => make("tr", {},
          make("th", { scope: "row" }, title), make("td", { class: "code" }, text))))));
  }
  return make("div", { id: "pictures" }, ...parts, given(counterexample));
}
