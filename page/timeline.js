// SPDX-License-Identifier: GPL-2.0-or-later
// The time line: a lane for each peer and each node, over the time axis that all parts of the page share.
import {bytesText, durationText, ticksOf, timeText} from './format.js';
import {factKinds} from './model.js';
import {colourOf, el} from './view.js';

export const labelWidth = 236;
const rulerHeight = 22;
const heights = {peer: 26, roundTrip: 30, folder: 18, node: 18, heading: 20};
// Maximum number of nodes in a group that is initially unfolded.
const mostUnfolded = 24;
// Maximum number of lanes for kinds of messages. The table lists the other kinds.
const mostKinds = 100;

const byNumber = (one, two) => one - two;

function merged(lists) {
  const all = lists.flat();
  return lists.length > 1 ? all.sort(byNumber) : all;
}

/** Returns the tree of the nodes, by the components of their paths. */
function treeOf(nodes) {
  const root = {name: '', path: '', folders: new Map(), nodes: []};
  for (const node of nodes) {
    let folder = root;
    const parts = node.path.split('/');
    for (const part of parts.slice(0, -1)) {
      if (!folder.folders.has(part)) {
        folder.folders.set(part, {name: part, path: `${folder.path}${part}/`, folders: new Map(), nodes: []});
      }
      folder = folder.folders.get(part);
    }
    folder.nodes.push(node);
  }
  return root;
}

