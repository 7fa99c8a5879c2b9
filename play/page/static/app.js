/**
 * The page at the table. All state is the server's: every message brings the whole of it, and the page only shows it. So a reload
 * or a second browser shows the same.
 */

import { BoardView } from "./board.js";
import { CameraView } from "./camera.js";
import { Connection } from "./connection.js";
import { byId, say } from "./dom.js";
import { pieceOf } from "./drawing.js";
import { dragWithin, Hand } from "./hand.js";
import { askToResign, chooseGame, fillLevels, sheet } from "./new_game.js";
import * as panels from "./panels.js";
import { PositionSheet } from "./set_position.js";
import { applyTexts, keepLanguage, language, loadTexts, t, told, wantedLanguage } from "./texts.js";
import { RACK_NAMES } from "./words.js";

const TOAST_MS = 6000;
const BUTTONS = { hint: "hint", "take-back": "take_back", "set-position": "set_position", draw: "draw", resign: "resign", "new-game": "new_game" };

class Page {
  constructor() {
    /** @type {any} */
    this.state = null;
    /** @type {any} */
    this.overlay = null;
    this.linked = false;
    this.came_ms = 0;
    /** @type {any[]} */
    this.log = [];
    this.toastTimer = 0;
    /** Offers that were declined here. */
    this.declined = "";
    /** @type {string | null} the language that was chosen on this page */
    this.chosen = null;
    this.board = new BoardView(byId("board-view"));
    this.camera = new CameraView(byId("camera-view"));
    this.connection = new Connection({
      state: (m) => this.take(m),
      overlay: (m) => this.takeOverlay(m),
      link: (up) => this.link(up),
    });
    this.setting = new PositionSheet((fields) => this.connection.send("set_position", fields));
    this.hand = new Hand(
      { ask: (fields) => this.command("hand", fields), tell: (fields) => this.connection.post({ command: "hand", ...fields }) },
      () => this.handChanged(),
      () => this.showHand(),
    );
    this.listen();
    setInterval(() => this.state && panels.renderClocks(this.state, (performance.now() - this.came_ms) / 1000), 250);
  }

  // --- what comes from the server ---------------------------------------------------------------------------------------------

  async take(message) {
    const { state } = message;
    // A server of another version speaks to a page of its own.
    if (this.state && state.version !== this.state.version) return location.reload();
    if (this.epoch !== message.epoch) this.log = [];
    this.epoch = message.epoch;
    this.state = state;
    this.came_ms = performance.now();
    this.note(message.events ?? []);
    if (await loadTexts(this.chosen ?? wantedLanguage(state.language))) this.write();
    this.render();
  }

  note(events) {
    const known = new Set(this.log.map((event) => event.n));
    this.log = [...this.log, ...events.filter((event) => !known.has(event.n))].sort((a, b) => a.n - b.n).slice(-500);
  }

  takeOverlay(message) {
    this.overlay = message;
    if (!this.state) return;
    this.camera.render(this.state, message);
    this.board.render(this.state, message.table);
    this.setting.update(this.state, message);
    this.renderBoardNotes();
  }

  link(up) {
    if (up && !this.linked && this.state) this.camera.again();
    this.linked = up;
    document.body.classList.toggle("offline", !up);
    if (!up) this.hand.forget();
    this.renderSay();
  }

  // --- showing ----------------------------------------------------------------------------------------------------------------

  /** Texts that do not depend on the state; again when the language changes. */
  write() {
    applyTexts(document);
    fillLevels(byId("level"));
    byId("language").value = language;
    this.board.shape = "";
  }

  render() {
    const state = this.state;
    // The game that the machine is named after needs no second name beside it.
    const game = gameName(state) === "Damludo" ? "" : gameName(state);
    document.title = [game, state.simulation ? t("Damludo (simulation)") : "Damludo"].filter(Boolean).join(" – ");
    say(byId("game-name"), game);
    this.renderOffer();
    byId("simulation").hidden = !state.simulation;
    for (const button of document.querySelectorAll("[data-speed]")) {
      button.setAttribute("aria-pressed", String(Number(button.getAttribute("data-speed")) === state.speed));
    }
    this.renderSay();
    this.renderActions();
    panels.renderLights(state);
    panels.renderTurn(state);
    panels.renderClocks(state, 0);
    panels.renderMoves(state);
    panels.renderRuling(state, (squares) => {
      this.board.point(squares);
      this.renderBoardNotes();
    });
    panels.renderTextBoard(state);
    panels.renderLog(this.log);
    panels.renderKeys(state.simulation);
    this.board.render(state, this.overlay?.table);
    this.camera.render(state, this.overlay);
    this.setting.update(state, this.overlay);
    this.renderBoardNotes();
  }

