/**
 * The board on the page: discs, marks, and one button for each square, which keyboards and screen readers use.
 *
 * At a real table it shows what the machine believes. In simulation the page is the player's only eye, so it shows the discs of
 * the simulated table, and marks the squares where the machine believes otherwise.
 */

import { fill, html, say, svg } from "./dom.js";
import { drawBoard, drawDisc, pieceOf, setEmblem } from "./drawing.js";
import { Geometry } from "./geometry.js";
import * as marks from "./marks.js";
import { language, t } from "./texts.js";
import { MARKS, PIECES, RACKS } from "./words.js";

/** @typedef {import("./geometry.js").Square} Square */
/** @typedef {import("./geometry.js").Side} Side */
/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {{key: string, x: number, y: number, z: number, side: Side, emblem: "" | "king" | "parachutist"}} Disc  x, y on the drawing */

/** A disc this high above the board is in somebody's hand. */
const HELD_MM = 22;
/** How much of a height shows as a shift on a drawing that looks straight down. */
const LEAN = 0.5;

export class BoardView {
  constructor(host) {
    this.host = host;
    this.shape = "";
    /** @type {Geometry | null} */
    this.geometry = null;
    /** @type {any} */
    this.state = null;
    /** @type {any} */
    this.table = null;
    /** @type {string[]} */
    this.pointed = [];
    /** @type {Map<string, SVGElement>} */
    this.discs = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.buttons = new Map();
    this.current = "";
    /** The dotted rings lie over the discs. */
    this.ringsOnTop = false;
    host.addEventListener("keydown", (event) => this.walk(event));
    host.addEventListener("focusin", (event) => this.enter(event.target));
  }

  render(state, table) {
    this.state = state;
    this.table = state.simulation ? table : null;
    const shape = JSON.stringify([state.game.key, state.flipped, state.game.columns, state.game.rows]);
    if (shape !== this.shape) this.build(shape);
    this.renderDiscs();
    this.renderMarks();
    this.renderButtons();
  }

  /** Point at squares with an arrow: a hint, or a better move under the cursor. */
  point(squares) {
    this.pointed = squares;
    if (this.geometry) this.renderMarks();
  }

  build(shape) {
    this.shape = shape;
    const g = this.geometryOf(this.state.game, this.state.flipped);
    this.geometry = g;
    this.discs.clear();
    this.below = svg("g", { class: "marks" });
    this.layer = svg("g", { class: "discs" });
    this.above = svg("g", { class: "marks" });
    this.handLayer = svg("g", { class: "hand" });
    this.drawing = svg(
      "svg",
      { viewBox: g.viewBox, "aria-hidden": "true", class: "drawing" },
      drawBoard(g),
      this.below,
      this.layer,
      this.above,
      this.handLayer,
    );
    this.host.replaceChildren(this.drawing, ...this.buildButtons(g));
    this.host.classList.toggle("simulated", this.state.simulation);
  }

  geometryOf(game, flipped) {
    return new Geometry(game, flipped);
  }

  // --- discs ------------------------------------------------------------------------------------------------------------------

  renderDiscs() {
    const g = this.geometry;
    const discs = (this.table ? this.tableDiscs(g) : this.believedDiscs(g)).sort((a, b) => a.z - b.z);
    const keys = new Set(discs.map((disc) => disc.key));
    for (const [key, element] of this.discs) {
      if (!keys.has(key)) {
        element.remove();
        this.discs.delete(key);
      }
    }
    discs.forEach((disc, position) => this.place(g, disc, position));
  }

  place(g, disc, position) {
    const layer = this.layer;
    let element = this.discs.get(disc.key);
    if (!element) {
      element = drawDisc(disc.side, g.disc / 2);
      this.discs.set(disc.key, element);
    }
    // Painted in the order of their heights; moved in the tree only when that order changed.
    if (layer.children[position] !== element) layer.insertBefore(element, layer.children[position] ?? null);
    element.style.transform = `translate(${disc.x.toFixed(1)}px, ${(disc.y - LEAN * disc.z).toFixed(1)}px)`;
    element.classList.toggle("held", disc.z > HELD_MM);
    setEmblem(element, disc.emblem);
  }

