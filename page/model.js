// SPDX-License-Identifier: GPL-2.0-or-later
// The match, read from the columns: times, peers, nodes, categories of bytes. All arrays are in capture order.
import {textReader} from './data.js';
import {numbersText} from './format.js';

export const categories = ['Calls', 'Syncs', 'Spawns', 'Deltas', 'Paths, peers', 'Own bytes', 'ENet', 'Headers below',
  'Other'];
const [calls, , spawns, , , own, enet, below, other] = categories.keys();
// Categories of kinds that are not multiplayer commands. The data block has the categories of the commands.
const categoryOfKind = {variant: own, bytes: own, debug: other};
// Messages of ownKinds concern no node, so each name has a lane. Messages of stateKinds carry the state of nodes.
const ownKinds = new Set(['variant', 'bytes', 'debug', 'raw', 'auth']);
const stateKinds = new Set(['spawn', 'sync', 'delta']);
// Category of each kind of cost, in the order of the enum in plugin/statistics/frame.h: link, IP, transport, framing,
// ENet's headers, acknowledgements, retransmissions, duplicates, compression, fragments, segments, the multiplayer's
// headers, …
const categoryOfCost = [below, below, below, below, enet, enet, enet, enet, enet, other, other, -1, -1, -1, -1, -1, -1, below,
  -1];
const compressionCost = 8;
const fragmentsCost = 9;

export const flag = {isSplit: 1, isRelayed: 2, hasNumber: 4, isPart: 1, isSplitCount: 2, isLate: 1, isTimed: 2, hasInterval: 4};
export const tableOf = {calls: 0, objects: 1, peers: 2, variants: 3, debug: 4};
export const factKinds = {roundTrip: 0, resent: 1, missing: 2, stall: 3};

/** Returns prefix sums: for each row, the index at which its elements start in another column. The last entry is the
 *  total. */
function startsOf(counts) {
  const starts = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; ++i) starts[i + 1] = starts[i] + counts[i];
  return starts;
}

/** Returns the index of the first number that is at least `bound`, in a sorted array. */
export function lowerBound(numbers, bound, from = 0, to = numbers.length) {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (numbers[middle] < bound) from = middle + 1;
    else to = middle;
  }
  return from;
}

export class Match {
  constructor({head, columns, later}) {
    this.head = head;
    this.c = columns;
    this.later = later;
    this.text = textReader(columns);
    this.readTimes();
    this.readMessages();
    this.readPeers();
    this.readNodes();
    this.readFacts();
    this.readWaits();
  }

  // Frames may be out of order in the capture, so the axis uses times that never decrease.
  readTimes() {
    const {'frame.s': seconds, 'frame.ns': nanoseconds} = this.c;
    this.frameCount = seconds.length;
    this.time = new Float64Array(this.frameCount);
    this.axis = new Float64Array(this.frameCount);
    let latest = -Infinity;
    for (let i = 0; i < this.frameCount; ++i) {
      this.time[i] = seconds[i] + nanoseconds[i] * 1e-9;
      this.axis[i] = latest = Math.max(latest, this.time[i]);
    }
    this.begin = this.frameCount ? this.axis[0] : 0;
    this.end = this.frameCount ? latest : 1;
    if (this.end <= this.begin) this.end = this.begin + 1e-3;
  }

  readMessages() {
    this.messageCount = this.c['message.frame'].length;
    this.objectStart = startsOf(this.c['message.objects']);
    this.valueStart = startsOf(this.c['object.values']);
    this.costStart = startsOf(this.c['frame.costs']);
    this.kindNames = this.head.kinds;
    this.categoryByKind = this.kindNames.map((kind, i) => this.head.categories[i] ?? categoryOfKind[kind] ?? other);
    this.readValues();
  }

