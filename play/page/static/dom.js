/** Making elements. Texts go in as text nodes: nothing that comes over the wire is ever read as HTML. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {Element} element
 * @param {Record<string, unknown>} attributes a function is a listener of that event; null and false leave an attribute out
 * @param {(Node | string | null)[]} children
 */
function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, String(value === true ? "" : value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** @returns {HTMLElement} */
export function html(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

/** @returns {SVGElement} */
export function svg(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

/** @returns {any} the element with an id that the page is known to have */
export function byId(id) {
  return document.getElementById(id);
}

/** Replace the children only where something differs, so that a reader's place and the focus stay where they are. */
export function fill(element, children) {
  const same =
    element.childNodes.length === children.length && children.every((child, i) => child.isEqualNode(element.childNodes[i]));
  if (!same) element.replaceChildren(...children);
}

/** A live region speaks again when its text is set again: set it only when it changed. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
