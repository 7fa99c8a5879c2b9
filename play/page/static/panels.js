/** Everything of the page that is words: the sentence, lights, clocks, moves, rulings, the board as text, the log. */

import { pieceName } from "./board.js";
import { byId, fill, html, say, svg } from "./dom.js";
import { language, t, told } from "./texts.js";
import { DEVICES, KEYS, LAMPS, MARKS, PIECE_LISTS, PIECES, RACKS, SIDES, TURNS } from "./words.js";

/** One drawing for each tone of the sentence and each state of a light: colour is never alone. */
const ICONS = {
  do: "M4 12h15M12.5 5l7 7-7 7",
  wait: "M6 3h12M6 21h12M7 3c0 5 3.5 6.5 5 9-1.5 2.5-5 4-5 9M17 3c0 5-3.5 6.5-5 9 1.5 2.5 5 4 5 9",
  ask: "M7.5 8.500a4.5 4.5 0 1 1 6.5 4c-1.5.8-2 1.6-2 3.200M12 19.500v.6",
  alarm: "M12 3 2.5 20.500h19zM12 9.500v5.500M12 17.600v.5",
  over: "M6 21V4M6 4.500h11l-2.5 3.750L17 12H6",
  good: "M4.5 12.5 10 18 19.5 6.5",
  bad: "M5.5 5.500l13 13M18.5 5.500l-13 13",
  none: "M5 12h14",
};

