/** The live picture, and over it what the machine sees: the grid, its readings, hands, the carriage, the last move. */

import { byId, fill, say, svg } from "./dom.js";
import { t } from "./texts.js";

/** @typedef {[number, number]} Point */

const RETRY_MS = 3000;
/** A reading below this is told with its number. */
const SURE = 0.9;

export class CameraView {
  constructor(host) {
    this.host = host;
    this.picture = document.createElement("img");
    this.picture.alt = "";
    this.layer = svg("svg", { class: "overlay", role: "img" });
    this.shape = "";
    this.failed = false;
    this.host.replaceChildren(this.picture, this.layer);
    this.picture.onerror = () => this.fail();
    this.picture.onload = () => this.note(false);
    for (const id of ["show-grid", "show-readings"]) byId(id).addEventListener("change", () => this.draw());
  }

  render(state, overlay) {
    this.state = state;
    this.overlay = overlay;
    const camera = state.camera;
    byId("camera").hidden = !camera;
    if (!camera) return this.picture.removeAttribute("src");
    const shape = `${camera.width}x${camera.height}`;
    if (shape !== this.shape) {
      this.shape = shape;
      this.host.style.aspectRatio = `${camera.width} / ${camera.height}`;
      this.layer.setAttribute("viewBox", `0 0 ${camera.width} ${camera.height}`);
    }
    if (!this.picture.getAttribute("src")) this.picture.src = "/camera.mjpeg";
    this.draw();
  }

  /** After a break the stream has ended: ask for a new one. */
  again() {
    if (this.state?.camera) this.picture.src = `/camera.mjpeg?again=${Date.now()}`;
  }

  fail() {
    this.note(true);
    setTimeout(() => this.failed && this.again(), RETRY_MS);
  }

  note(failed) {
    this.failed = failed;
    say(byId("camera-note"), failed ? t("No picture comes at the moment.") : "");
  }

  draw() {
    const { camera, marks, simulation } = this.state ?? {};
    if (!camera) return;
    this.host.classList.toggle("simulated", simulation);
    this.layer.setAttribute("aria-label", this.summary());
    const unit = Math.max(camera.width, camera.height) / 100;
    /** @type {Node[]} */
    const parts = [];
    if (byId("show-grid").checked && camera.corners)
      parts.push(svg("path", { d: gridPath(camera.corners, this.state.game), class: "grid-lines", "stroke-width": 0.3 * unit }));
    if (byId("show-readings").checked) parts.push(...this.readings(unit));
    parts.push(...this.lastMove(marks.last ?? [], unit));
    (this.overlay?.carriage ?? []).forEach((part, i) => parts.push(...outline(part, "machine", i ? "" : t("machine"), unit)));
    if (this.overlay?.hand) parts.push(...outline(this.overlay.hand, "hand", t("hand"), unit));
    fill(this.layer, parts);
  }

  summary() {
    const words = [t("Live picture of the board from above")];
    if (this.overlay?.hand) words.push(t("hand"));
    if (this.overlay?.carriage) words.push(t("machine"));
    return words.join(", ");
  }

  readings(unit) {
    return Object.entries(this.overlay?.readings ?? {}).flatMap(([name, reading]) => {
      const at = this.state.camera.squares?.[name];
      if (!at || (reading.content === "." && reading.confidence >= SURE)) return [];
      const [x, y] = at;
      const doubtful = reading.confidence < SURE;
      const text = doubtful ? `${reading.content}? ${Math.round(100 * reading.confidence)}` : reading.content;
      return [
        svg(
          "text",
          {
            x,
            y: y + 0.7 * unit,
            "font-size": 2 * unit,
            class: doubtful ? "reading doubtful" : "reading",
            "stroke-width": 0.6 * unit,
          },
          text,
        ),
      ];
    });
  }

  lastMove(names, unit) {
    const points = names.map((name) => this.state.camera.squares?.[name]).filter((point) => point);
    if (points.length < 2) return [];
    const d = `M${points.map((point) => point.join(" ")).join("L")}`;
    return [
      svg("path", { d, class: "trail casing", "stroke-width": 1.1 * unit }),
      svg("path", { d, class: "trail", "stroke-width": 0.6 * unit, "marker-end": "url(#tip)" }),
    ];
  }

  /** @returns {Point} a point of the screen in px of the picture */
  pictureAt(x, y) {
    const box = this.host.getBoundingClientRect();
    const { width, height } = this.state.camera;
    return [((x - box.left) / box.width) * width, ((y - box.top) / box.height) * height];
  }
}

function outline(points, name, words, unit) {
  const [x, y] = points.reduce(([sx, sy], [px, py]) => [sx + px / points.length, sy + py / points.length], [0, 0]);
  return [
    svg("polygon", { points: points.map((point) => point.join(",")).join(" "), class: name, "stroke-width": 0.4 * unit }),
    svg("text", { x, y, "font-size": 2.4 * unit, class: `name ${name}`, "stroke-width": 0.7 * unit }, words),
  ];
}

/** Lines of the squares between four corners (a1, h1, h8, a8), drawn in perspective. */
function gridPath(corners, { columns, rows, lines }) {
  const project = fromUnitSquare(corners);
  const [across, up] = [columns - (lines ? 1 : 0), rows - (lines ? 1 : 0)];
  const line = (from, to) => `M${project(from)}L${project(to)}`;
  const files = Array.from({ length: across + 1 }, (_, i) => line([i / across, 0], [i / across, 1]));
  const ranks = Array.from({ length: up + 1 }, (_, i) => line([0, i / up], [1, i / up]));
  return [...files, ...ranks].join("");
}

/**
 * The projective map of the unit square to a quadrilateral.
 * Source: Heckbert, Fundamentals of Texture Mapping and Image Warping (1989), section 2.2.3.
 */
function fromUnitSquare([[x0, y0], [x1, y1], [x2, y2], [x3, y3]]) {
  const [dx1, dy1, dx2, dy2] = [x1 - x2, y1 - y2, x3 - x2, y3 - y2];
  const [sx, sy] = [x0 - x1 + x2 - x3, y0 - y1 + y2 - y3];
  const whole = dx1 * dy2 - dx2 * dy1;
  const g = (sx * dy2 - dx2 * sy) / whole;
  const h = (dx1 * sy - sx * dy1) / whole;
  return ([u, v]) => {
    const w = g * u + h * v + 1;
    const x = ((x1 - x0 + g * x1) * u + (x3 - x0 + h * x3) * v + x0) / w;
    const y = ((y1 - y0 + g * y1) * u + (y3 - y0 + h * y3) * v + y0) / w;
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
}