  // Stores for each value its index in the column that contains it: 32-bit numbers, 64-bit numbers, or texts.
  readValues() {
    const shapes = this.c['value.shape'];
    this.valuePlace = new Uint32Array(shapes.length);
    let singles = 0;
    let doubles = 0;
    let texts = 0;
    for (let i = 0; i < shapes.length; ++i) {
      const count = shapes[i] & 0x1f;
      if (count === 0) {
        this.valuePlace[i] = texts++;
      } else if (shapes[i] & 0x20) {
        this.valuePlace[i] = singles;
        singles += count;
      } else {
        this.valuePlace[i] = doubles;
        doubles += count;
      }
    }
  }

  frameOf(message) { return this.c['message.frame'][message]; }
  axisOf(message) { return this.axis[this.c['message.frame'][message]]; }
  kindOf(message) { return this.kindNames[this.c['message.kind'][message]]; }
  categoryOf(message) { return this.categoryByKind[this.c['message.kind'][message]]; }

  /** Returns the numbers of a value; empty if it is a text. */
  numbersOf(value) {
    const shape = this.c['value.shape'][value];
    const place = this.valuePlace[value];
    return (this.c[shape & 0x20 ? 'value.f32' : 'value.f64']).subarray(place, place + (shape & 0x1f));
  }
  typeOf(value) { return this.head.types[this.c['value.type'][value]]; }
  valueText(value) {
    const shape = this.c['value.shape'][value];
    if ((shape & 0x1f) === 0) return this.text(this.c['value.text'][this.valuePlace[value]]);
    return numbersText(this.typeOf(value), [...this.numbersOf(value)], (shape & 0x40) !== 0);
  }

  readPeers() {
    const servers = new Set(this.head.connections.map((connection) => connection.server));
    this.peers = this.head.peers.map((peer, number) => {
      const isGroup = peer.endpoint === '' && /^all/.test(peer.id);
      const isServer = servers.has(number) || (peer.id === '1' && peer.endpoint !== '');
      // The names are the names in the plugin's tables: `name` for sentences, `inTables` for columns.
      const isNumber1 = peer.id === '1';
      const name = isGroup ? peer.id : isNumber1 ? 'the server' : peer.id === '' ? peer.endpoint : `peer ${peer.id}`;
      const inTables = isNumber1 ? 'server' : peer.id || name;
      return {...peer, number, isGroup, isServer, name, inTables, connections: []};
    });
    for (const connection of this.head.connections) {
      for (const end of ['client', 'server']) this.peers[connection[end]].connections.push(connection);
      for (const key of ['began', 'ready', 'last', 'ended']) {
        if (connection[key] !== null) connection[key] *= 1e-9;
      }
    }
    this.people = this.peers.filter((peer) => !peer.isGroup)
      .sort((one, two) => two.isServer - one.isServer || one.first - two.first);
    this.people.forEach((peer, order) => { peer.order = order; });
  }

  peerName(number) { return this.peers[number]?.name ?? '?'; }

  // Returns the peer that gets a message on this connection: the receiving side, or -1 if that side only relays the
  // message.
  receiverOf(message) {
    const {'message.flags': flags, 'message.to': to, 'message.at': at} = this.c;
    const receiver = to[message];
    if (this.peers[receiver].isGroup || receiver === at[message]) return at[message];
    return flags[message] & flag.isRelayed ? -1 : receiver;
  }

  readNodes() {
    const names = this.c['object.node'];
    const places = new Map();
    for (let i = 0; i < names.length; ++i) if (names[i] !== 0 && !places.has(names[i])) places.set(names[i], null);
    // Without a project folder, only the last name of a spawned node may be known. If exactly one path ends with this
    // name, both are the same node.
    const byLast = new Map();
    for (const number of places.keys()) {
      const path = this.text(number);
      const last = path.slice(path.lastIndexOf('/') + 1);
      if (last !== path) byLast.set(last, byLast.has(last) ? null : path);
    }
    this.nodes = [];
    const byPath = new Map();
    for (const number of places.keys()) {
      const name = this.text(number);
      const path = byLast.get(name) ?? name;
      let node = byPath.get(path);
      if (node === undefined) {
        node = {number: this.nodes.length, path, calls: [], values: [], spawns: [], lives: []};
        byPath.set(path, node);
        this.nodes.push(node);
      }
      places.set(number, node);
    }
    this.nodeOfText = places;
    this.readOwnKinds();
    this.readLives();
  }

