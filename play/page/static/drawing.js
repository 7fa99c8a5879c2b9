/** The wooden board and its discs as SVG. Drawn once for a game; afterwards only the discs and marks change. */

import { svg } from "./dom.js";

/** @typedef {import("./geometry.js").Geometry} Geometry */
/** @typedef {import("./geometry.js").Square} Square */

const GRAIN_TILE = 240;

/** Wavy lines that meet again at the tile's edges: the grain of one plank. `seed` moves them. */
function grain(seed) {
  const waves = [];
  for (let line = 0; line < 17; line += 1) {
    const y = ((line * 14.7 + seed * 31.3) % GRAIN_TILE).toFixed(1);
    const bend = 2 + ((line * 7 + seed * 5) % 6);
    const half = GRAIN_TILE / 2;
    waves.push(`M0 ${y}q${half / 2} ${bend} ${half} 0t${half} 0`);
  }
  return waves.join("");
}

/** A fraction 0..1 that depends on a square alone: two squares of one colour are never quite alike. */
function chance(column, row) {
  const mixed = Math.sin(column * 12.9898 + row * 78.233) * 43758.5453;
  return mixed - Math.floor(mixed);
}

function definitions() {
  const grains = [0, 1, 2, 3].map((number) =>
    svg(
      "pattern",
      {
        id: `grain${number}`,
        width: GRAIN_TILE,
        height: GRAIN_TILE,
        patternUnits: "userSpaceOnUse",
        patternTransform: `translate(${number * 67} ${number * 41}) rotate(${number % 2 ? 90 : 0}) scale(.8)`,
      },
      svg("path", { d: grain(number), class: "grain" }),
    ),
  );
  const defs = svg("defs", {}, ...grains);
  // Parsed as one piece: nothing in it comes from outside.
  defs.insertAdjacentHTML(
    "beforeend",
    `
    <radialGradient id="ivory" cx="38%" cy="32%" r="75%"><stop offset="0" stop-color="#fff8e6"/><stop offset=".6" stop-color="#f0dcb2"/><stop offset="1" stop-color="#d9bb84"/></radialGradient>
    <radialGradient id="ebony" cx="38%" cy="32%" r="75%"><stop offset="0" stop-color="#5b4a41"/><stop offset=".55" stop-color="#33271f"/><stop offset="1" stop-color="#1d1511"/></radialGradient>
    <radialGradient id="shade"><stop offset=".55" stop-color="#1b0d04" stop-opacity=".55"/><stop offset="1" stop-color="#1b0d04" stop-opacity="0"/></radialGradient>
    <linearGradient id="rail" x2="0" y2="1"><stop offset="0" stop-color="#3f2313"/><stop offset=".3" stop-color="#5d371f"/><stop offset="1" stop-color="#744728"/></linearGradient>
    <marker id="tip" viewBox="0 0 10 10" refX="6" refY="5" markerWidth="3.2" markerHeight="3.2" orient="auto"><path d="M0 0 10 5 0 10 2.5 5z" fill="context-stroke"/></marker>`,
  );
  return defs;
}

/** The frame of four mitred planks, lit from the upper left, with the names of files and ranks. */
function frame(g) {
  const [l, t, r, b] = [-g.outer, -g.outer, g.width + g.outer, g.height + g.outer];
  const [il, it, ir, ib] = [-g.edge, -g.edge, g.width + g.edge, g.height + g.edge];
  const plank = (points, name, number) => [
    svg("polygon", { points, class: `plank ${name}` }),
    svg("polygon", { points, fill: `url(#grain${number})`, opacity: 0.8 }),
  ];
  return svg(
    "g",
    { class: "frame" },
    ...plank(`${l},${t} ${r},${t} ${ir},${it} ${il},${it}`, "far", 0),
    ...plank(`${l},${t} ${il},${it} ${il},${ib} ${l},${b}`, "left", 1),
    ...plank(`${r},${t} ${r},${b} ${ir},${ib} ${ir},${it}`, "right", 3),
    ...plank(`${l},${b} ${il},${ib} ${ir},${ib} ${r},${b}`, "near", 2),
    svg("rect", { x: il - 2, y: it - 2, width: ir - il + 4, height: ib - it + 4, class: "inlay" }),
    ...names(g),
  );
}

