/**
 * The simulated hand: pointer and keyboard become press, move and release. The page says where the hand goes and no more; what
 * it did there the camera has to see.
 */

/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {{board: Point} | {picture: Point}} Place */
/** @typedef {{place: Place, takes: boolean, side?: "white" | "black", view: Point, name: string}} Target  where a pointer is: `view` in px of the screen */

const MOVES_MS = 50;
/** A hand that holds a disc and is led no more would put it back after a while: it is told again where it is. */
const STILL_HERE_MS = 1000;
/** A pointer that comes up this near to where it went down was a click. */
const CLICK_PX = 8;

export class Hand {
  /**
   * @param {{ask: (fields: object) => Promise<{ok: boolean, text: string}>, tell: (fields: object) => void}} table
   *   `ask` waits for an answer; moves are only told: the next one makes up for one that was lost
   * @param {(hand: Hand) => void} changed something was taken or put down
   * @param {(hand: Hand) => void} moved
   */
  constructor(table, changed, moved) {
    this.table = table;
    this.changed = changed;
    this.moved = moved;
    /** @type {Target | null} */
    this.origin = null;
    /** @type {Target | null} */
    this.at = null;
    this.resting = false;
    this.lastMove = 0;
    this.timer = 0;
    setInterval(() => this.holding && this.sendMove(), STILL_HERE_MS);
  }

  get holding() {
    return this.origin !== null;
  }

  /** Take what lies there; it is put down again by `release`. `resting`: no pointer is down that leads the hand. */
  async press(target, resting = false) {
    this.origin = this.at = target;
    this.resting = resting;
    this.changed(this);
    const answer = await this.table.ask({ action: "press", at: target.place });
    if (!answer.ok && this.origin === target) this.forget();
  }

  /** The pointer came up where it went down: the disc stays in the hand until the next click. */
  rest() {
    this.resting = true;
    this.changed(this);
  }

  move(target) {
    if (!this.holding) return;
    this.at = target;
    const due = this.lastMove + MOVES_MS - performance.now();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.sendMove(), Math.max(0, due));
    this.moved(this);
  }

  sendMove() {
    if (!this.at) return;
    this.lastMove = performance.now();
    this.table.tell({ action: "move", at: this.at.place });
  }

  release(target) {
    if (!this.holding || !target) return;
    this.table.ask({ action: "release", at: target.place });
    this.forget();
  }

  /** Put the disc back to where it came from. */
  cancel() {
    this.release(this.origin);
  }

  forget() {
    clearTimeout(this.timer);
    this.origin = this.at = null;
    this.resting = false;
    this.changed(this);
  }

  /** Enter on a square: take, or put down. */
  toggle(target) {
    if (this.holding) this.release(target);
    else if (target.takes) this.press(target, true);
  }
}

/** Let a pointer drag discs within an element; `targetOf` says what lies under a point of the screen. */
export function dragWithin(element, hand, targetOf) {
  /** @type {number | null} */
  let pointer = null;
  element.addEventListener("pointerdown", (event) => {
    const target = targetOf(event.clientX, event.clientY);
    if (event.button !== 0 || pointer !== null || !target) return;
    if (hand.holding) hand.move(target);
    else if (target.takes) hand.press(target);
    else return;
    pointer = event.pointerId;
    element.setPointerCapture(pointer);
  });
  element.addEventListener("pointermove", (event) => {
    const target = event.pointerId === pointer ? targetOf(event.clientX, event.clientY) : null;
    if (target) hand.move(target);
  });
  element.addEventListener("pointerup", (event) => {
    if (event.pointerId !== pointer) return;
    pointer = null;
    const from = hand.origin?.view ?? [0, 0];
    const click = Math.hypot(event.clientX - from[0], event.clientY - from[1]) < CLICK_PX;
    if (click && hand.holding && !hand.resting) hand.rest();
    else hand.release(targetOf(event.clientX, event.clientY));
  });
  element.addEventListener("pointercancel", (event) => {
    if (event.pointerId !== pointer) return;
    pointer = null;
    hand.cancel();
  });
}