  hasLeft(peer, time) {
    const connections = this.peers[peer]?.connections ?? [];
    return connections.length > 0 && connections.every((each) => each.ended !== null && each.ended <= time);
  }

  // Groups messages that concern no node, by their name or kind.
  readOwnKinds() {
    const what = this.c['message.what'];
    const kinds = new Map();
    for (let message = 0; message < this.messageCount; ++message) {
      if (!ownKinds.has(this.kindOf(message))) continue;
      const name = this.text(what[message]) || this.kindOf(message);
      if (!kinds.has(name)) kinds.set(name, {name, calls: [], values: [], lives: []});
      kinds.get(name).calls.push(message);
    }
    this.ownKinds = [...kinds.values()].sort((one, two) => two.calls.length - one.calls.length);
  }

  // Collects the calls, values and spawns of each node, and the times for which a peer had authority over it.
  readLives() {
    const objects = this.objectStart;
    const names = this.c['object.node'];
    const from = this.c['message.from'];
    const flags = this.c['message.flags'];
    for (let message = 0; message < this.messageCount; ++message) {
      if (objects[message] === objects[message + 1]) continue;
      const category = this.categoryOf(message);
      for (let object = objects[message]; object < objects[message + 1]; ++object) {
        const node = this.nodeOfText.get(names[object]);
        if (!node) continue;
        if (category === calls) {
          node.calls.push(message);
          continue;
        }
        node.values.push(message);
        const isDespawn = this.kindOf(message) === 'despawn';
        const receiver = flags[message] & flag.isRelayed ? -1 : this.receiverOf(message);
        const values = this.valueStart;
        const property = category === spawns || values[object] === values[object + 1] ? null : this.c['value.name'][values[object]];
        if (isDespawn) endLife(node, this.axisOf(message), receiver, (peer, time) => this.hasLeft(peer, time));
        else updateLife(node, this.axisOf(message), from[message], category === spawns ? receiver : null, property);
        if (category === spawns) node.spawns.push(message);
        if (category === spawns && !isDespawn) node.isSpawned = true;
      }
    }
    for (const node of this.nodes) {
      const first = Math.min(...[node.calls[0], node.values[0]].filter((message) => message !== undefined));
      if (node.lives.length === 0) node.lives.push({begin: this.axisOf(first), owner: -1, end: null, receivers: new Set()});
    }
  }

  /** Returns the values of each property, argument and key: see Track. */
  tracks() {
    this.allTracks ??= readTracks(this);
    return this.allTracks;
  }
  /** Returns the time in seconds between the frame of a message and its delivery to the game. This is head-of-line
   *  blocking by a lost message. */
  waitOf(message) {
    return this.waiting.get(message) ?? 0;
  }
  /** Compares when two messages reached the game. If one blocked the other, both were delivered at once: then
   *  compares their order in the channel. @returns a negative number if `one` was delivered before `two` */
  compareArrivals(one, two) {
    const difference = this.axisOf(one) + this.waitOf(one) - this.axisOf(two) - this.waitOf(two);
    // Rounding may make equal times differ a little.
    if (Math.abs(difference) > 1e-6) return difference;
    if (!this.waiting.has(one) && !this.waiting.has(two)) return one - two;
    const {'message.place': places} = this.c;
    return (((places[one] - places[two]) << 16) >> 16) || one - two;
  }
  readWaits() {
    const {'waited.message': messages, 'waited.ms': times} = this.c;
    this.waiting = new Map([...messages].map((message, i) => [message, times[i] / 1000]));
    this.longestWait = times.reduce((longest, time) => Math.max(longest, time / 1000), 0);
  }