function names(g) {
  const middle = g.edge + g.frame / 2;
  const size = 0.24 * g.square;
  const label = (x, y, text) => svg("text", { x, y: y + 0.35 * size, "font-size": size, class: "name" }, text);
  const rows = g.seenRows();
  const files = rows[0].flatMap((square) => {
    const [x] = g.viewOf(square);
    return [label(x, -middle, square.name[0]), label(x, g.height + middle, square.name[0])];
  });
  const ranks = rows.flatMap((row) => {
    const [, y] = g.viewOf(row[0]);
    return [label(-middle, y, row[0].name.slice(1)), label(g.width + middle, y, row[0].name.slice(1))];
  });
  return [...files, ...ranks];
}

function squareOf(g, square) {
  const [x, y] = g.viewOf(square);
  const half = g.square / 2;
  const place = { x: x - half, y: y - half, width: g.square, height: g.square };
  const odds = chance(square.column, square.row);
  const wood = svg("rect", { ...place, class: square.dark ? "dark" : "light" });
  // The grain of neighbours runs crosswise, as in a board that was glued together of single pieces.
  const number = (square.dark ? 0 : 1) + 2 * Math.round(odds);
  const veins = svg("rect", { ...place, fill: `url(#grain${number})`, opacity: 0.35 + 0.5 * odds });
  const shade = svg("rect", { ...place, fill: "#000", opacity: (0.07 * odds).toFixed(3) });
  const group = svg("g", {}, wood, veins, shade);
  if (square.number && g.game.numeric) {
    group.append(
      svg(
        "text",
        { x: x - 0.46 * g.square, y: y - 0.31 * g.square, "font-size": 0.17 * g.square, class: "number" },
        square.number,
      ),
    );
  }
  return group;
}

/** The 5x5 board: every crossing has its row and file; diagonals run through the crossings with an even sum only. */
function lines(g) {
  const { columns, rows, square_mm: gap } = g.game;
  const parts = [];
  for (let column = 0; column < columns; column += 1) parts.push(`M${column * gap} 0V${g.height}`);
  for (let row = 0; row < rows; row += 1) parts.push(`M0 ${row * gap}H${g.width}`);
  for (let column = 0; column + 1 < columns; column += 1) {
    for (let row = 0; row + 1 < rows; row += 1) {
      const rises = (column + row) % 2 === 0;
      parts.push(rises ? `M${column * gap} ${row * gap}l${gap} ${gap}` : `M${(column + 1) * gap} ${row * gap}l${-gap} ${gap}`);
    }
  }
  const around = { x: -g.edge, y: -g.edge, width: g.width + 2 * g.edge, height: g.height + 2 * g.edge };
  const dots = g.game.squares.map((square) => {
    const [cx, cy] = g.viewOf(square);
    return svg("circle", { cx, cy, r: 0.06 * gap, class: "crossing" });
  });
  return [
    svg("rect", { ...around, class: "light" }),
    svg("rect", { ...around, fill: "url(#grain0)", opacity: 0.7 }),
    svg("path", { d: parts.join(""), class: "lines", "stroke-width": 0.045 * gap }),
    ...dots,
  ];
}

function rails(g) {
  return ["upper", "lower"].map((rail) => {
    const { left, width } = g.extent;
    const y = g.railY(rail) - 0.4 * g.square;
    return svg(
      "g",
      {},
      svg("rect", { x: left, y, width, height: 0.8 * g.square, rx: 0.12 * g.square, class: "rail" }),
      svg("path", { d: `M${left + 6} ${y + 0.68 * g.square}h${width - 12}`, class: "groove" }),
    );
  });
}

/** @returns {SVGElement} everything that does not change during a game */
export function drawBoard(g) {
  const field = g.game.lines ? lines(g) : g.game.squares.map((square) => squareOf(g, square));
  return svg("g", { class: "wood" }, definitions(), ...(g.rail ? rails(g) : []), frame(g), ...field);
}

