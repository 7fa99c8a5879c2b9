/**
 * The sheet on which a person says what truly stands on the board. A piece is chosen, then squares are tapped. Beside it stands what
 * the camera sees: a wrong reading and a slip of the finger are found in the same way.
 */

import { BoardView, pieceName } from "./board.js";
import { byId, fill, html, say, svg } from "./dom.js";
import { drawDisc, pieceOf, setEmblem } from "./drawing.js";
import { Geometry } from "./geometry.js";
import { sheet } from "./new_game.js";
import { t, told } from "./texts.js";
import { SIDES } from "./words.js";

const EMPTY = ".";
/** So many squares are named one by one. */
const MOST_NAMED = 8;

/** @typedef {Record<string, string>} Letters  square -> letter; empty squares are left out */

class DraftView extends BoardView {
  /** @type {Letters} what the camera sees; an empty square is "." */
  seen = {};

  /** The racks are of no matter here. */
  geometryOf(game, flipped) {
    return new Geometry(game, flipped, false);
  }

  seenOtherwise(name) {
    const seen = this.seen[name];
    return seen !== undefined && seen !== asSeen(this.state.position[name]);
  }

  unseen() {
    return Object.keys(this.seen).filter((name) => this.seenOtherwise(name));
  }

  describe(name) {
    const parts = [t("{square}, {piece}", { square: name, piece: pieceName(this.state.position[name]) })];
    if (this.state.marks.last.includes(name)) parts.push(t("changed"));
    if (this.seenOtherwise(name)) parts.push(t("the camera sees: {piece}", { piece: pieceName(this.seen[name]) }));
    return parts.join(", ");
  }
}

/** A parachutist is a disc like a man. */
function asSeen(letter = EMPTY) {
  return { p: "w", x: "w", q: "b", y: "b" }[letter] ?? letter;
}

export class PositionSheet {
  /** @param {(fields: Record<string, unknown>) => Promise<{ok: boolean, text: string}>} send */
  constructor(send) {
    this.send = send;
    /** @type {HTMLElement | null} */
    this.form = null;
    /** @type {any} */
    this.state = null;
    /** @type {any} */
    this.overlay = null;
    /** @type {Letters} */
    this.draft = {};
    this.brush = EMPTY;
  }

  open(state, overlay) {
    this.draft = { ...state.position };
    this.brush = state.game.pieces[0];
    this.before = JSON.stringify(state.position);
    this.host = html("div", { class: "board-view", click: (event) => this.tap(event.target) });
    this.view = new DraftView(this.host);
    this.view.ringsOnTop = true;
    this.seen = html("div", { class: "seen" });
    this.marks = html("ul", { class: "quiet legend" });
    this.spoken = html("p", { class: "spoken", role: "status" });
    this.error = html("p", { class: "error", role: "alert" });
    this.done = html("button", { type: "submit", class: "go" }, t("So it stands"));
    this.form = html(
      "form",
      { class: "set-position", submit: (event) => this.confirm(event) },
      html(
        "div",
        { class: "choice-list" },
        html(
          "div",
          { class: "how" },
          html("p", { class: "quiet" }, t("Choose a piece, then tap the squares that it stands on; tap again to empty one.")),
          this.palette(state),
        ),
        html("div", { class: "draft" }, this.host, this.marks),
        html("div", { class: "beside" }, this.seen, this.sides(state), this.starts()),
        this.spoken,
      ),
      this.error,
      html(
        "p",
        { class: "buttons" },
        html("button", { type: "button", click: () => sheet.close() }, t("Cancel")),
        this.done,
      ),
    );
    sheet.open(t("The true position"), "large position", [this.form]);
    this.update(state, overlay);
  }

  /** Show the newest state of the table beside what was entered, if the sheet is open. */
  update(state, overlay) {
    if (!this.form?.isConnected) return;
    this.state = state;
    this.overlay = overlay;
    const position = JSON.stringify(state.position);
    if (position !== this.before) {
      this.before = position;
      say(this.error, t("The game went on meanwhile: please look again."));
    }
    this.done.disabled = !state.can.set_position;
    this.done.title = told(state.can.reasons?.set_position ?? "");
    this.render();
  }

  render() {
    const { position } = this.state;
    const names = this.state.game.squares.filter((square) => square.playable).map((square) => square.name);
    const changed = names.filter((name) => (this.draft[name] ?? EMPTY) !== (position[name] ?? EMPTY));
    this.view.seen = this.camera();
    const marks = { last: changed, due: [], wrong: [] };
    const racks = { ...this.state.racks, white: 0, black: 0 };
    this.view.render({ ...this.state, simulation: false, position: this.draft, hint: null, marks, racks }, null);
    this.renderSeen(this.view.unseen());
    this.renderMarks(changed.length > 0);
  }

  /** @returns {Letters} what the camera sees; nothing before it has looked */
  camera() {
    const readings = Object.entries(this.overlay?.readings ?? {});
    return Object.fromEntries(readings.map(([name, reading]) => [name, reading.content]));
  }