  /** @returns {Disc[]} */
  believedDiscs(g) {
    const discs = [];
    for (const [name, letter] of Object.entries(this.state.position)) {
      const piece = pieceOf(letter);
      const square = g.byName.get(name);
      if (!piece || !square) continue;
      const [x, y] = g.viewOf(square);
      const emblem = piece.parachutist ? "parachutist" : "";
      discs.push({ key: `${name}${piece.side}`, x, y, z: 0, side: piece.side, emblem });
      if (piece.king) discs.push({ key: `${name}${piece.side}2`, x, y, z: 0.24 * g.disc, side: piece.side, emblem: "king" });
    }
    return [...discs, ...this.rackDiscs(g)];
  }

  /** @returns {Disc[]} */
  rackDiscs(g) {
    return SIDES.flatMap((side) => {
      const slots = this.slots(side).length;
      return Array.from({ length: this.state.racks[side] }, (_, slot) => {
        const [x, y] = g.slotView(side, slot, Math.max(slots, this.state.racks[side]));
        return { key: `rack ${side} ${slot}`, x, y, z: 0, side, emblem: "" };
      });
    });
  }

  /** @returns {Disc[]} the discs of the simulated table, those in the racks moved to the rails */
  tableDiscs(g) {
    const lying = this.table.discs;
    return lying.map(([x_mm, y_mm, z, letter], number) => {
      const side = letter === "w" ? "white" : "black";
      const rack = this.rackPlace(g, x_mm, y_mm, z);
      const [x, y] = rack ?? this.nearBoard(g, g.view(x_mm, y_mm));
      return { key: String(number), x, y, z, side, emblem: this.tableEmblem(g, lying, number) };
    });
  }

  tableEmblem(g, discs, number) {
    const [x, y, z] = discs[number];
    const below = discs.some(
      ([bx, by, bz], other) => other !== number && bz < z - 1 && z < HELD_MM && Math.hypot(bx - x, by - y) < g.disc / 2,
    );
    if (below) return "king";
    const square = g.squareAt(x, y);
    return square && z < 1 && pieceOf(this.state.position[square.name])?.parachutist ? "parachutist" : "";
  }

  rackPlace(g, x, y, z) {
    if (z > HELD_MM || (x > -g.frame && x < g.width + g.frame && y > -g.outer && y < g.height + g.outer)) return null;
    for (const side of SIDES) {
      const slots = this.slots(side);
      const slot = slots.findIndex(([sx, sy]) => Math.hypot(sx - x, sy - y) < g.disc / 2);
      if (slot >= 0) return g.slotView(side, slot, slots.length);
    }
    return null;
  }

  /** What is carried beyond the drawing's edge stays at the edge. @returns {Point} */
  nearBoard(g, [x, y]) {
    const { left, top, width, height } = g.extent;
    const clamp = (v, low, high) => Math.min(high, Math.max(low, v));
    return [clamp(x, left, left + width), clamp(y, top, top + height)];
  }

  /** @returns {Point[]} */
  slots(side) {
    return this.state.racks.slots?.[side] ?? [];
  }

  /** @returns {string | null} letter of what lies on a square of the simulated table; null when the table is not known */
  lyingOn(name) {
    const g = this.geometry;
    if (!this.table) return null;
    const here = this.table.discs.filter(([x, y, z]) => z < HELD_MM && g.squareAt(x, y)?.name === name);
    if (!here.length) return ".";
    return here.length > 1 ? here[0][3].toUpperCase() : here[0][3];
  }

  /** True if the machine does not believe what lies on a square. */
  differs(name) {
    const lying = this.lyingOn(name);
    const piece = pieceOf(this.state.position[name]);
    const believed = piece ? (piece.side === "white" ? "w" : "b") : ".";
    return lying !== null && (piece?.king ? believed.toUpperCase() : believed) !== lying;
  }

  /** Squares that get the dotted ring. */
  unseen() {
    return this.table ? this.geometry.game.squares.map((square) => square.name).filter((name) => this.differs(name)) : [];
  }

  // --- marks ------------------------------------------------------------------------------------------------------------------

