/**
 * The page's texts. The English sentence in the code is the message id, as in the rules' catalogues; the catalogue of a language is
 * English -> translation. What it lacks appears in English.
 */

/** @type {Record<string, string>} */
let texts = {};

export let language = "en";

/** Load a language; returns false if it is there already. */
export async function loadTexts(wanted) {
  if (wanted === language) return false;
  const answer = wanted === "en" ? null : await fetch(`/texts/${encodeURIComponent(wanted)}.json`).catch(() => null);
  texts = answer?.ok ? await answer.json() : {};
  language = wanted;
  document.documentElement.lang = wanted;
  return true;
}

/** Return a sentence in the language of the page, with its {places} filled in. */
export function t(english, values = {}) {
  return (texts[english] ?? english).replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
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
