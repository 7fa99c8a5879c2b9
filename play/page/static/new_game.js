/**
 * The sheet for a new game, and the one that asks again before a resignation. Both lie over the page, but never over STOP: so they
 * are no modal dialogs of the browser, which would take STOP away.
 */

import { byId, html, say } from "./dom.js";
import { drawPicture } from "./drawing.js";
import { Geometry } from "./geometry.js";
import { language, t, told } from "./texts.js";
import { SIDES } from "./words.js";

const LEVELS = 10;
/** Any: the pictures are scaled. */
const SQUARE_MM = 50;
const CLOCKS = ["5+3", "10+5", "15+10", "30+15"];

class Sheet {
  constructor() {
    /** @type {HTMLElement | null} */
    this.opener = null;
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !byId("sheet").hidden) this.close();
    });
    for (const moved of ["resize", "scroll"]) addEventListener(moved, () => this.keepClear(), { passive: true });
  }

  /** On a wide screen STOP stands in the sentence's bar: the sheet begins below it, wherever that is. */
  keepClear() {
    if (byId("sheet").hidden) return;
    byId("sheet").style.setProperty("--below", `${Math.ceil(byId("say").getBoundingClientRect().bottom) + 8}px`);
  }

  open(title, kind, content) {
    this.opener = document.activeElement;
    const sheet = byId("sheet");
    sheet.className = kind;
    sheet.replaceChildren(html("h2", { id: "sheet-title", tabindex: "-1" }, title), ...content);
    sheet.hidden = false;
    this.keepClear();
    this.shut(true);
    sheet.querySelector("#sheet-title").focus();
  }

  /** @param {HTMLElement} [next] where the focus goes; to where it was if nothing is said */
  close(next) {
    byId("sheet").hidden = true;
    byId("sheet").replaceChildren();
    this.shut(false);
    (next ?? this.opener)?.focus({ preventScroll: next !== undefined });
  }

  shut(shut) {
    byId("top").inert = shut;
    byId("offer").inert = shut;
    document.querySelector("main")?.toggleAttribute("inert", shut);
    document.body.classList.toggle("sheet-open", shut);
  }
}

export const sheet = new Sheet();

export function askToResign(resign) {
  const yes = html(
    "button",
    {
      type: "button",
      class: "danger",
      click: () => {
        sheet.close();
        resign();
      },
    },
    t("Yes, resign"),
  );
  const no = html("button", { type: "button", click: () => sheet.close() }, t("No, play on"));
  sheet.open(t("Resign this game?"), "small", [
    html("p", {}, t("The machine wins then, and the game is over.")),
    html("p", { class: "buttons" }, no, yes),
  ]);
}

/** @typedef {(fields: Record<string, unknown>) => Promise<{ok: boolean, text: string}>} Start */

export async function chooseGame(state, start) {
  const answer = await fetch("/games.json").catch(() => null);
  if (!answer?.ok) return false;
  const games = await answer.json();
  const begin = html("button", { type: "submit", class: "go" });
  const error = html("p", { class: "error", role: "alert" });
  const form = html(
    "form",
    { class: "new-game" },
    html(
      "div",
      { class: "choice-list" },
      settings(state),
      html("fieldset", { class: "games" }, html("legend", {}, t("Which game?")), ...games.map((game) => card(game, state))),
    ),
    error,
    html(
      "p",
      { class: "buttons" },
      ...running(state),
      html("button", { type: "button", click: () => sheet.close() }, t("Cancel")),
      begin,
    ),
  );
  const nameChosen = () =>
    say(
      begin,
      t("Begin: {game}", { game: nameOf(games.find((game) => game.key === new FormData(form).get("game")) ?? state.game) }),
    );
  form.addEventListener("change", nameChosen);
  nameChosen();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const chosen = new FormData(form);
    const done = await start({
      game: chosen.get("game"),
      level: Number(chosen.get("level")),
      side: chosen.get("side"),
      clock: chosen.get("clock") || null,
    });
    if (done.ok) {
      // What comes next is said on top, beside the board.
      sheet.close(byId("board"));
      scrollTo({ top: 0 });
    } else say(error, told(done.text) || t("This did not reach the table. Please try again."));
  });
  sheet.open(t("New game"), "large", [form]);
  form.querySelector("[name=game]:checked")?.closest("label")?.scrollIntoView({ block: "center" });
  return true;
}

function nameOf(game) {
  return game.names?.[language] ?? game.name;
}

function running(state) {
  return state.moves.length && !state.result
    ? [html("span", { class: "quiet" }, t("The game on the board ends without a result."))]
    : [];
}

function card(game, state) {
  const possible = game.reachable !== false;
  const picture = drawPicture(new Geometry({ ...game, square_mm: SQUARE_MM, lines: game.line_board }, false), game.start);
  const why = !possible && game.why_not ? [html("span", { class: "why" }, game.why_not)] : [];
  return html(
    "label",
    { class: possible ? "card" : "card impossible" },
    html("input", { type: "radio", name: "game", value: game.key, checked: game.key === state.game.key, disabled: !possible }),
    picture,
    html(
      "span",
      { class: "about" },
      html("b", {}, nameOf(game)),
      html("span", {}, t(game.lines[0])),
      html("span", {}, t(game.lines[1])),
      ...why,
    ),
  );
}

function settings(state) {
  const levels = Array.from({ length: LEVELS }, (_, i) => option(String(i + 1), levelName(i + 1), i + 1 === state.level));
  const sides = ["white", "black"].map((side) =>
    html(
      "label",
      {},
      html("input", { type: "radio", name: "side", value: side, checked: side === state.you }),
      ` ${t(SIDES[side])}`,
    ),
  );
  const clocks = state.can.clock
    ? [
        html(
          "label",
          { class: "field" },
          html("span", {}, t("Clock")),
          " ",
          html(
            "select",
            { name: "clock" },
            option("", t("no clock"), true),
            ...CLOCKS.map((clock) =>
              option(
                clock,
                t("{minutes} minutes and {seconds} seconds a move", {
                  minutes: clock.split("+")[0],
                  seconds: clock.split("+")[1],
                }),
                false,
              ),
            ),
          ),
        ),
      ]
    : [];
  return html(
    "div",
    { class: "settings" },
    html("label", { class: "field" }, html("span", {}, t("Level")), " ", html("select", { name: "level" }, ...levels)),
    html("fieldset", { class: "sides" }, html("legend", {}, t("You play")), ...sides),
    ...clocks,
  );
}

function option(value, words, selected) {
  return html("option", { value, selected }, words);
}

/** The lowest and the highest level say what they are. */
export function levelName(level) {
  if (level === 1) return t("{level} (easiest)", { level });
  return level === LEVELS ? t("{level} (strongest)", { level }) : String(level);
}

export function fillLevels(select) {
  select.replaceChildren(...Array.from({ length: LEVELS }, (_, i) => option(String(i + 1), levelName(i + 1), false)));
}