  // Assigns facts from the transport (round-trip times, stalls, …) to the connection's client, or to the peer that has
  // no connection.
  readFacts() {
    const {'fact.frame': frames, 'fact.kind': kinds, 'fact.value': values, 'frame.from': from, 'frame.to': to} = this.c;
    for (let i = 0; i < frames.length; ++i) {
      const frame = frames[i];
      const sender = this.peers[from[frame]];
      const receiver = this.peers[to[frame]];
      const about = kinds[i] === factKinds.stall || !sender.isServer ? sender : receiver;
      about.facts ??= Object.values(factKinds).map(() => []);
      about.facts[kinds[i]].push({time: this.axis[frame], frame, kind: kinds[i], value: values[i], sender: sender.number});
    }
  }

  /** Returns the bytes of each frame by category: a Float64Array of frames × categories. */
  categoryBytes() {
    if (this.bytesByCategory) return this.bytesByCategory;
    const width = categories.length;
    const sums = new Float64Array(this.frameCount * width);
    const {'cost.what': what, 'cost.bytes': costs, 'frame.size': size, 'frame.unpacked': unpacked, 'message.frame': frames,
      'message.bytes': bytes, 'message.flags': flags} = this.c;
    this.savingRate = new Float64Array(this.frameCount);
    this.messageBytes = new Float64Array(this.frameCount);
    for (let frame = 0; frame < this.frameCount; ++frame) {
      for (let i = this.costStart[frame]; i < this.costStart[frame + 1]; ++i) {
        const category = categoryOfCost[what[i]];
        const spared = what[i] === fragmentsCost ? costs[i] * this.savingRate[frame] : 0;
        if (category >= 0) sums[frame * width + category] += costs[i] - spared;
        sums[frame * width + enet] += spared;
        if (what[i] === compressionCost && unpacked[frame] > 0) this.savingRate[frame] = -costs[i] / unpacked[frame];
      }
    }
    // Compression saves the same share of each message and fragment. The rest of the saving belongs to ENet's commands.
    const saved = (message) => bytes[message] * this.savingRate[frames[message]];
    const isCounted = (message) => !(flags[message] & flag.isSplit);
    for (let message = 0; message < this.messageCount; ++message) {
      if (!isCounted(message)) continue;
      this.messageBytes[frames[message]] += bytes[message] - saved(message);
      sums[frames[message] * width + enet] += saved(message);
    }
    // Earlier segments may contain a part of a stream's message. Therefore counts only as many bytes as the frame has
    // room for.
    const share = Float64Array.from(this.messageBytes, (carried, frame) => {
      const room = size[frame] - sums[frame * width + enet] - sums[frame * width + below];
      return carried > room ? Math.max(0, room) / carried : 1;
    });
    for (let message = 0; message < this.messageCount; ++message) {
      const frame = frames[message];
      if (isCounted(message)) sums[frame * width + this.categoryOf(message)] += (bytes[message] - saved(message)) * share[frame];
    }
    for (let frame = 0; frame < this.frameCount; ++frame) {
      let rest = size[frame];
      for (let category = 0; category < width; ++category) rest -= sums[frame * width + category];
      sums[frame * width + other] += rest;
    }
    return this.bytesByCategory = sums;
  }

  /** Returns the index of the first frame (or message) at or after a time. */
  frameAt(time) { return lowerBound(this.axis, time); }
  messageAt(time) { return lowerBound(this.c['message.frame'], this.frameAt(time)); }
  indexOfFrameNumber(number) { return lowerBound(this.c['frame.number'], number); }

  /** Returns the message's text in the packet list. Until the texts are decompressed, returns a short form; then
   *  onSentences is called. */
  sentence(message) {
    if (!this.sentences) {
      this.sentences = 'asked';
      this.later('sentence.bytes').then((bytes) => {
        this.sentences = {bytes, starts: startsOf(this.c['sentence.size'])};
        this.onSentences?.();
      });
    }
    if (this.sentences === 'asked') return this.shortSentence(message);
    const {bytes, starts} = this.sentences;
    const text = new TextDecoder().decode(bytes.subarray(starts[message], starts[message + 1]));
    return text || this.shortSentence(message);
  }
  shortSentence(message) {
    const object = this.objectStart[message];
    const node = object < this.objectStart[message + 1] ? this.text(this.c['object.node'][object]) : '';
    return [this.kindOf(message), node, this.text(this.c['message.what'][message])].filter((part) => part).join(' ');
  }
}