  renderMarks() {
    const g = this.geometry;
    const { last = [], due = [], wrong = [] } = this.state.marks;
    const at = (names, draw) =>
      names
        .map((name) => g.byName.get(name))
        .filter((square) => !!square)
        .map((square) => draw(...g.viewOf(square)));
    const unseen = this.unseen();
    const rings = at(unseen, (x, y) => marks.unseen(g, x, y));
    fill(this.below, [...at(last, (x, y) => marks.last(g, x, y)), ...(this.ringsOnTop ? [] : rings)]);
    const arrow = this.pointed.length ? this.pointed : (this.state.hint?.squares ?? []);
    fill(this.above, [
      ...at(wrong, (x, y) => marks.wrong(g, x, y)),
      ...at(due, (x, y) => marks.due(g, x, y)),
      ...marks.arrows(g, arrow),
      ...(this.ringsOnTop ? rings : []),
    ]);
    this.shown = {
      last: last.length > 0,
      due: due.length > 0,
      wrong: wrong.length > 0,
      unseen: unseen.length > 0,
      arrow: arrow.length > 0,
    };
  }

  /** Show where the pointer drags a disc of a side, and the machine's carriage when it is known and over the board. */
  showHand(at, side) {
    const g = this.geometry;
    if (!g) return;
    const shown = [];
    const [x, y] = this.table?.carriage ? g.view(...this.table.carriage) : [-Infinity, 0];
    if (Math.abs(x - g.width / 2) < g.width / 2 + g.outer && Math.abs(y - g.height / 2) < g.height / 2 + g.outer) {
      const arm = 0.45 * g.square;
      shown.push(
        svg(
          "g",
          { class: "carriage", transform: `translate(${x} ${y})` },
          svg("circle", { r: 0.3 * g.square }),
          svg("path", { d: `M${-arm} 0H${arm}M0 ${-arm}V${arm}` }),
        ),
      );
    }
    if (at) shown.push(svg("circle", { cx: at[0], cy: at[1], r: 0.44 * g.square, class: `grip ${side}` }));
    fill(this.handLayer, shown);
  }

  // --- squares as buttons -----------------------------------------------------------------------------------------------------

  buildButtons(g) {
    this.buttons.clear();
    const rows = g.seenRows().map((row) => html("div", { role: "row" }, ...row.map((square) => this.cell(square))));
    const grid = html(
      "div",
      {
        role: "grid",
        class: "grid",
        "aria-label": t("Board of {game}. The arrow keys walk from square to square.", { game: g.game.names?.[language] ?? g.game.name }),
      },
      ...rows,
    );
    const half = g.game.lines ? g.square / 2 : 0;
    lay(grid, g, -half, -half, g.width + 2 * half, g.height + 2 * half);
    const rails = ["upper", "lower"].map((rail) => {
      const side = g.railSide(rail);
      const button = html("button", { type: "button", class: "rack", "data-rack": side }, html("span"));
      lay(button, g, g.extent.left, g.railY(rail) - g.rail / 2, g.extent.width, g.rail);
      this.buttons.set(`rack ${side}`, button);
      return button;
    });
    const columns = String(g.game.columns);
    grid.style.setProperty("--columns", columns);
    grid.style.setProperty("--rows", String(g.game.rows));
    this.current = "";
    return [rails[0], grid, rails[1]];
  }

  cell(square) {
    if (!square.playable) return html("span", { role: "gridcell", "aria-label": square.name });
    const button = html("button", { type: "button", tabindex: -1, "data-square": square.name });
    this.buttons.set(square.name, button);
    return html("span", { role: "gridcell" }, button);
  }

  renderButtons() {
    const g = this.geometry;
    if (!this.buttons.has(this.current)) {
      this.current =
        g
          .seenRows()
          .flat()
          .find((square) => square.playable && this.state.position[square.name])?.name ?? "";
      this.buttons.get(this.current)?.setAttribute("tabindex", "0");
    }
    for (const [name, button] of this.buttons) {
      const rack = name.startsWith("rack ");
      const label = rack ? t(RACKS[name.slice(5)], { count: this.rackCount(name.slice(5)) }) : this.describe(name);
      if (rack) say(button.firstElementChild, this.railText(name.slice(5), label));
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
      button.classList.toggle("takes", rack || (this.lyingOn(name) ?? this.state.position[name] ?? ".") !== ".");
    }
  }

