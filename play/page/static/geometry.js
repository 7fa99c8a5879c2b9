/**
 * Where things are on the drawing of a board. The drawing is in mm too, but y goes down, the player sits at the lower edge, and the
 * racks, which stand at the sides of the real board, lie above and below it: so the board has the whole width of a phone.
 */

/** @typedef {{name: string, number: string | null, column: number, row: number, dark: boolean, playable: boolean}} Square */
/** @typedef {{key: string, name: string, columns: number, rows: number, square_mm: number, disc_mm?: number, lines: boolean, squares: Square[]}} GameBoard */
/** @typedef {[number, number]} Point */
/** @typedef {"white" | "black"} Side */

export class Geometry {
  constructor(game, flipped, racks = true) {
    const gaps = game.lines ? 1 : 0;
    this.game = game;
    this.flipped = flipped;
    this.square = game.square_mm;
    this.disc = game.disc_mm ?? 0.76 * game.square_mm;
    this.width = (game.columns - gaps) * this.square;
    this.height = (game.rows - gaps) * this.square;
    /** Around the outer crossings of a line board there is wood for half a disc. */
    this.edge = game.lines ? 0.6 * this.square : 0;
    this.frame = 0.44 * this.square;
    this.rail = racks ? 0.9 * this.square : 0;
    this.outer = this.edge + this.frame;
    /** @type {Map<string, Square>} */
    this.byName = new Map(game.squares.map((square) => [square.name, square]));
  }

  get viewBox() {
    const { left, top, width, height } = this.extent;
    return `${left} ${top} ${width} ${height}`;
  }

  get extent() {
    const top = -this.outer - this.rail;
    return { left: -this.outer, top, width: this.width + 2 * this.outer, height: this.height - 2 * top };
  }

  /** Board frame (mm, from the corner of a1, y along file a) -> drawing, and back: turning round is its own inverse. */
  view(x, y) {
    return this.flipped ? [this.width - x, y] : [x, this.height - y];
  }

  /** @returns {Point} centre of a square, board frame, mm */
  centre(square) {
    const half = this.game.lines ? 0 : 0.5;
    return [(square.column + half) * this.square, (square.row + half) * this.square];
  }

  viewOf(square) {
    return this.view(...this.centre(square));
  }

  /** @returns {Square | null} the square that a point of the board frame lies in */
  squareAt(x, y) {
    const half = this.game.lines ? 0.5 : 0;
    const column = Math.floor(x / this.square + half);
    const row = Math.floor(y / this.square + half);
    return this.game.squares.find((square) => square.column === column && square.row === row) ?? null;
  }

  /** The side whose discs the upper and the lower rail hold: the player's own is the nearer one. */
  railSide(rail) {
    return (rail === "lower") === this.flipped ? "black" : "white";
  }

  railOf(side) {
    return this.railSide("lower") === side ? "lower" : "upper";
  }

  /** Middle line of a rail. */
  railY(rail) {
    const beyond = this.outer + this.rail / 2;
    return rail === "upper" ? -beyond : this.height + beyond;
  }

  /** Distance of two discs in a rail, so that all slots fit. */
  railPitch(slots) {
    return Math.min(0.8 * this.square, (this.extent.width - this.square) / Math.max(1, slots - 1));
  }

  /** @returns {Point} a slot in its rail */
  slotView(side, slot, slots) {
    return [this.extent.left + this.square / 2 + slot * this.railPitch(slots), this.railY(this.railOf(side))];
  }

  /** @returns {"upper" | "lower" | null} the rail that a point of the drawing lies in */
  railAt(y) {
    if (y < -this.outer) return "upper";
    return y > this.height + this.outer ? "lower" : null;
  }

  /** Rows as the player sees them, from the top; each from left to right. */
  seenRows() {
    const { columns, rows, squares } = this.game;
    /** @type {Square[][]} */
    const grid = Array.from({ length: rows }, () => []);
    for (const square of squares) grid[square.row][square.column] = square;
    if (this.flipped) return grid.map((row) => row.slice(0, columns).reverse());
    return grid.reverse();
  }
}
