// SPDX-License-Identifier: GPL-2.0-or-later
// The state of the view: visible part of the time axis, selected span, cursor. Notifies listeners of changes. Also
// creates HTML elements; texts from packets are only inserted as text, never as HTML.

/** Creates an element. @param properties of the element; `on…` are listeners; names with a hyphen, `role` and `for`
 *  are attributes */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name.includes('-') || name === 'role' || name === 'for') element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Colours that people with any colour vision can distinguish (by Okabe and Ito). */
const hues = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#b8a800', '#7f7f7f'];
/** Colour of a peer; repeats after eight peers. */
export const colourOf = (order) => hues[order % hues.length];
export const categoryColours = ['#d55e00', '#0072b2', '#009e73', '#56b4e9', '#cc79a7', '#e69f00', '#6f7780', '#adb4bb',
  '#5f4b8b'];

export class View {
  constructor(match) {
    this.match = match;
    this.margin = (match.end - match.begin) * 0.01;
    this.from = match.begin - this.margin;
    this.to = match.end + this.margin;
    this.span = null;      // [from, to]; null: the visible part
    this.cursor = null;    // in seconds, or null
    this.message = null;   // message at the cursor, or null
    this.marks = [];       // times of the chosen problem or table row
    this.peer = null;      // null: all peers
    this.listeners = [];
    this.waiting = new Set();
  }

  /** @param what kinds of changes: 'window', 'span', 'cursor', 'marks', 'peer', 'size'. The listener is called at
   *  most once per animation frame. */
  listen(what, listener) { this.listeners.push({what: new Set(what), listener}); }

  changed(what) {
    if (this.waiting.size === 0) requestAnimationFrame(() => this.tell());
    this.waiting.add(what);
  }
  tell() {
    const {waiting} = this;
    this.waiting = new Set();
    for (const {what, listener} of this.listeners) {
      if ([...waiting].some((change) => what.has(change))) listener(waiting);
    }
  }

  get begin() { return this.match.begin - this.margin; }
  get end() { return this.match.end + this.margin; }
  /** The time range that the tables cover. */
  get counted() { return this.span ?? [this.from, this.to]; }

  look(from, to) {
    const least = 1e-6;
    const width = Math.min(Math.max(to - from, least), this.end - this.begin);
    this.from = Math.min(Math.max(from, this.begin), this.end - width);
    this.to = this.from + width;
    this.changed('window');
  }
  zoom(factor, around = this.cursorSeen() ?? (this.from + this.to) / 2) {
    this.look(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }
  pan(share) {
    const way = (this.to - this.from) * share;
    this.look(this.from + way, this.to + way);
  }
  all() { this.look(this.begin, this.end); }
  cursorSeen() { return this.cursor !== null && this.cursor >= this.from && this.cursor <= this.to ? this.cursor : null; }

  select(from, to) {
    this.span = from === null ? null : [Math.max(Math.min(from, to), this.begin), Math.min(Math.max(from, to), this.end)];
    this.changed('span');
  }
  zoomToSpan() {
    if (this.span) this.look(...this.span);
  }
  put(time, message = null) {
    this.cursor = time === null ? null : Math.min(Math.max(time, this.begin), this.end);
    this.message = message;
    if (this.cursor !== null && this.cursorSeen() === null) {
      const half = (this.to - this.from) / 2;
      this.look(this.cursor - half, this.cursor + half);
    }
    this.changed('cursor');
  }
  /** Moves the cursor to the next message (way 1) or to the previous message (way -1). */
  step(way) {
    const {match} = this;
    if (match.messageCount === 0) return;
    let next = this.message === null ? match.messageAt(this.cursor ?? this.from) - (way < 0 ? 1 : 0) : this.message + way;
    next = Math.min(Math.max(next, 0), match.messageCount - 1);
    this.put(match.axisOf(next), next);
  }
  mark(times) {
    this.marks = times;
    this.changed('marks');
  }
  choosePeer(peer) {
    this.peer = peer;
    this.changed('peer');
  }
}
