// SPDX-License-Identifier: GPL-2.0-or-later
// The state at a time: the nodes that a peer has, and for each property its last value there, the sender, and the age.
import {durationText, timeText} from './format.js';
import {el} from './view.js';

const mostShown = 1000;

const arrivalOf = (match, message) => match.axisOf(message) + match.waitOf(message);

// Returns the time at which a peer got a node; null if the peer does not have the node. A spawned node exists from the
// newest spawn that the peer received until its despawn. Other nodes exist if they have values.
function presentSince(match, node, peer, time) {
  let last = null;
  for (const message of node.spawns) {
    if (match.receiverOf(message) !== peer || arrivalOf(match, message) > time) continue;
    if (last === null || match.compareArrivals(last, message) < 0) last = message;
  }
  if (last !== null) return match.kindOf(last) === 'spawn' ? arrivalOf(match, last) : null;
  const isOwn = node.spawns.some((message) => match.c['message.from'][message] === peer);
  if (!isOwn) return -Infinity;
  const life = node.lives.findLast((each) => each.begin <= time);
  return life && (life.end === null || life.end > time) ? -Infinity : null;
}

/** Returns the index in the track of the value that a peer has at a time; -1 if there is no value. For the sender,
 *  this is the last value that it sent; for other peers, the last value that arrived. Neither is always the last in
 *  the capture. */
function lastIndex(track, peer, time, since) {
  const {match} = track;
  const isOwn = track.from === peer;
  let best = -1;
  for (let i = track.countUntil(time) - 1; i >= 0; --i) {
    const message = track.messages[i];
    const sent = match.axisOf(message);
    // A retransmission may appear after a newer command in the capture, so capture order is not send order. The search
    // ends when no earlier message can have arrived later.
    if (best >= 0 && sent + match.longestWait < arrivalOf(match, track.messages[best])) break;
    if (sent + match.longestWait < since) break;
    const arrival = arrivalOf(match, message);
    if (arrival < since || (!isOwn && (arrival > time || !track.reached(i, peer)))) continue;
    if (best < 0 || match.compareArrivals(track.messages[best], message) < 0) best = i;
    if (match.longestWait === 0) break;
  }
  return best;
}

/** @returns a map of maps, by node path and property: {text, from, time, isOwn} */
export function stateAt(match, peer, time) {
  const nodes = new Map();
  const presence = new Map();
  for (const track of match.tracks()) {
    if (!track.isState) continue;
    if (!presence.has(track.node)) presence.set(track.node, presentSince(match, track.node, peer, time));
    const since = presence.get(track.node);
    if (since === null) continue;
    const index = lastIndex(track, peer, time, since);
    if (index < 0) continue;
    const message = track.messages[index];
    const sent = track.from === peer ? match.axisOf(message) : arrivalOf(match, message);
    const name = match.text(track.name);
    if (!nodes.has(track.node.path)) nodes.set(track.node.path, new Map());
    const known = nodes.get(track.node.path).get(name);
    if (known && known.time > sent) continue;
    nodes.get(track.node.path).set(name, {text: match.valueText(track.values[index]), from: track.from, time: sent,
      isOwn: track.from === peer});
  }
  // Adds spawned nodes without values, because they exist, too.
  for (const node of match.nodes) {
    if (!node.isSpawned || nodes.has(node.path)) continue;
    const since = presentSince(match, node, peer, time);
    const isOwn = node.spawns.some((message) => match.c['message.from'][message] === peer && match.axisOf(message) <= time);
    if (since !== null && (since !== -Infinity || isOwn)) nodes.set(node.path, new Map());
  }
  return nodes;
}

export class State {
  constructor(view, element) {
    this.view = view;
    this.match = view.match;
    this.people = this.match.people;
    const choose = (label, index) => el('select', {'aria-label': label, onchange: () => this.show()},
      ...this.people.map((peer, i) => el('option', {textContent: peer.name, selected: i === index})));
    this.first = choose('One peer', 0);
    this.second = choose('Another peer', Math.min(1, this.people.length - 1));
    this.isDiffering = el('input', {type: 'checkbox', onchange: () => this.show()});
    this.search = el('input', {type: 'search', placeholder: 'Search (/)', 'aria-label': 'Search the state', oninput: () => this.show()});
    this.about = el('span', {className: 'faint'});
    this.body = el('div', {className: 'scroll'});
    element.append(el('div', {className: 'bar'}, this.first, this.second, this.search,
      el('label', {}, this.isDiffering, ' only what differs'), this.about), this.body);
    view.listen(['cursor', 'window'], () => { if (this.body.offsetParent) this.show(); });
  }
  shown() { this.show(); }