const CROWN = "M-9 6-10.5-4-4.5.5 0-8 4.5.5 10.5-4 9 6z";
const PARACHUTE = "M-10-1a10 9 0 0 1 20 0q-3.3-2.6-6.6 0-3.4-2.6-6.8 0-3.3-2.6-6.6 0zM-9 0 0 9 9 0M-3 0 0 9 3 0";

/**
 * A disc around 0,0. White's is turned with plain rings, Black's has a notched ring and a star: they differ by more than colour.
 * @param {"white" | "black"} side
 * @param {number} radius mm
 */
export function drawDisc(side, radius) {
  const r = radius;
  const side_ = svg("circle", { cy: 0.09 * r, r, class: "side" });
  const top = svg("circle", { r, fill: side === "white" ? "url(#ivory)" : "url(#ebony)", class: "top" });
  const rings =
    side === "white"
      ? [
          svg("circle", { r: 0.78 * r, class: "ring" }),
          svg("circle", { r: 0.58 * r, class: "ring" }),
          svg("circle", { r: 0.1 * r, class: "dot" }),
        ]
      : [
          svg("circle", {
            r: 0.8 * r,
            class: "notches",
            "stroke-width": 0.2 * r,
            "stroke-dasharray": `${0.105 * r} ${0.21 * r}`,
          }),
          svg("circle", { r: 0.6 * r, class: "ring" }),
          svg("path", { d: star(0.3 * r), class: "dot" }),
        ];
  const emblem = svg("path", { class: "emblem", transform: `scale(${r / 19})` });
  return svg(
    "g",
    { class: `disc ${side}` },
    svg("circle", { cx: 0.1 * r, cy: 0.22 * r, r: 1.16 * r, fill: "url(#shade)", class: "shadow" }),
    side_,
    top,
    svg("g", { class: "rings" }, ...rings),
    emblem,
  );
}

function star(r) {
  const inner = 0.28 * r;
  return `M0 ${-r}L${inner} ${-inner} ${r} 0 ${inner} ${inner} 0 ${r} ${-inner} ${inner} ${-r} 0 ${-inner} ${-inner}z`;
}

/** Show what a disc is by its emblem. */
export function setEmblem(disc, emblem) {
  disc.querySelector(".emblem")?.setAttribute("d", emblem === "king" ? CROWN : emblem === "parachutist" ? PARACHUTE : "");
  disc.classList.toggle("marked", emblem !== "");
}

/** @typedef {{side: "white" | "black", king: boolean, parachutist: boolean}} Piece */

/** @returns {Piece | null} what a letter of a position means */
export function pieceOf(letter) {
  if (!letter || letter === ".") return null;
  return { side: "wWpx".includes(letter) ? "white" : "black", king: "WB".includes(letter), parachutist: "pqxy".includes(letter) };
}

/** @returns {SVGElement} a small plain picture of a position, as White sees it: for the choice of a game */
export function drawPicture(g, position) {
  const { square_mm: gap, lines: crossings } = g.game;
  const margin = crossings ? 0.55 * gap : 0.12 * gap;
  const box = [-margin, -margin, g.width + 2 * margin, g.height + 2 * margin];
  const picture = svg(
    "svg",
    { viewBox: box.join(" "), class: "picture", "aria-hidden": "true" },
    svg("rect", { x: box[0], y: box[1], width: box[2], height: box[3], class: crossings ? "light" : "plank far" }),
  );
  if (crossings) picture.append(...lines(g).slice(2, 3));
  for (const square of g.game.squares) {
    const [x, y] = g.viewOf(square);
    if (!crossings)
      picture.append(
        svg("rect", { x: x - gap / 2, y: y - gap / 2, width: gap, height: gap, class: square.dark ? "dark" : "light" }),
      );
  }
  for (const square of g.game.squares) {
    const piece = pieceOf(position[square.name]);
    const [cx, cy] = g.viewOf(square);
    if (piece) picture.append(svg("circle", { cx, cy, r: 0.38 * gap, "stroke-width": 0.07 * gap, class: `flat ${piece.side}` }));
    if (piece?.parachutist)
      picture.append(
        svg("path", { d: PARACHUTE, transform: `translate(${cx} ${cy}) scale(${gap / 46})`, class: `flat-emblem ${piece.side}` }),
      );
  }
  return picture;
}
