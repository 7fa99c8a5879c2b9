/** English words that are chosen by a value. They are ids of the catalogue like every other sentence: show them through `t`. */

export const SIDES = { white: "White", black: "Black" };

export const PIECES = {
  white: { man: "white man", king: "white king", parachutist: "white parachutist" },
  black: { man: "black man", king: "black king", parachutist: "black parachutist" },
};

/** A heading and a count, so that no language needs plural forms. */
export const PIECE_LISTS = {
  white: { man: "White men: {count}", king: "White kings: {count}", parachutist: "White parachutists: {count}" },
  black: { man: "Black men: {count}", king: "Black kings: {count}", parachutist: "Black parachutists: {count}" },
};

export const RACKS = { white: "White’s rack, spare discs: {count}", black: "Black’s rack, spare discs: {count}" };
export const RACK_NAMES = { white: "White’s rack", black: "Black’s rack" };

export const MARKS = {
  last: "last move",
  due: "something to do here",
  wrong: "not as it should be",
  unseen: "not seen by the machine yet",
  arrow: "shown move",
};

export const DEVICES = { camera: "Camera", gantry: "Gantry", engine: "Engine" };
export const LAMPS = { good: "ready", wait: "working", bad: "not working", none: "not there" };

export const TURNS = {
  you: "Your turn – you play {side}",
  machine: "The machine’s turn – it plays {side}",
  nobody: "You play {side}",
};

/** Key and what it does; `where` names the tables at which it does that. */
export const KEYS = [
  { key: "Space", does: "STOP, everywhere on the page. Enter presses buttons.", where: "both" },
  { key: "Arrows", does: "On the board: to the next square, and to the racks beyond the first and last row.", where: "both" },
  { key: "Enter", does: "On a square: tells what stands there.", where: "real" },
  { key: "Enter", does: "On a square: takes the disc in the hand; on the next one it puts it down.", where: "simulation" },
  { key: "Enter on a rack", does: "Puts the disc in the hand there, or takes a spare disc.", where: "simulation" },
  { key: "Esc", does: "Puts the disc in the hand back to where it came from.", where: "simulation" },
];
