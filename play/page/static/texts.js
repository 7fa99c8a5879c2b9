/**
 * The page's texts. The English sentence in the code is the message id, as in the rules' catalogues; the catalogue of a language is
 * English -> translation. What it lacks appears in English.
 */

/** @type {Record<string, string>} */
let texts = {};

export let language = "en";

/** Sentences with {places}, as patterns; the longest first, so that the most exact one is found. @type {[RegExp, string[], string][]} */
let patterns = [];

const LANGUAGES = ["en", "eo", "sl"];
const KEPT = "language";

/**
 * The language of this page: as its address says, as was chosen on it before, as the program was told, as the browser prefers.
 * Two pages at one table may speak two languages.
 */
export function wantedLanguage(told) {
  const prefers = navigator.languages.map((name) => name.slice(0, 2).toLowerCase());
  const wishes = [new URLSearchParams(location.search).get("language"), kept(), told, ...prefers];
  return wishes.find((name) => LANGUAGES.includes(name)) ?? "en";
}

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null; // a browser that keeps nothing
  }
}

export function keepLanguage(name) {
  try {
    localStorage.setItem(KEPT, name);
  } catch {
    // It holds until the page is loaded again.
  }
}

/** Load a language; returns false if it is there already. */
export async function loadTexts(wanted) {
  if (wanted === language) return false;
  const answer = wanted === "en" ? null : await fetch(`/texts/${encodeURIComponent(wanted)}.json`).catch(() => null);
  texts = answer?.ok ? await answer.json() : {};
  patterns = Object.keys(texts)
    .filter((english) => /\{\w+\}/.test(english))
    .sort((a, b) => literal(b) - literal(a))
    .map(pattern);
  language = wanted;
  document.documentElement.lang = wanted;
  return true;
}

/** Return a sentence in the language of the page, with its {places} filled in. */
export function t(english, values = {}) {
  return (texts[english] ?? english).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

function literal(english) {
  return english.replace(/\{\w+\}/g, "").length;
}

/** @returns {[RegExp, string[], string]} */
function pattern(english) {
  const names = [...english.matchAll(/\{(\w+)\}/g)].map((found) => found[1]);
  const parts = english.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return [new RegExp(`^${parts.join("(.+?)")}$`, "s"), names, english];
}

/**
 * Return a sentence of the server in the language of the page. They come in English, their places filled in; several may follow
 * each other, and what fills a place may be a sentence too.
 */
export function told(sentence) {
  if (!sentence || !patterns.length) return sentence;
  return texts[sentence] ?? filled(sentence) ?? inParts(sentence, /(?<=[.!?]) /, " ") ?? inParts(sentence, /, /, ", ") ?? sentence;
}

function filled(sentence) {
  for (const [shape, names, english] of patterns) {
    const found = shape.exec(sentence);
    // What fills a place is a word, a list or a whole sentence, never the end of one and the beginning of the next.
    if (found && found.slice(1).every((value) => !/[.!?] ./.test(value)))
      return t(english, Object.fromEntries(names.map((name, i) => [name, told(found[i + 1])])));
  }
  return null;
}

function inParts(sentence, at, joint) {
  const parts = sentence.split(at);
  return parts.length > 1 ? parts.map(told).join(joint) : null;
}

/** Translate what stands in the page itself: the content of elements with data-t, the label of those with data-t-label. */
export function applyTexts(root) {
  for (const element of root.querySelectorAll("[data-t]")) {
    element.dataset.t ||= element.textContent;
    element.textContent = t(element.dataset.t);
  }
  for (const element of root.querySelectorAll("[data-t-label]")) {
    element.dataset.tLabel ||= element.getAttribute("aria-label");
    element.setAttribute("aria-label", t(element.dataset.tLabel));
  }
}
