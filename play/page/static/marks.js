/** Marks on squares. Each has a shape of its own: corners, a ring with an arrow, a cross, a dotted ring, an arrow. */

import { svg } from "./dom.js";

/** @typedef {import("./geometry.js").Geometry} Geometry */

export function last(g, x, y) {
  const half = 0.46 * g.square;
  const leg = 0.2 * g.square;
  const corner = (sx, sy) => `M${x + sx * half} ${y + sy * (half - leg)}V${y + sy * half}H${x + sx * (half - leg)}`;
  return svg(
    "g",
    { class: "last" },
    svg("rect", { x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: 2 }),
    svg("path", { d: corner(-1, -1) + corner(1, -1) + corner(1, 1) + corner(-1, 1), "stroke-width": 0.07 * g.square }),
  );
}

export function due(g, x, y) {
  const s = g.square;
  const arrow = `M${x} ${y - 0.12 * s}v${-0.42 * s}M${x - 0.13 * s} ${y - 0.27 * s}l${0.13 * s} ${0.15 * s} ${0.13 * s} ${-0.15 * s}`;
  return svg(
    "g",
    { class: "due" },
    svg("circle", { cx: x, cy: y, r: 0.44 * s, "stroke-width": 0.13 * s, class: "casing" }),
    svg("circle", { cx: x, cy: y, r: 0.44 * s, "stroke-width": 0.07 * s, "stroke-dasharray": `${0.2 * s} ${0.1 * s}` }),
    svg("path", { d: arrow, "stroke-width": 0.17 * s, class: "casing" }),
    svg("path", { d: arrow, "stroke-width": 0.08 * s }),
  );
}

export function wrong(g, x, y) {
  const s = g.square;
  const half = 0.45 * s;
  const arm = 0.11 * s;
  const [bx, by] = [x + 0.33 * s, y - 0.33 * s];
  return svg(
    "g",
    { class: "wrong" },
    svg("rect", { x: x - half, y: y - half, width: 2 * half, height: 2 * half, "stroke-width": 0.08 * s }),
    svg("circle", { cx: bx, cy: by, r: 0.21 * s, class: "badge", "stroke-width": 0.035 * s }),
    svg("path", {
      d: `M${bx - arm} ${by - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`,
      class: "cross",
      "stroke-width": 0.08 * s,
    }),
  );
}

export function unseen(g, x, y) {
  const s = g.square;
  return svg(
    "g",
    { class: "unseen" },
    svg("circle", { cx: x, cy: y, r: 0.41 * s, class: "rim", "stroke-width": 0.09 * s }),
    svg("circle", { cx: x, cy: y, r: 0.41 * s, "stroke-width": 0.05 * s, "stroke-dasharray": `${0.09 * s} ${0.09 * s}` }),
  );
}

export function arrows(g, names) {
  const points = names
    .map((name) => g.byName.get(name))
    .filter((square) => !!square)
    .map((square) => g.viewOf(square));
  if (!points.length) return [];
  const ring = svg("circle", {
    cx: points[0][0],
    cy: points[0][1],
    r: 0.44 * g.square,
    class: "arrow",
    "stroke-width": 0.07 * g.square,
  });
  if (points.length === 1) return [ring];
  const d = `M${points.map((point) => point.map((v) => v.toFixed(1)).join(" ")).join("L")}`;
  const width = 0.11 * g.square;
  return [
    ring,
    svg("path", { d, class: "arrow casing", "stroke-width": 1.7 * width }),
    svg("path", { d, class: "arrow", "stroke-width": width, "marker-end": "url(#tip)" }),
  ];
}
