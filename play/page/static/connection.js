/**
 * The one WebSocket. It comes back by itself; each command carries an id and the server's epoch, so a double click or a stale
 * page has no second effect. Nothing is sent later than it was asked for: a STOP of half a minute ago would surprise people.
 */

const PING_MS = 5000;
const SILENT_MS = 12000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
const ANSWER_MS = 10000;

/** @typedef {{ok: boolean, text: string}} Answer */

export class Connection {
  /** @param {{state: (message: any) => void, overlay: (message: any) => void, link: (up: boolean) => void}} listeners */
  constructor(listeners) {
    this.listeners = listeners;
    this.epoch = "";
    this.newest = 0;
    /** @type {Map<string, (answer: Answer) => void>} */
    this.waiting = new Map();
    this.failures = 0;
    this.heard = 0;
    this.timer = 0;
    /** @type {WebSocket | null} */
    this.socket = null;
    setInterval(() => this.watch(), PING_MS);
    addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.hurry());
    this.open();
  }

  get up() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  open() {
    clearTimeout(this.timer);
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/events`);
    this.socket = socket;
    this.heard = performance.now();
    socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    socket.onclose = () => socket === this.socket && this.lost();
  }

  hear(message) {
    this.heard = performance.now();
    if (message.kind === "answer") this.settle(message.id, message);
    else if (message.kind === "overlay") this.listeners.overlay(message);
    else if (message.kind === "say_again") this.post({ command: "since", n: this.newest, epoch: message.epoch });
    else if (message.kind === "state") this.take(message);
  }

  take(message) {
    this.failures = 0;
    const first = (message.events ?? [])[0]?.n ?? message.n + 1;
    const missed = this.epoch === message.epoch && first > this.newest + 1 && message.n > this.newest;
    const known = this.newest;
    if (this.epoch !== message.epoch) this.newest = 0;
    this.epoch = message.epoch;
    this.newest = Math.max(this.newest, message.n);
    this.listeners.link(true);
    this.listeners.state(message);
    if (missed) this.post({ command: "since", n: known });
  }

  lost() {
    this.socket = null;
    for (const id of [...this.waiting.keys()]) this.settle(id, { ok: false, text: "" });
    this.listeners.link(false);
    // Spread over time: after a restart not all pages come back in the same moment.
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.failures) * (0.8 + 0.4 * Math.random());
    this.failures += 1;
    this.timer = window.setTimeout(() => this.open(), wait);
  }

  hurry() {
    if (!this.socket) this.open();
  }

  /** A cable that was pulled tells nobody: ask now and then, and give the socket up when no answer comes. */
  watch() {
    if (this.up && performance.now() - this.heard > SILENT_MS) {
      const socket = this.socket;
      this.lost();
      socket?.close();
    } else if (this.up) this.post({ command: "ping", id: newId() });
  }

  post(message) {
    if (this.up) this.socket?.send(JSON.stringify({ epoch: this.epoch, ...message }));
  }

  /**
   * Send a command. The answer is `ok: false` without text when it could not be sent or the connection broke.
   * @returns {Promise<Answer>}
   */
  send(command, fields = {}) {
    if (!this.up) return Promise.resolve({ ok: false, text: "" });
    const id = newId();
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      setTimeout(() => this.settle(id, { ok: false, text: "" }), ANSWER_MS);
      this.post({ id, command, ...fields });
    });
  }

  settle(id, answer) {
    this.waiting.get(id)?.({ ok: answer.ok, text: answer.text ?? "" });
    this.waiting.delete(id);
  }
}

/** Not randomUUID: browsers have that on https and localhost only. */
function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