  /** A rack that is more than half full has room for a number only. */
  railText(side, label) {
    const count = this.rackCount(side);
    return 2 * count > this.slots(side).length ? String(count) : label;
  }

  rackCount(side) {
    const g = this.geometry;
    if (!this.table) return this.state.racks[side];
    return this.table.discs.filter(([x, y, z, letter]) => letter === side[0] && this.rackPlace(g, x, y, z)).length;
  }

  /** What is on a square, in words, with everything that the drawing shows there. */
  describe(name) {
    const { hint, position } = this.state;
    const { last = [], due = [], wrong = [] } = this.state.marks;
    const parts = [t("{square}, {piece}", { square: name, piece: pieceName(position[name]) })];
    if (this.differs(name)) parts.push(t("on the table: {piece}", { piece: pieceName(this.lyingOn(name) ?? ".") }));
    if (last.includes(name)) parts.push(t(MARKS.last));
    if (due.includes(name)) parts.push(t(MARKS.due));
    if (wrong.includes(name)) parts.push(t(MARKS.wrong));
    if (hint?.squares.includes(name)) parts.push(t(MARKS.arrow));
    return parts.join(", ");
  }

  enter(target) {
    const name = target.dataset.square;
    if (!name) return;
    this.buttons.get(this.current)?.setAttribute("tabindex", "-1");
    target.setAttribute("tabindex", "0");
    this.current = name;
  }

  /** Arrow keys walk as the player sees the board; beyond the last row lie the racks. */
  walk(event) {
    const step = STEPS[event.key];
    const from = event.target;
    if (!step || event.ctrlKey || event.altKey || event.metaKey || !this.geometry) return;
    const next = from.dataset.rack ? this.fromRack(from, step) : this.beside(from.dataset.square ?? "", step);
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  fromRack(from, [, down]) {
    const g = this.geometry;
    const rail = g.railOf(from.dataset.rack);
    if (down !== (rail === "upper" ? 1 : -1)) return null;
    const rows = g.seenRows();
    const row = rail === "upper" ? rows[0] : rows[rows.length - 1];
    return this.buttons.get(this.nearest(row, this.column ?? 0)?.name ?? "") ?? null;
  }

  beside(name, [across, down]) {
    const g = this.geometry;
    const rows = g.seenRows();
    const y = rows.findIndex((row) => row.some((square) => square.name === name));
    if (y < 0) return null;
    const x = rows[y].findIndex((square) => square.name === name);
    if (across) {
      for (let i = x + across; i >= 0 && i < rows[y].length; i += across) {
        if (rows[y][i].playable) {
          this.column = i;
          return this.buttons.get(rows[y][i].name) ?? null;
        }
      }
      return null;
    }
    // The column from which the walk set out is kept: on a board of dark squares a way straight up zigzags, and must not drift.
    if (this.column === undefined || Math.abs(this.column - x) > 1) this.column = x;
    const row = rows[y + down];
    if (!row) return this.buttons.get(`rack ${g.railSide(down < 0 ? "upper" : "lower")}`) ?? null;
    return this.buttons.get(this.nearest(row, this.column)?.name ?? "") ?? null;
  }

  nearest(row, column) {
    const near = row.map((square, x) => ({ square, away: Math.abs(x - column) })).filter(({ square }) => square.playable);
    return near.sort((a, b) => a.away - b.away)[0]?.square;
  }
}

/** @type {Side[]} */
const SIDES = ["white", "black"];
/** @type {Record<string, number[]>} */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @returns {string} "white king", "empty" */
export function pieceName(letter) {
  const piece = pieceOf(letter);
  if (!piece) return t("empty");
  return t(PIECES[piece.side][piece.king ? "king" : piece.parachutist ? "parachutist" : "man"]);
}

/** Lay an element over a part of the drawing. */
function lay(element, g, x, y, width, height) {
  const { left, top, width: whole, height: high } = g.extent;
  element.style.left = `${((x - left) / whole) * 100}%`;
  element.style.top = `${((y - top) / high) * 100}%`;
  element.style.width = `${(width / whole) * 100}%`;
  element.style.height = `${(height / high) * 100}%`;
}