  renderOffer() {
    const { offer } = this.state;
    byId("offer").hidden = !offer || this.declined === offer.time;
    if (!offer) return;
    say(byId("offer-title"), t("Go on with the game of {time}?", { time: offer.time }));
    say(byId("offer-game"), t("{game}, moves made: {count}", { game: offer.names[language] ?? offer.names.en, count: offer.plies }));
  }

  renderBoardNotes() {
    panels.renderLegend(this.board.shown, this.state.simulation, this.state.game.lines);
    this.showHand();
  }

  renderSay() {
    panels.renderSay(this.state, this.linked, (name, fields) => this.command(name, fields));
    document.body.classList.toggle("stopped", !!this.state?.can.go);
  }

  renderActions() {
    const { can, level } = this.state;
    for (const [id, name] of Object.entries(BUTTONS)) {
      byId(id).disabled = !can[name];
      byId(id).title = told(can.reasons?.[name] ?? "");
    }
    byId("level").value = String(level);
    say(byId("draw"), told(can.draw_text) || t("Draw"));
  }

  toast(text) {
    clearTimeout(this.toastTimer);
    byId("toast").textContent = told(text);
    this.toastTimer = window.setTimeout(() => {
      byId("toast").textContent = "";
    }, TOAST_MS);
  }

  // --- what goes to the server ------------------------------------------------------------------------------------------------

  async command(name, fields = {}) {
    const answer = await this.connection.send(name, fields);
    if (answer.text) this.toast(answer.text);
    else if (!answer.ok)
      this.toast(
        name === "stop"
          ? t("STOP did not reach the table! Use the switch at the machine.")
          : t("This did not reach the table. Please try again."),
      );
    return answer;
  }

  listen() {
    byId("stop").addEventListener("click", () => this.command("stop"));
    for (const id of ["hint", "take-back", "draw"]) this.onceAtATime(byId(id), () => this.command(BUTTONS[id]));
    byId("resign").addEventListener("click", () => askToResign(() => this.command("resign")));
    byId("set-position").addEventListener("click", () => this.state && this.setting.open(this.state, this.overlay));
    byId("new-game").addEventListener("click", () => this.newGame());
    byId("level").addEventListener("change", () => this.command("level", { level: Number(byId("level").value) }));
    for (const button of document.querySelectorAll("[data-speed]")) {
      button.addEventListener("click", () => this.command("speed", { speed: Number(button.getAttribute("data-speed")) }));
    }
    this.onceAtATime(byId("offer-yes"), () => this.command("resume"));
    byId("offer-no").addEventListener("click", () => {
      this.declined = this.state.offer?.time ?? "";
      this.renderOffer();
    });
    byId("language").addEventListener("change", () => this.speak(byId("language").value));
    byId("what-is").addEventListener("submit", (event) => this.whatIs(event));
    this.listenToKeys();
    this.listenToHand();
  }

  /** A second click while the first is under way does nothing. */
  onceAtATime(button, act) {
    let busy = false;
    button.addEventListener("click", async () => {
      if (busy) return;
      busy = true;
      await act();
      busy = false;
    });
  }

  async speak(name) {
    this.chosen = name;
    keepLanguage(name);
    if (!(await loadTexts(name))) return;
    this.write();
    if (this.state) this.render();
    else this.renderSay();
  }

  async newGame() {
    const shown = this.state && (await chooseGame(this.state, (fields) => this.connection.send("new_game", fields)));
    if (!shown) this.toast(t("This did not reach the table. Please try again."));
  }

  whatIs(event) {
    event.preventDefault();
    const name = byId("what-is-square").value.trim().toLowerCase();
    const square = this.state?.game.squares.find(
      (s) => s.playable && (s.name === name || (this.state.game.numeric && s.number === name)),
    );
    say(
      byId("what-is-answer"),
      square ? this.board.describe(square.name) : t("There is no square “{square}” on this board.", { square: name }),
    );
  }