export function icon(name) {
  return svg("svg", { viewBox: "0 0 24 24", class: `icon ${name}`, "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

// --- the sentence ---------------------------------------------------------------------------------------------------------------

export function renderSay(state, linked, command) {
  const { text, tone, choices = [] } = linked && state ? state.say : offline(state);
  document.body.dataset.tone = tone;
  const sentence = byId("sentence");
  sentence.setAttribute("aria-live", tone === "alarm" ? "assertive" : "polite");
  say(sentence, told(text));
  fill(byId("say-icon"), [icon(tone)]);
  const buttons = choices.map(({ id, text: words }) => choice(told(words), `answer ${id}`, () => command("answer", { choice: id })));
  const offered = choices.some((answer) => answer.id === "go");
  if (linked && state?.can.go && !offered) buttons.unshift(choice(t("Go on"), "go", () => command("go")));
  keep(byId("choices"), buttons);
}

function offline(state) {
  return {
    text: state
      ? t("Connection lost. The game goes on at the table; this page comes back by itself.")
      : t("Connecting to the table …"),
    tone: state ? "alarm" : "wait",
  };
}

function choice(words, id, act) {
  return html("button", { type: "button", class: id === "go" ? "go" : "choice", "data-id": id, click: act }, words);
}

/** Like `fill`, for buttons: a button with the same words and purpose stays, so that it keeps the focus. */
function keep(element, children) {
  fill(element, children);
}

// --- connections ----------------------------------------------------------------------------------------------------------------

export function renderLights(state) {
  const rows = ["camera", "gantry", "engine"]
    .filter((name) => state.lights[name])
    .map((name) => {
      const light = state.lights[name];
      return html(
        "li",
        { class: `lamp ${light.state}` },
        icon(light.state),
        html("b", {}, t(DEVICES[name])),
        " ",
        html("span", {}, told(light.text) || t(LAMPS[light.state])),
      );
    });
  fill(byId("lights"), rows);
}

// --- turn and clocks ------------------------------------------------------------------------------------------------------------

export function renderTurn(state) {
  const whose = state.turn ?? "nobody";
  const side = whose === "machine" ? other(state.you) : state.you;
  say(byId("turn"), state.result ? t("The game is over") : t(TURNS[whose], { side: t(SIDES[side]) }));
}

/** @returns {string} */
function other(side) {
  return side === "white" ? "black" : "white";
}

export function renderClocks(state, since_s) {
  const clocks = state.clocks;
  byId("clocks").hidden = !clocks;
  if (!clocks) return;
  const rows = [other(state.you), state.you].map((side) => {
    const running = clocks.running === side;
    const left = clocks[`${side}_s`] - (running ? since_s * (state.speed ?? 1) : 0);
    return html(
      "div",
      { class: running ? "clock running" : "clock" },
      html("dt", {}, side === state.you ? t("You") : t("Machine"), running ? html("span", {}, ` ${t("▶ running")}`) : ""),
      html("dd", {}, clockText(left)),
    );
  });
  fill(byId("clocks"), rows);
}

export function clockText(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const minutes = Math.floor(whole / 60) % 60;
  const hours = Math.floor(whole / 3600);
  const pad = (n) => String(n).padStart(2, "0");
  return hours ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}

// --- moves ----------------------------------------------------------------------------------------------------------------------

export function renderMoves(state) {
  const { moves } = state;
  const sides = moves[0]?.side === "black" ? ["black", "white"] : ["white", "black"];
  /** @type {any[][]} */
  const rows = [];
  moves.forEach((move, ply) => {
    // A turn that a capture in the opening or an odd start leaves out must not shift the columns, nor a position that was set.
    const row = rows[rows.length - 1];
    if (!row || move.side === sides[0] || row.some((other) => other.side === move.side) || state.sets?.includes(ply)) rows.push([]);
    rows[rows.length - 1].push(move);
  });
  byId("no-moves").hidden = moves.length > 0;
  const table = byId("moves").querySelector("table");
  table.hidden = !moves.length;
  fill(table.tHead, [
    html(
      "tr",
      {},
      html("th", { scope: "col" }, t("No.")),
      ...sides.map((side) =>
        html("th", { scope: "col" }, t(SIDES[side]), " ", html("small", {}, side === state.you ? t("you") : t("machine"))),
      ),
    ),
  ]);
  const before = table.tBodies[0].childElementCount;
  fill(
    table.tBodies[0],
    [
      ...rows.flatMap((row, i) => [
        ...wasSet(state, moves.indexOf(row[0])),
        html(
          "tr",
          {},
          html("th", { scope: "row" }, `${i + 1}.`),
          ...sides.map((side) => cell(row.find((move) => move.side === side))),
        ),
      ]),
      ...wasSet(state, moves.length),
    ],
  );
  if (table.tBodies[0].childElementCount !== before) table.parentElement.scrollTop = table.parentElement.scrollHeight;
}

/** A line that says that a person set the position after so many plies. */
function wasSet(state, plies) {
  return plies && state.sets?.includes(plies) ? [html("tr", { class: "set" }, html("td", { colspan: 3 }, t("The position was set.")))] : [];
}

function cell(move) {
  if (!move) return html("td");
  const removed = /^remove:(.+)$/.exec(move.text)?.[1];
  const parts = [html("b", {}, removed ? t("{square} taken off", { square: removed }) : move.text)];
  if (!removed && move.notation && move.notation !== move.text) parts.push(html("small", {}, ` ${move.notation}`));
  if (Number.isFinite(move.seconds))
    parts.push(html("small", { class: "time" }, ` ${t("{seconds} s", { seconds: Math.round(move.seconds) })}`));
  if (move.note) parts.push(html("small", { class: "note" }, move.note));
  return html("td", {}, ...parts);
}

// --- rulings --------------------------------------------------------------------------------------------------------------------

export function renderRuling(state, point) {
  const card = byId("ruling");
  const { ruling } = state;
  const shown = language + JSON.stringify(ruling);
  if (card.dataset.shown === shown) return;
  card.dataset.shown = shown;
  card.hidden = !ruling;
  if (!ruling) return card.replaceChildren();
  const better = (ruling.better ?? []).map((move) => {
    const show = () => point(move.squares);
    const hide = () => point([]);
    return html(
      "li",
      {},
      html(
        "button",
        { type: "button", class: "better", pointerenter: show, focus: show, click: show, pointerleave: hide, blur: hide },
        move.text,
      ),
    );
  });
  card.replaceChildren(
    html("h2", {}, icon("alarm"), told(ruling.title) || t("What the rules say")),
    html("p", {}, ruling.texts?.[language] ?? told(ruling.text)),
    ...(ruling.article ? [html("blockquote", {}, html("b", {}, t("The rule:")), " ", told(ruling.article))] : []),
    ...(better.length
      ? [
          html("p", { class: "quiet" }, t("Possible instead (point at one to see it on the board):")),
          html("ul", { class: "chips" }, ...better),
        ]
      : []),
  );
}

// --- board as text, legend, log ---------------------------------------------------------------------------------------------------

export function renderTextBoard(state) {
  const rows = ["white", "black"].flatMap((side) =>
    ["man", "king", "parachutist"].flatMap((kind) => {
      const name = t(PIECES[side][kind]);
      const squares = Object.keys(state.position).filter((square) => pieceName(state.position[square]) === name);
      return squares.length
        ? [html("dt", {}, t(PIECE_LISTS[side][kind], { count: squares.length })), html("dd", {}, squares.join(" "))]
        : [];
    }),
  );
  const racks = ["white", "black"].map((side) => html("p", {}, t(RACKS[side], { count: state.racks[side] })));
  fill(byId("text-board"), [html("dl", {}, ...rows), ...racks]);
}

export function renderLegend(shown, simulation, lines) {
  const kinds = ["last", "due", "wrong", "unseen", "arrow"].filter((kind) => shown[kind]);
  const rows = kinds.map((kind) => html("li", {}, html("i", { class: `key ${kind}`, "aria-hidden": "true" }), t(MARKS[kind])));
  if (simulation)
    rows.push(
      html(
        "li",
        { class: "how" },
        lines
          ? t("Drag a disc to its crossing, captured discs to the racks above and below.")
          : t("Drag a disc to its square, captured discs to the racks above and below, a crown from your rack onto the man."),
      ),
    );
  fill(byId("legend"), rows);
}

const LOG_LINES = 60;

export function renderLog(events) {
  const rows = events
    .filter((event) => event.text)
    .slice(-LOG_LINES)
    .reverse();
  fill(
    byId("log"),
    rows.map((event) => html("li", {}, html("small", {}, clockText(event.time_s)), " ", event.data?.texts?.[language] ?? told(event.text))),
  );
}

export function renderKeys(simulation) {
  const here = KEYS.filter(({ where }) => where === "both" || where === (simulation ? "simulation" : "real"));
  fill(
    byId("keys"),
    here.flatMap(({ key, does }) => [html("dt", {}, t(key)), html("dd", {}, t(does))]),
  );
}
