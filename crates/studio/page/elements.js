"use strict";

// Elements and questions. What comes from the server becomes text, never markup.

const token = new URLSearchParams(location.search).get("token") || "";

function part(id) {
  return document.getElementById(id);
}

/** Makes an element. Children are elements or texts. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") {
      element.addEventListener(name, value);
    } else if (value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

/** Replaces what an element holds. */
function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== undefined && child !== null));
}

/** Asks the server. Fails if it does not answer, or refuses. */
async function ask(path, question) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Halidom-Token": token },
    body: JSON.stringify(question),
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
  });
  if (!response.ok) {
    throw new Error(`the server refused the request (${response.status})`);
  }
  return response.json();
}