function countBefore(facts, time) {
  let low = 0;
  let high = facts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (facts[middle].time < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class Timeline {
  constructor(view, element) {
    this.view = view;
    this.match = view.match;
    this.folded = new Set();
    this.canvas = el('canvas', {
      tabIndex: 0, role: 'application',
      'aria-label': 'Time line. Left and right move, plus and minus zoom, comma and full stop step through messages.',
    });
    this.space = el('div', {className: 'lane-space'});
    this.scroller = el('div', {className: 'lanes'}, this.canvas, this.space);
    this.tip = el('div', {className: 'tip', hidden: true});
    element.append(this.scroller, this.tip);
    this.context = this.canvas.getContext('2d');
    this.root = treeOf(this.match.nodes);
    this.foldLarge(this.root);
    this.arrange();
    this.addListeners();
    new ResizeObserver(() => this.resize()).observe(this.scroller);
    view.listen(['window', 'span', 'cursor', 'marks', 'peer'], () => this.draw());
  }

  // ---- Lanes

  foldLarge(folder) {
    if (folder.path && folder.nodes.length > mostUnfolded) this.folded.add(folder.path);
    for (const inner of folder.folders.values()) this.foldLarge(inner);
  }

  arrange() {
    this.lanes = [];
    this.height = 0;
    const add = (lane) => {
      this.lanes.push({...lane, top: this.height, height: heights[lane.kind]});
      this.height += heights[lane.kind];
    };
    for (const peer of this.match.people) {
      add({kind: 'peer', peer});
      if (peer.facts?.[factKinds.roundTrip].length) add({kind: 'roundTrip', peer});
    }
    const {ownKinds, nodes} = this.match;
    if (ownKinds.length) add({kind: 'heading', label: nodes.length ? 'Custom messages' : 'Messages'});
    for (const kind of ownKinds.slice(0, mostKinds)) add({kind: 'node', node: kind, depth: 0, label: kind.name});
    if (nodes.length || !ownKinds.length) add({kind: 'heading', label: nodes.length ? 'Nodes' : 'No nodes and no messages'});
    this.arrangeFolder(this.root, 0, add);
    this.space.style.height = `${this.height + rulerHeight}px`;
    this.scroller.parentElement.style.flexBasis = `${this.height + rulerHeight + 12}px`;
  }

  // Combines a folder with its child if it contains nothing else: Main/Worlds/Map001.
  combineFolders(name, folder) {
    let [shown, inner] = [name, folder];
    while (inner && inner.nodes.length === 0 && inner.folders.size === 1) {
      const [[next, below]] = inner.folders;
      [shown, inner] = [`${shown}/${next}`, below];
    }
    return [shown, inner];
  }

  arrangeFolder(folder, depth, add) {
    const own = new Map(folder.nodes.map((node) => [node.path.split('/').pop(), node]));
    const names = [...new Set([...folder.folders.keys(), ...own.keys()])];
    for (const name of names) {
      const node = own.get(name);
      const [label, inner] = node ? [name, folder.folders.get(name)] : this.combineFolders(name, folder.folders.get(name));
      const isFolded = inner && this.folded.has(inner.path);
      if (node || inner) add({kind: node ? 'node' : 'folder', node, folder: inner, depth, label, isFolded});
      if (inner && !isFolded) this.arrangeFolder(inner, depth + 1, add);
    }
  }

  nodesBelow(folder) {
    return [...folder.nodes, ...[...folder.folders.values()].flatMap((inner) => this.nodesBelow(inner))];
  }
  // Returns the messages of a lane; for a folded group, the messages of all nodes below it.
  eventsOf(lane) {
    const owner = lane.isFolded ? lane.folder : lane.node;
    if (!owner) return {calls: [], values: []};
    owner.events ??= lane.isFolded
      ? this.eventsOfAll([...this.nodesBelow(lane.folder), ...(lane.node ? [lane.node] : [])])
      : {calls: owner.calls, values: owner.values};
    return owner.events;
  }
  eventsOfAll(nodes) {
    return {calls: merged(nodes.map((node) => node.calls)), values: merged(nodes.map((node) => node.values))};
  }

  toggle(lane) {
    if (!lane.folder) return;
    if (!this.folded.delete(lane.folder.path)) this.folded.add(lane.folder.path);
    this.arrange();
    this.draw();
  }
  foldAll(isFolded) {
    const visit = (folder) => {
      for (const inner of folder.folders.values()) {
        if (isFolded) this.folded.add(inner.path);
        else this.folded.delete(inner.path);
        visit(inner);
      }
    };
    visit(this.root);
    this.arrange();
    this.draw();
  }

  // ---- Positions

  resize() {
    const {clientWidth: width, clientHeight: height} = this.scroller;
    const ratio = window.devicePixelRatio || 1;
    this.width = width;
    this.visible = height;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.view.axisWidth = width - labelWidth;
    this.view.changed('size');
    this.draw();
  }
  x(time) { return labelWidth + (time - this.view.from) / (this.view.to - this.view.from) * (this.width - labelWidth); }
  timeAt(x) { return this.view.from + (x - labelWidth) / (this.width - labelWidth) * (this.view.to - this.view.from); }
  laneAt(y) {
    const place = y - rulerHeight + this.scroller.scrollTop;
    return y < rulerHeight ? undefined : this.lanes.find((lane) => place >= lane.top && place < lane.top + lane.height);
  }

  // ---- Drawing

  colours() {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(name).trim();
    return {
      text: read('--text'), faint: read('--faint'), line: read('--line'), back: read('--back'), raised: read('--raised'),
      accent: read('--accent'), bad: read('--bad'), warn: read('--warn'), none: read('--none'), ink: read('--ink'),
    };
  }

  draw() {
    if (!this.width) return;
    const {context} = this;
    this.c = this.colours();
    context.clearRect(0, 0, this.width, this.visible);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    this.drawSpan();
    const top = this.scroller.scrollTop;
    context.save();
    context.beginPath();
    context.rect(0, rulerHeight, this.width, this.visible - rulerHeight);
    context.clip();
    for (const lane of this.lanes) {
      const y = lane.top - top + rulerHeight;
      if (y > this.visible || y + lane.height < rulerHeight) continue;
      this.drawLane(lane, y);
    }
    context.restore();
    this.drawRuler();
    this.drawMarks();
  }

  drawRuler() {
    const {context, c} = this;
    context.fillStyle = c.raised;
    context.fillRect(0, 0, this.width, rulerHeight);
    const {ticks, digits} = ticksOf(this.view.from, this.view.to, this.width - labelWidth, 90);
    context.strokeStyle = c.line;
    context.fillStyle = c.faint;
    context.textAlign = 'left';
    for (const tick of ticks) {
      const x = Math.round(this.x(tick)) + 0.5;
      if (x < labelWidth) continue;
      context.globalAlpha = 0.6;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, this.visible);
      context.stroke();
      context.globalAlpha = 1;
      context.fillText(`${tick.toFixed(digits)} s`, x + 4, rulerHeight / 2);
    }
    context.fillText(`${durationText(this.view.to - this.view.from)} seen`, 10, rulerHeight / 2);
  }

  drawSpan() {
    const {context, c, view} = this;
    if (!view.span) return;
    const from = Math.max(this.x(view.span[0]), labelWidth);
    const to = Math.max(this.x(view.span[1]), labelWidth);
    context.globalAlpha = 0.16;
    context.fillStyle = c.accent;
    context.fillRect(from, 0, Math.max(to - from, 1), this.visible);
    context.globalAlpha = 1;
  }

  drawMarks() {
    const {context, c, view} = this;
    const lines = (times, colour, width) => {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.beginPath();
      for (const time of times) {
        const x = Math.round(this.x(time)) + 0.5;
        if (x < labelWidth || x > this.width) continue;
        context.moveTo(x, 0);
        context.lineTo(x, this.visible);
      }
      context.stroke();
      context.lineWidth = 1;
    };
    context.globalAlpha = 0.7;
    lines(view.marks, c.bad, 1);
    context.globalAlpha = 1;
    if (view.cursor === null) return;
    lines([view.cursor], c.accent, 1.5);
    const x = this.x(view.cursor);
    if (x < labelWidth) return;
    const text = `${timeText(view.cursor)} s`;
    const width = context.measureText(text).width + 10;
    const left = Math.min(x, this.width - width);
    context.fillStyle = c.accent;
    context.fillRect(left, 2, width, rulerHeight - 4);
    context.fillStyle = c.back;
    context.fillText(text, left + 5, rulerHeight / 2);
  }

  drawLane(lane, y) {
    const {context, c} = this;
    context.strokeStyle = c.line;
    context.globalAlpha = 0.5;
    context.beginPath();
    context.moveTo(0, Math.round(y + lane.height) - 0.5);
    context.lineTo(this.width, Math.round(y + lane.height) - 0.5);
    context.stroke();
    context.globalAlpha = 1;
    context.save();
    context.beginPath();
    context.rect(labelWidth, y, this.width - labelWidth, lane.height);
    context.clip();
    if (lane.kind === 'peer') this.drawPeer(lane, y);
    if (lane.kind === 'roundTrip') this.drawRoundTrip(lane, y);
    if (lane.node && !lane.isFolded) this.drawLives(lane, y);
    if (lane.kind === 'node' || lane.kind === 'folder') this.drawEvents(lane, y);
    context.restore();
    this.drawLabel(lane, y);
  }

  drawLabel(lane, y) {
    const {context, c} = this;
    const middle = y + lane.height / 2;
    context.textAlign = 'left';
    context.fillStyle = lane.kind === 'heading' || lane.kind === 'roundTrip' ? c.faint : c.text;
    let left = 10;
    if (lane.kind === 'peer') {
      context.fillStyle = colourOf(lane.peer.order);
      context.fillRect(left, middle - 6, 12, 12);
      context.fillStyle = c.text;
      left += 18;
    }
    if (lane.depth !== undefined) left += lane.depth * 12;
    if (lane.folder) {
      context.fillStyle = c.faint;
      context.fillText(lane.isFolded ? '▸' : '▾', left, middle);
      context.fillStyle = c.text;
    }
    if (lane.depth !== undefined) left += 14;
    this.drawClipped(this.labelOf(lane), left, middle, labelWidth - left - 8);
  }
  labelOf(lane) {
    if (lane.kind === 'peer') return this.nameWithPlace(lane.peer);
    if (lane.kind === 'roundTrip') return `    round trip, to ${durationText(this.mostRoundTrip(lane.peer) / 1000)}`;
    if (lane.isFolded) return `${lane.label}  (${this.nodesBelow(lane.folder).length} below)`;
    return lane.label;
  }
  // Returns the peer's name, followed by its address if both fit.
  nameWithPlace({name, id, endpoint}) {
    const text = endpoint && id ? `${name}  ${endpoint}` : name;
    return this.context.measureText(text).width < labelWidth - 36 ? text : name;
  }
  drawClipped(text, x, y, width) {
    const {context} = this;
    let shown = text.length > 200 ? text.slice(0, 200) : text;
    while (shown.length > 1 && context.measureText(shown).width > width) {
      shown = `${shown.slice(0, Math.max(1, Math.floor(shown.length * width / context.measureText(shown).width) - 1))}…`;
      if (shown.length < 3) break;
    }
    context.fillText(shown, x, y);
  }

  // Draws the connection's phases (joining, connected, stalled), retransmissions and gaps.
  drawPeer(lane, y) {
    const {context, c} = this;
    const {peer} = lane;
    const top = y + 6;
    const height = lane.height - 12;
    const bar = (from, to, colour, alpha) => {
      context.globalAlpha = alpha;
      context.fillStyle = colour;
      context.fillRect(this.x(from), top, Math.max(this.x(to) - this.x(from), 1), height);
      context.globalAlpha = 1;
    };
    const colour = colourOf(peer.order);
    if (peer.connections.length === 0) bar(this.match.axis[peer.first], this.match.axis[peer.last], colour, 0.55);
    if (peer.isServer && peer.connections.length > 1) {
      const begin = Math.min(...peer.connections.map((connection) => connection.began));
      bar(begin, Math.max(...peer.connections.map((connection) => connection.last)), colour, 0.5);
    }
    for (const connection of peer.isServer && peer.connections.length > 1 ? [] : peer.connections) {
      const ready = connection.ready ?? (connection.ended === null ? connection.began : connection.last);
      const isClient = connection.client === peer.number;
      bar(isClient ? ready : connection.began, connection.last, colour, peer.isServer ? 0.4 : 0.75);
      if (isClient) this.hatch(connection.began, ready, top, height, colour);
    }
    for (const fact of peer.facts?.[factKinds.stall] ?? []) bar(fact.time - fact.value / 1000, fact.time, c.bad, 0.85);
    this.ticks(peer, factKinds.resent, y + 1, c.bad);
    this.ticks(peer, factKinds.missing, y + lane.height - 6, c.warn);
  }
  hatch(from, to, top, height, colour) {
    const {context} = this;
    const left = this.x(from);
    const right = Math.max(this.x(to), left + 1);
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, height);
    context.clip();
    context.strokeStyle = colour;
    context.beginPath();
    for (let x = Math.max(left, labelWidth) - height; x < Math.min(right, this.width); x += 5) {
      context.moveTo(x, top + height);
      context.lineTo(x + height, top);
    }
    context.stroke();
    context.strokeRect(left + 0.5, top + 0.5, right - left - 1, height - 1);
    context.restore();
  }
  // Yields the visible facts of a kind. If several facts share a pixel, yields only the fact with the largest value.
  *factsSeen(peer, kind) {
    const facts = peer.facts?.[kind] ?? [];
    const pixel = (this.view.to - this.view.from) / (this.width - labelWidth);
    let best = null;
    for (let i = countBefore(facts, this.view.from); i < facts.length && facts[i].time <= this.view.to; ++i) {
      if (best && facts[i].time - best.time > pixel) {
        yield best;
        best = null;
      }
      if (!best || facts[i].value > best.value) best = facts[i];
    }
    if (best) yield best;
  }
  ticks(peer, kind, y, colour) {
    this.context.fillStyle = colour;
    for (const fact of this.factsSeen(peer, kind)) this.context.fillRect(Math.round(this.x(fact.time)), y, 2, 5);
  }
  mostRoundTrip(peer) {
    peer.mostRoundTrip ??= peer.facts[factKinds.roundTrip].reduce((most, fact) => Math.max(most, fact.value), 0.001);
    return peer.mostRoundTrip;
  }
  drawRoundTrip(lane, y) {
    const most = this.mostRoundTrip(lane.peer);
    this.context.fillStyle = colourOf(lane.peer.order);
    for (const fact of this.factsSeen(lane.peer, factKinds.roundTrip)) {
      const height = Math.max(1, fact.value / most * (lane.height - 6));
      this.context.fillRect(Math.round(this.x(fact.time)), y + lane.height - 2 - height, 2, height);
    }
  }

  drawLives(lane, y) {
    const {context, c} = this;
    for (const life of lane.node.lives) {
      const to = Math.min(this.x(life.end ?? this.match.end), this.width);
      const from = Math.max(this.x(life.begin), labelWidth - 2);
      if (to < labelWidth || from > this.width) continue;
      context.fillStyle = life.owner < 0 ? c.none : colourOf(this.match.peers[life.owner].order ?? 7);
      context.globalAlpha = lane.node.isSpawned ? 0.45 : 0.22;
      context.fillRect(from, y + 4, Math.max(to - from, 1), lane.height - 8);
      context.globalAlpha = 1;
      if (!lane.node.isSpawned) continue;
      context.fillRect(from, y + 3, 2, lane.height - 6);
      if (life.end !== null) context.fillRect(to - 2, y + 3, 2, lane.height - 6);
    }
  }
  // Draws calls as tall marks, and values as low marks.
  drawEvents(lane, y) {
    const {calls, values} = this.eventsOf(lane);
    this.drawMessages(values, y + lane.height / 2 - 2, 4, this.c.ink, 0.55);
    this.drawMessages(calls, y + 2, lane.height - 5, this.c.ink, 1);
  }
  // Draws at most one mark per pixel: after each mark, searches for the first message beyond its pixel.
  drawMessages(messages, y, height, colour, alpha) {
    const {context, match, view} = this;
    const frames = match.c['message.frame'];
    const axis = match.axis;
    const after = (time, from) => {
      let to = messages.length;
      while (from < to) {
        const middle = (from + to) >>> 1;
        if (axis[frames[messages[middle]]] < time) from = middle + 1;
        else to = middle;
      }
      return from;
    };
    context.fillStyle = colour;
    context.globalAlpha = alpha;
    const pixel = (view.to - view.from) / (this.width - labelWidth);
    for (let i = after(view.from, 0); i < messages.length;) {
      const time = axis[frames[messages[i]]];
      if (time > view.to) break;
      const x = Math.floor(this.x(time));
      context.fillRect(x, y, 1, height);
      const next = i + 1;
      i = next < messages.length && axis[frames[messages[next]]] - time < pixel ? after(time + pixel, next) : next;
    }
    context.globalAlpha = 1;
  }

  // ---- Input

  pointOf(event) {
    const box = this.canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  addListeners() {
    const {canvas} = this;
    this.scroller.addEventListener('scroll', () => this.draw());
    canvas.addEventListener('pointerdown', (event) => {
      canvas.focus();
      const {x, y} = this.pointOf(event);
      const lane = event.button === 0 && x < labelWidth ? this.laneAt(y) : undefined;
      if (lane) this.toggle(lane);
    });
    canvas.addEventListener('pointermove', (event) => {
      const {x, y} = this.pointOf(event);
      if (!this.drag) this.hover(x, y);
    });
    canvas.addEventListener('pointerleave', () => this.hideTip());
    this.hookAxis(canvas, (x, y) => this.click(x, y));
  }

  /** Handles the mouse on an element with the time axis. A drag selects a span, or moves the view with shift; the
   *  wheel zooms; a click sets the cursor. */
  hookAxis(element, click = (x) => this.view.put(this.timeAt(x))) {
    const {view} = this;
    element.addEventListener('wheel', (event) => this.onWheel(event), {passive: false});
    element.addEventListener('pointerdown', (event) => {
      const {x} = this.pointOf(event);
      if (event.button !== 0 || x < labelWidth) return;
      element.setPointerCapture(event.pointerId);
      this.drag = {x, isMoved: false, isPan: event.shiftKey, from: view.from, to: view.to};
    });
    element.addEventListener('pointermove', (event) => {
      if (!this.drag) return undefined;
      const {x} = this.pointOf(event);
      this.hideTip();
      this.drag.isMoved ||= Math.abs(x - this.drag.x) > 3;
      if (!this.drag.isMoved) return undefined;
      if (this.drag.isPan) {
        const way = (x - this.drag.x) / (this.width - labelWidth) * (this.drag.to - this.drag.from);
        return view.look(this.drag.from - way, this.drag.to - way);
      }
      return view.select(this.timeAt(this.drag.x), this.timeAt(x));
    });
    element.addEventListener('pointerup', (event) => {
      const {x, y} = this.pointOf(event);
      if (this.drag && !this.drag.isMoved) click(x, y);
      this.drag = null;
    });
    element.addEventListener('pointercancel', () => { this.drag = null; });
    element.addEventListener('dblclick', () => (view.span ? view.zoomToSpan() : view.zoom(0.25)));
  }

  /** Handles the wheel: zooms around the pointer, or moves the view with shift. */
  onWheel(event) {
    const {view} = this;
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    if (x < labelWidth) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      view.pan((event.deltaX || event.deltaY) / this.width);
    } else {
      view.zoom(1.0018 ** event.deltaY, this.timeAt(x));
    }
  }

  click(x, y) {
    const found = this.messageNear(x, y);
    if (found === null) return this.view.put(this.timeAt(x));
    return this.view.put(this.match.axisOf(found), found);
  }

  // Returns the message of the mark at a position.
  messageNear(x, y) {
    const lane = this.laneAt(y);
    if (!lane || (lane.kind !== 'node' && lane.kind !== 'folder')) return null;
    const reach = 4 * (this.view.to - this.view.from) / (this.width - labelWidth);
    const time = this.timeAt(x);
    const {calls, values} = this.eventsOf(lane);
    return this.nearest(calls, time, reach) ?? this.nearest(values, time, reach);
  }
  nearest(messages, time, reach) {
    let low = 0;
    let high = messages.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.match.axisOf(messages[middle]) < time) low = middle + 1;
      else high = middle;
    }
    let best = null;
    for (const message of [messages[low - 1], messages[low]]) {
      if (message === undefined) continue;
      const distance = Math.abs(this.match.axisOf(message) - time);
      if (distance <= reach) {
        best = message;
        reach = distance;
      }
    }
    return best;
  }

  hover(x, y) {
    if (x < labelWidth || y < rulerHeight) {
      const lane = this.laneAt(y);
      return lane && x < labelWidth ? this.showTip(x, y, [this.fullLabelOf(lane)]) : this.hideTip();
    }
    const message = this.messageNear(x, y);
    if (message !== null) return this.showTip(x, y, messageLines(this.match, message));
    const fact = this.factNear(x, y);
    if (fact) return this.showTip(x, y, fact);
    return this.hideTip();
  }
  fullLabelOf(lane) {
    if (lane.kind === 'peer') return `${lane.peer.name} ${lane.peer.endpoint} ${lane.peer.release && `Godot ${lane.peer.release}`}`;
    return lane.node?.path ?? lane.node?.name ?? lane.folder?.path ?? lane.label ?? this.labelOf(lane).trim();
  }

  factNear(x, y) {
    const lane = this.laneAt(y);
    if (!lane?.peer) return null;
    const time = this.timeAt(x);
    const reach = 4 * (this.view.to - this.view.from) / (this.width - labelWidth);
    const begins = (fact) => (fact.kind === factKinds.stall ? fact.time - fact.value / 1000 : fact.time);
    const kinds = lane.kind === 'roundTrip' ? [factKinds.roundTrip] : [factKinds.stall, factKinds.resent, factKinds.missing];
    const found = kinds.map((kind) => {
      const facts = lane.peer.facts?.[kind] ?? [];
      const next = facts[countBefore(facts, time - reach)];
      return next && begins(next) < time + reach ? next : undefined;
    }).find((fact) => fact);
    const connection = lane.peer.connections.find((each) => time >= each.began && time <= each.last);
    if (!found) {
      if (lane.kind !== 'peer' || !connection) return null;
      const state = connection.ready === null || time < connection.ready ? 'joining' : 'connected';
      return [`${lane.peer.name}: ${state}`, `from ${timeText(connection.began)} s to ${timeText(connection.last)} s`,
        connection.end];
    }
    const frame = `frame ${this.match.c['frame.number'][found.frame]}, ${timeText(found.time)} s`;
    return [factText(found, this.match), frame];
  }

  showTip(x, y, lines) {
    this.tip.replaceChildren(...lines.filter((line) => line).map((line) => el('div', {textContent: line})));
    this.tip.hidden = false;
    const box = this.tip.getBoundingClientRect();
    this.tip.style.left = `${Math.max(4, Math.min(x + 12, this.width - box.width - 8))}px`;
    this.tip.style.top = `${y + 18 + box.height > this.visible ? Math.max(0, y - box.height - 10) : y + 18}px`;
  }
  hideTip() { this.tip.hidden = true; }
}

function factText(fact, match) {
  const sender = match.peerName(fact.sender);
  if (fact.kind === factKinds.roundTrip) return `round trip ${durationText(fact.value / 1000)}`;
  if (fact.kind === factKinds.resent) return `${sender} retransmitted a command: lost, or acknowledged late`;
  if (fact.kind === factKinds.missing) return `${fact.value} unreliable messages of ${sender} before this were lost or late`;
  return `${sender} stalled for ${durationText(fact.value / 1000)}`;
}

/** Returns a message's text as in the packet list, and its details. */
export function messageLines(match, message) {
  const frame = match.frameOf(message);
  const {'message.from': from, 'message.to': to, 'message.bytes': bytes} = match.c;
  return [
    match.sentence(message),
    `${match.peerName(from[message])} → ${match.peerName(to[message])}, ${bytesText(bytes[message])}`,
    `frame ${match.c['frame.number'][frame]}, ${timeText(match.time[frame])} s`,
  ];
}