  renderSeen(other) {
    if (!Object.keys(this.view.seen).length) return fill(this.seen, [html("p", { class: "quiet" }, t("The camera has not read the board yet."))]);
    if (!other.length) return fill(this.seen, [html("p", { class: "agrees" }, t("The camera sees the board so too."))]);
    const named = other.slice(0, MOST_NAMED).map((name) => html("li", {}, html("b", {}, name), ` ${pieceName(this.view.seen[name])}`));
    if (other.length > MOST_NAMED) named.push(html("li", {}, t("and {count} more", { count: other.length - MOST_NAMED })));
    fill(this.seen, [html("p", {}, t("The camera sees something else:")), html("ul", { class: "otherwise" }, ...named)]);
  }

  renderMarks(changed) {
    const row = (kind, words) => html("li", {}, html("i", { class: `key ${kind}`, "aria-hidden": "true" }), words);
    fill(this.marks, [
      ...(changed ? [row("last", t("changed"))] : []),
      ...(this.view.unseen().length ? [row("unseen", t("the camera sees something else"))] : []),
    ]);
  }

  // --- what a person chooses --------------------------------------------------------------------------------------------------

  palette(state) {
    const pieces = [...state.game.pieces, EMPTY].map((letter) =>
      html(
        "label",
        { class: "piece" },
        html("input", {
          type: "radio",
          name: "piece",
          value: letter,
          checked: letter === this.brush,
          change: () => {
            this.brush = letter;
          },
        }),
        stamp(letter),
        html("span", {}, pieceName(letter)),
      ),
    );
    return html("fieldset", { class: "palette" }, html("legend", { class: "spoken" }, t("Piece")), ...pieces);
  }

  sides(state) {
    const choices = ["white", "black"].map((side) =>
      html(
        "label",
        {},
        html("input", { type: "radio", name: "side", value: side, checked: side === state.to_move }),
        ` ${t(SIDES[side])} `,
        html("small", {}, side === state.you ? t("you") : t("machine")),
      ),
    );
    return html("fieldset", { class: "sides" }, html("legend", {}, t("To move")), ...choices);
  }

  starts() {
    const button = (words, letters) =>
      html("button", { type: "button", click: () => this.begin(letters()) }, words);
    return html(
      "div",
      { class: "starts", role: "group", "aria-label": t("Begin with") },
      button(t("As the camera sees it"), () => filled(this.camera(), this.state.position)),
      button(t("As the machine believes"), () => this.state.position),
      button(t("Empty board"), () => ({})),
    );
  }

  begin(letters) {
    this.draft = { ...letters };
    say(this.error, "");
    this.render();
  }

  tap(target) {
    const name = target.closest?.("button")?.dataset.square;
    if (!name) return;
    const { [name]: there = EMPTY, ...others } = this.draft;
    const letter = there === this.brush ? EMPTY : this.brush;
    this.begin(letter === EMPTY ? others : { ...others, [name]: letter });
    say(this.spoken, this.view.describe(name));
  }

  async confirm(event) {
    event.preventDefault();
    const side = new FormData(/** @type {HTMLFormElement} */ (this.form)).get("side");
    const answer = await this.send({ fen: fen(this.draft, String(side)), after: this.state.moves.length });
    if (answer.ok) {
      // What comes next is said on top, beside the board.
      sheet.close(byId("board"));
      scrollTo({ top: 0 });
    } else say(this.error, told(answer.text) || t("This did not reach the table. Please try again."));
  }
}

/** What the camera sees, with parachutists where they were believed: it cannot tell them from men. @returns {Letters} */
function filled(seen, believed) {
  const squares = Object.entries(seen).filter(([, letter]) => letter !== EMPTY);
  return Object.fromEntries(squares.map(([name, letter]) => [name, asSeen(believed[name]) === letter ? believed[name] : letter]));
}

/** @param {Letters} letters */
function fen(letters, side) {
  const list = (of) =>
    Object.entries(letters)
      .map(([name, letter]) => ({ name, piece: pieceOf(letter) }))
      .filter(({ piece }) => piece?.side === of)
      .map(({ name, piece }) => `${piece?.king ? "K" : piece?.parachutist ? "P" : ""}${name}`)
      .join(",");
  return `${side === "white" ? "W" : "B"}:W${list("white")}:B${list("black")}`;
}

/** A small picture of a piece, or of an empty square. */
function stamp(letter) {
  const piece = pieceOf(letter);
  const picture = svg("svg", { viewBox: "-25 -25 50 50", class: "stamp", "aria-hidden": "true" });
  picture.append(svg("rect", { x: -24, y: -24, width: 48, height: 48, rx: 4, class: "dark" }));
  for (let lying = 0; piece && lying < (piece.king ? 2 : 1); lying += 1) {
    const disc = drawDisc(piece.side, 19);
    disc.setAttribute("transform", `translate(0 ${piece.king ? 3 - 6 * lying : 0})`);
    setEmblem(disc, piece.king && lying ? "king" : piece.parachutist ? "parachutist" : "");
    picture.append(disc);
  }
  return picture;
}