  isThere(peer, time) {
    return peer.connections.length === 0 || peer.connections.some((each) => each.began <= time && (each.ended === null || time <= each.ended));
  }

  show() {
    const {match, view} = this;
    const time = view.cursor ?? view.to;
    const chosen = [this.people[this.first.selectedIndex], this.people[this.second.selectedIndex]];
    if (!chosen[0]) return this.body.replaceChildren(el('p', {className: 'empty', textContent: 'No peers.'}));
    const states = chosen.map((peer) => stateAt(match, peer.number, time));
    const gone = [...new Set(chosen)].filter((peer) => !this.isThere(peer, time)).map((peer) => `${peer.name} is not connected then`);
    this.about.textContent = [`at ${timeText(time)} s`, view.cursor === null ? 'click the time line for another time' : '', ...gone]
      .filter((part) => part).join('; ');
    const lines = this.linesOf(states, chosen, time);
    if (lines.length === 0) {
      const why = match.tracks().some((track) => track.isState) ? 'No match at this time' : 'No state: no spawns, syncs or deltas in this capture';
      return this.body.replaceChildren(el('p', {className: 'empty', textContent: why}));
    }
    const titles = ['Node, property', ...chosen.flatMap((peer) => [peer.name, 'from', 'age'])];
    return this.body.replaceChildren(el('table', {className: 'state'},
      el('thead', {}, el('tr', {}, ...titles.map((title) => el('th', {textContent: title})))),
      el('tbody', {}, ...lines.slice(0, mostShown))));
  }

  linesOf(states, chosen, time) {
    const wanted = this.search.value.toLowerCase();
    const lines = [];
    // Sorts nodes without any values to the end.
    const isBare = (path) => states.every((state) => !state.get(path)?.size);
    const paths = [...new Set(states.flatMap((state) => [...state.keys()]))]
      .sort((one, two) => isBare(one) - isBare(two) || one.localeCompare(two, undefined, {numeric: true}));
    for (const path of paths) {
      const nodes = states.map((state) => state.get(path));
      const names = [...new Set(nodes.flatMap((node) => (node ? [...node.keys()] : [])))];
      const rows = names.map((name) => this.line(name, nodes.map((node) => node?.get(name)), nodes, time))
        .filter((row) => (!this.isDiffering.checked || row.classList.contains('differs')) &&
          `${path}:${row.firstChild.textContent}`.toLowerCase().includes(wanted));
      const isMissing = nodes.some((node) => !node);
      if (rows.length === 0 && (!path.toLowerCase().includes(wanted) || (this.isDiffering.checked && !isMissing))) continue;
      // If both peers have the node, the path gets the width of the whole row.
      const heads = isMissing ? nodes.map((node, i) => el('td', {className: 'faint', colSpan: 3,
        textContent: node || !chosen[i] ? '' : 'not there'})) : [];
      const isAlone = isBare(path) && !isMissing;
      lines.push(el('tr', {className: isMissing ? 'node differs' : 'node'},
        el('td', {textContent: path, title: path, colSpan: isMissing || isAlone ? 1 : 1 + 3 * nodes.length}), ...heads,
        isAlone ? el('td', {className: 'faint', colSpan: 3 * nodes.length, textContent: 'spawned; no values sent'}) : null), ...rows);
      if (lines.length > mostShown) break;
    }
    return lines;
  }

  line(name, values, nodes, time) {
    const [one, two] = values;
    const differs = one?.text !== two?.text && nodes[0] && nodes[1];
    const cells = values.flatMap((value) => (value
      ? [el('td', {className: 'value', textContent: value.text, title: value.text}),
        el('td', {className: 'faint', textContent: value.isOwn ? 'own value' : this.match.peerName(value.from)}),
        el('td', {className: 'faint number', textContent: durationText(Math.max(0, time - value.time))})]
      : [el('td', {className: 'faint', textContent: '–'}), el('td'), el('td')]));
    return el('tr', {className: differs ? 'differs' : ''}, el('td', {className: 'property', textContent: name}), ...cells);
  }
}
