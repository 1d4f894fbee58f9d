"use strict";

// The editable text, with line numbers and marked lines.

const SIGNS = { error: "●", warning: "▲", note: "▪" };
const STORE_SIGNS = { proved: "✓", "never runs": "–", unknown: "?", refuted: "✗" };
const STORE_CLASSES = { proved: "good", "never runs": "quiet", unknown: "open", refuted: "bad" };
/** From the best to the worst. */
const STANDINGS = ["never runs", "proved", "unknown", "refuted"];

class Editor {
  constructor(edited) {
    this.area = part("text");
    this.numbers = part("numbers");
    this.lines = part("lines");
    this.diagnostics = [];
    this.stores = new Map();
    this.count = 0;
    this.area.addEventListener("input", () => {
      this.number();
      edited();
    });
    this.area.addEventListener("scroll", () => this.scrolled());
  }

  get text() {
    return this.area.value;
  }

  set text(text) {
    this.area.value = text;
    this.area.setSelectionRange(0, 0);
    this.area.scrollTop = 0;
    this.number();
  }

  get row() {
    return parseFloat(getComputedStyle(this.area).lineHeight);
  }

  /** Numbers the lines again if there are others. */
  number() {
    const count = this.area.value.split("\n").length;
    if (count !== this.count) {
      this.count = count;
      const rows = [];
      for (let line = 1; line <= count; line += 1) {
        rows.push(make("div", {}, make("b"), make("span", {}, String(line))));
      }
      fill(this.numbers, ...rows);
      this.mark();
    }
    this.scrolled();
  }

  scrolled() {
    this.numbers.style.transform = `translateY(${-this.area.scrollTop}px)`;
    this.lines.style.transform = `translateY(${-this.area.scrollTop}px)`;
  }

  /** Shows these diagnostics at their lines. */
  diagnose(diagnostics) {
    this.diagnostics = diagnostics;
    this.mark();
  }

  /** Shows the status of the stores that the lines define. */
  judge(stores) {
    this.stores = new Map();
    for (const store of stores) {
      const line = store.place;
      const before = this.stores.get(line) || STANDINGS[0];
      if (line && STANDINGS.indexOf(store.status) >= STANDINGS.indexOf(before)) {
        this.stores.set(line, store.status);
      }
    }
    this.mark();
  }

  mark() {
    const row = this.row;
    for (const sign of this.numbers.querySelectorAll("b")) {
      sign.textContent = "";
      sign.className = "";
    }
    const put = (line, text, kind) => {
      const sign = this.numbers.children[line - 1]?.firstChild;
      if (sign) {
        sign.textContent = text;
        sign.className = kind;
      }
    };
    for (const [line, status] of this.stores) {
      put(line, STORE_SIGNS[status], STORE_CLASSES[status]);
    }
    const bands = [];
    for (const one of this.diagnostics) {
      if (one.line) {
        put(one.line, SIGNS[one.severity] || "●", one.severity);
        const band = make("div", { class: one.severity });
        band.style.top = `${8 + (one.line - 1) * row}px`;
        bands.push(band);
      }
    }
    fill(this.lines, ...bands);
  }

  /** Puts the cursor at a place, in lines and characters from 1. */
  go(line, column) {
    const lines = this.area.value.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    const within = Array.from(lines[line - 1] || "").slice(0, (column || 1) - 1).join("").length;
    this.area.focus();
    this.area.setSelectionRange(before + within, before + within);
    this.area.scrollTop = Math.max(0, (line - 1) * this.row - this.area.clientHeight / 3);
  }
}