  /** The space bar is STOP on the whole page, also on buttons (Enter presses them); only where one types or chooses it is a space. */
  listenToKeys() {
    const typing = (event) => event.target instanceof Element && event.target.closest("input, select, textarea, summary");
    const space = (event) => event.code === "Space" && !event.ctrlKey && !event.altKey && !event.metaKey && !typing(event);
    addEventListener(
      "keydown",
      (event) => {
        if (!space(event)) return;
        event.preventDefault();
        if (!event.repeat) this.command("stop");
      },
      true,
    );
    // A button is pressed when the space bar comes up.
    addEventListener("keyup", (event) => space(event) && event.preventDefault(), true);
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.hand.holding && byId("sheet").hidden) this.hand.cancel();
    });
  }

  // --- the simulated hand -----------------------------------------------------------------------------------------------------

  listenToHand() {
    const board = byId("board-view");
    dragWithin(board, this.hand, (x, y) => this.boardTarget(x, y));
    dragWithin(byId("camera-view"), this.hand, (x, y) => this.pictureTarget(x, y));
    board.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      // A click without a pointer is Enter, or a screen reader's press; pointers are `dragWithin`'s matter.
      if (button && event.detail === 0) this.activate(button);
    });
    board.addEventListener("focusin", (event) => {
      const target = this.hand.holding ? this.buttonTarget(event.target) : null;
      if (target) this.hand.move(target);
    });
  }

  activate(button) {
    const target = this.buttonTarget(button);
    if (!this.state.simulation) return this.toast(button.getAttribute("aria-label") ?? "");
    if (target && (target.takes || this.hand.holding)) this.hand.toggle(target);
    else this.toast(button.getAttribute("aria-label") ?? "");
  }

  /** @returns {import("./hand.js").Target | null} */
  buttonTarget(button) {
    const box = button.getBoundingClientRect();
    return this.boardTarget(box.left + box.width / 2, box.top + box.height / 2, button);
  }

  /** @returns {import("./hand.js").Target | null} */
  boardTarget(x, y, button = null) {
    const g = this.board.geometry;
    if (!g || !this.state.simulation || !this.linked) return null;
    const box = byId("board-view").querySelector("svg").getBoundingClientRect();
    const { left, top, width, height } = g.extent;
    const [vx, vy] = [left + ((x - box.left) / box.width) * width, top + ((y - box.top) / box.height) * height];
    const rail = g.railAt(vy);
    if (rail) return this.rackTarget(g.railSide(rail), vx, [x, y], button !== null);
    const place = g.view(vx, vy);
    const square = g.squareAt(...place);
    const name = square?.name ?? "";
    const piece = pieceOf(this.board.lyingOn(name) ?? this.state.position[name]);
    return { place: { board: round(place) }, takes: piece !== null, side: piece?.side, view: [x, y], name };
  }

  /** @returns {import("./hand.js").Target | null} */
  rackTarget(side, viewX, view, last) {
    const slots = this.board.slots(side);
    const count = this.board.rackCount(side);
    const g = this.board.geometry;
    if (!slots.length) return null;
    const under = Math.round((viewX - g.slotView(side, 0, slots.length)[0]) / g.railPitch(slots.length));
    const slot = this.hand.holding ? Math.min(count, slots.length - 1) : Math.max(0, Math.min(last ? count : under, count - 1));
    return { place: { board: slots[slot] }, takes: count > 0, side, view, name: `rack ${side}` };
  }

  /** @returns {import("./hand.js").Target | null} */
  pictureTarget(x, y) {
    if (!this.state?.simulation || !this.state.camera || !this.linked) return null;
    return { place: { picture: round(this.camera.pictureAt(x, y)) }, takes: true, view: [x, y], name: t("the picture") };
  }

  handChanged() {
    document.body.classList.toggle("holding", this.hand.holding);
    this.showHand();
    // While a pointer is down the drawing says it all.
    if (this.hand.resting)
      this.toast(
        t("You hold the disc from {place}. Let it go where it belongs; Esc puts it back.", {
          place: placeName(this.hand.origin.name),
        }),
      );
  }

  showHand() {
    this.board.showHand(this.pointerView(), this.hand.origin?.side);
  }

  /** Where the hand is led to, on the drawing of the board. @returns {[number, number] | null} */
  pointerView() {
    const at = this.hand.at;
    const g = this.board.geometry;
    if (!at || !g || !("board" in at.place)) return null;
    if (!at.name.startsWith("rack ")) return g.view(...at.place.board);
    const side = at.name.slice(5);
    const slots = this.board.slots(side);
    const [x, y] = at.place.board;
    return g.slotView(
      side,
      Math.max(
        0,
        slots.findIndex(([sx, sy]) => sx === x && sy === y),
      ),
      slots.length,
    );
  }
}

function placeName(name) {
  return name.startsWith("rack ") ? t(RACK_NAMES[name.slice(5)]) : name;
}

function gameName(state) {
  return state.game.names?.[language] ?? state.game.name;
}

/** @returns {[number, number]} */
function round([x, y]) {
  return [Math.round(10 * x) / 10, Math.round(10 * y) / 10];
}

const page = new Page();
page.write();
page.renderSay();