/** Values with the same name from the same sender: of a node's property, of a call's argument, or of a key in a
 *  Variant. */
class Track {
  constructor(match, from, node, what, name) {
    Object.assign(this, {match, from, node, what, name, values: [], messages: [], objects: []});
  }
  get isState() { return this.what === 0 && this.node !== undefined; }
  get label() {
    const {match} = this;
    const name = match.text(this.name);
    // As in a NodePath, the property of a child node is appended to the node's path.
    if (this.isState) return `${this.node.path}${name.includes(':') ? '/' : ':'}${name}`;
    const what = match.text(this.what);
    return this.node ? `${this.node.path}.${what}, ${name}` : `${what}${name && ` ${name}`}`;
  }
  get numberCount() {
    return this.match.c['value.shape'][this.values[0]] & 0x1f;
  }
  /** Returns true if the value at an index reached a peer, as far as the capture shows. */
  reached(index, receiver) {
    const {match} = this;
    const isLate = match.c['object.flags'][this.objects[index]] & flag.isLate;
    return !isLate && match.receiverOf(this.messages[index]) === receiver;
  }
  /** Returns the number of values at or before a time. */
  countUntil(time) {
    let low = 0;
    let high = this.messages.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.match.axisOf(this.messages[middle]) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function readTracks(match) {
  const {'object.node': nodes, 'value.name': names, 'message.from': from, 'message.what': what} = match.c;
  // Combines three indexes into one key: node and method, name of the value, and sender.
  const texts = match.c['text.ends'].length;
  const places = new Map();
  const named = new Map();
  const tracks = new Map();
  const numberOf = (map, key) => {
    let number = map.get(key);
    if (number === undefined) map.set(key, number = map.size);
    return number;
  };
  for (let message = 0; message < match.messageCount; ++message) {
    const called = stateKinds.has(match.kindOf(message)) ? 0 : what[message];
    for (let object = match.objectStart[message]; object < match.objectStart[message + 1]; ++object) {
      const node = match.nodeOfText.get(nodes[object]) ?? undefined;
      const place = numberOf(places, (node ? node.number + 1 : 0) * texts + called);
      for (let value = match.valueStart[object]; value < match.valueStart[object + 1]; ++value) {
        const key = numberOf(named, place * texts + names[value]) * match.peers.length + from[message];
        let track = tracks.get(key);
        if (track === undefined) tracks.set(key, track = new Track(match, from[message], node, called, names[value]));
        track.values.push(value);
        track.messages.push(message);
        track.objects.push(object);
      }
    }
  }
  return [...tracks.values()];
}

// Updates a node's life, which lasts from its first spawn to its last despawn. A change of authority starts a new life.
// The authority changes if a peer sends a property that another peer has sent, or if the first peer that sends values
// is not the spawner. A second synchronizer that another peer sends is not a change of authority. @param receiver of a
// spawn; else null
function updateLife(node, time, sender, receiver, property) {
  let life = node.lives[node.lives.length - 1];
  const isOver = !life || life.end !== null;
  if (isOver) node.senders = new Map();
  const isFirst = node.senders.size === 0;
  const before = property === null ? undefined : node.senders.get(property);
  if (property !== null) node.senders.set(property, sender);
  const isHandover = !isOver && property !== null && life.owner !== sender && (before === life.owner || isFirst);
  if (isHandover) life.end = time;
  if (isOver || isHandover) {
    life = {begin: time, end: null, owner: sender, receivers: isOver ? new Set() : life.receivers};
    node.lives.push(life);
  }
  if (receiver !== null) life.receivers.add(receiver);
}

// A peer that has left gets no despawn, so its departure counts as the despawn.
function endLife(node, time, receiver, hasLeft) {
  const life = node.lives[node.lives.length - 1];
  if (!life || life.end !== null) return;
  life.receivers.delete(receiver);
  for (const other of life.receivers) if (hasLeft(other, time)) life.receivers.delete(other);
  if (life.receivers.size === 0) life.end = time;
}
