// SPDX-License-Identifier: GPL-2.0-or-later
// Bandwidth tables: the rows of the plugin's tables, for the counted time range. The numbers equal those of tshark's -z
// godot_mp,calls, godot_mp,objects, godot_mp,peers, godot,variants, godot_debug,messages, godot_mp,syncs and
// godot,overhead, which plugin/statistics and plugin/multiplayer/sync_table.cpp compute.
import {countOf, countText, rateMarkText} from './format.js';
import {flag, lowerBound, tableOf} from './model.js';
import {makePlot} from './plots.js';
import {el} from './view.js';

const numbers = [
  {key: 'count', title: 'Count', text: countText},
  {key: 'perSecond', title: 'per second', text: (rate) => rate.toFixed(1)},
  {key: 'bytes', title: 'Bytes', text: countText},
  {key: 'share', title: 'Share %', text: (share) => share.toFixed(2)},
  {key: 'wire', title: 'Wire share %', text: (share) => share.toFixed(2), hint: 'including its share of the headers'},
  {key: 'mean', title: 'Mean B', text: (bytes) => bytes.toFixed(1)},
  {key: 'largest', title: 'Largest B', text: countText},
  {key: 'rate', title: 'Bytes/s', text: (rate) => rate.toFixed(1)},
  {key: 'saved', title: 'Saved B', text: countText, hint: 'by the compression of ENet'},
];
const instances = (title) => ({key: 'instances', title, text: countText});
const milliseconds = (time) => time.toFixed(1);
const syncNumbers = [
  {key: 'count', title: 'Count', text: countText},
  {key: 'meant', title: 'Sender interval ms', text: milliseconds},
  {key: 'mean', title: 'Mean ms', text: milliseconds},
  {key: 'most', title: 'Max ms', text: milliseconds},
  {key: 'jitter', title: 'Jitter ms', text: (time) => time.toFixed(2)},
  {key: 'lost', title: 'Lost', text: countText},
  {key: 'lostShare', title: 'Lost %', text: (share) => share.toFixed(1)},
  {key: 'late', title: 'Late', text: countText},
];
const costNumbers = numbers.filter(({key}) => !['wire', 'saved'].includes(key));

/** The tables; `names` are the titles of the name columns. */
export const tables = [
  {name: 'Calls', table: tableOf.calls, names: ['Call'], numbers: [...numbers, instances('Nodes')], why: 'no calls'},
  {name: 'Nodes', table: tableOf.objects, names: ['Object', 'Message'], numbers: [...numbers, instances('Nodes')], why: 'no spawns, syncs or deltas'},
  {name: 'Synchronizers', names: ['Synchronizer', 'From', 'To'], numbers: syncNumbers, rows: syncRows, why: 'no syncs'},
  {name: 'Variants', table: tableOf.variants, names: ['Message'], numbers: [...numbers, instances('Ways')], why: 'no Variants or custom payloads'},
  {name: 'Debugger', table: tableOf.debug, names: ['Message'], numbers: costNumbers, why: 'no debugger messages'},
  {name: 'Peers', table: tableOf.peers, names: ['From', 'To'], numbers: costNumbers, why: 'no multiplayer messages'},
  {name: 'Overhead', names: ['Bytes of'], numbers: costNumbers, rows: costRows, why: 'no bytes'},
];

/** @returns the rows, the largest first */
export function rowsOf(match, table, from, to) {
  const first = match.frameAt(from);
  const last = match.frameAt(to);
  const rows = table.rows ? table.rows(match, first, last, to - from) : countRows(match, table.table, first, last, to - from);
  return rows.sort((one, two) => two.bytes - one.bytes);
}

class Row {
  constructor(names, id) {
    Object.assign(this, {names, id, count: 0, bytes: 0, saved: 0, largest: -Infinity, wire: 0});
  }
  add(bytes, saved) {
    ++this.count;
    this.bytes += bytes;
    this.saved += saved;
    this.largest = Math.max(this.largest, bytes);
  }
}

// Computes rates over the time between the first and the last counted frame, as tshark does.
function complete(rows, total, begin, end, span) {
  const seconds = end - begin;
  for (const row of rows) {
    row.mean = row.bytes / row.count;
    row.share = total === 0 ? 0 : 100 * row.bytes / total;
    row.rate = seconds > 0 ? row.bytes / seconds : 0;
    row.perSecond = row.count / span;
    row.instances = row.nodes ? row.nodes.size : 0;
  }
  return rows;
}

function countRows(match, table, firstFrame, lastFrame, span) {
  match.categoryBytes();
  const {'count.frame': frames, 'count.row': rowOf, 'count.bytes': sizes, 'count.flags': flags, 'count.instance': instances,
    'row.table': tableOfRow, 'row.key': keys, 'row.name': names, 'row.second': seconds, 'frame.size': frameSizes} = match.c;
  const rows = new Map();
  let total = 0;
  let begin = Infinity;
  let end = -Infinity;
  for (let i = lowerBound(frames, firstFrame); i < frames.length && frames[i] < lastFrame; ++i) {
    const id = rowOf[i];
    if (tableOfRow[id] !== table) continue;
    const frame = frames[i];
    let row = rows.get(id);
    if (row === undefined) {
      row = new Row([match.text(names[id]), match.text(seconds[id])], id);
      row.key = keys[id];
      row.nodes = new Set();
      rows.set(id, row);
    }
    const saved = flags[i] & flag.isSplitCount ? 0 : sizes[i] * match.savingRate[frame];
    const bytes = sizes[i] - saved;
    row.add(bytes, saved);
    if (instances[i] !== 0) row.nodes.add(instances[i]);
    const messages = match.messageBytes[frame];
    row.wire += messages > 0 && !(flags[i] & flag.isSplitCount) ? bytes * frameSizes[frame] / messages : bytes;
    if (!(flags[i] & flag.isPart)) total += bytes;
    begin = Math.min(begin, match.time[frame]);
    end = Math.max(end, match.time[frame]);
  }
  let wire = 0;
  for (let frame = firstFrame; frame < lastFrame; ++frame) wire += frameSizes[frame];
  for (const row of rows.values()) row.wire = wire > 0 ? 100 * row.wire / wire : 0;
  return complete(markDuplicates([...rows.values()]), total, begin, end, span);
}

// Marks a property that is replicated both always and on change, because it is sent twice. Only a name shows that two
// rows are the same property, so unnamed properties are skipped.
function markDuplicates(rows) {
  const byKey = new Map();
  for (const row of rows) {
    if (!/^(sync|delta) property$/.test(row.names[1]) || row.names[0].includes('#')) continue;
    const other = byKey.get(row.key);
    if (other === undefined) {
      byKey.set(row.key, row);
      continue;
    }
    for (const [one, two] of [[row, other], [other, row]]) {
      one.names[1] = `${one.names[1]}, in ${two.names[1].split(' ')[0]} too`;
    }
  }
  return rows;
}

function costRows(match, firstFrame, lastFrame, span) {
  const {'cost.what': what, 'cost.bytes': costs, 'frame.costs': costsOf} = match.c;
  const rows = new Map();
  let total = 0;
  let begin = Infinity;
  let end = -Infinity;
  for (let frame = firstFrame; frame < lastFrame; ++frame) {
    if (costsOf[frame] === 0) continue;
    begin = Math.min(begin, match.time[frame]);
    end = Math.max(end, match.time[frame]);
    for (let i = match.costStart[frame]; i < match.costStart[frame + 1]; ++i) {
      if (!rows.has(what[i])) rows.set(what[i], new Row([match.head.costs[what[i]]], what[i]));
      rows.get(what[i]).add(costs[i], 0);
      total += costs[i];
    }
  }
  return complete([...rows.values()], total, begin, end, span);
}

// Measures how regularly a synchronizer's values arrive, by the rules in plugin/multiplayer/sync_table.cpp.
class SyncStatistics {
  constructor(names) {
    Object.assign(this, {names, id: names.join('\n'), count: 0, bytes: 0, late: 0, lost: 0, most: 0, jitter: 0, intervals: 0,
      time: 0, step: 0, wholeTime: 0, wholeCount: 0, lastNumber: 0});
  }
  get meant() { return this.wholeCount === 0 ? 0 : this.wholeTime / this.wholeCount; }
  get mean() { return this.intervals === 0 ? 0 : this.time / this.intervals; }
  get lostShare() { return this.count + this.lost === 0 ? 0 : 100 * this.lost / (this.count + this.lost); }

  add(number, isLate, interval) {
    ++this.count;
    if (isLate) {
      ++this.late;
      if (this.lost > 0) --this.lost;
      return;
    }
    if (this.count > 1 && interval !== null) this.addInterval(interval, (number - this.lastNumber) & 0xffff);
    this.lastNumber = number;
  }
  addInterval(interval, rounds) {
    ++this.intervals;
    this.time += interval;
    this.most = Math.max(this.most, interval);
    if (rounds === 0 || rounds > 1000) return;
    if (this.step === 0 || rounds < this.step) {
      this.step = rounds;
      this.wholeTime = this.wholeCount = 0;
    }
    const steps = Math.max(1, Math.round(rounds / this.step));
    this.lost += steps - 1;
    if (this.wholeCount > 0) this.jitter += (Math.abs(interval - this.meant * steps) - this.jitter) / 16;
    if (steps > 1 || (this.wholeCount >= 8 && interval > 2 * this.meant)) return;
    this.wholeTime += interval;
    ++this.wholeCount;
  }
}

/** Calls `call` for each synchronizer's values in a sync, with the key of its row, the object, the message, and the
 *  milliseconds since the previous sync. Some syncs identify a synchronizer by its net id, others by its path id. It
 *  then has two ids, but one row. */
export function eachSync(match, firstFrame, lastFrame, call) {
  const {'message.frame': frames, 'message.from': from, 'message.to': to, 'object.name': names, 'object.flags': flags,
    'object.id': ids, 'frame.s': seconds, 'frame.ns': nanoseconds, 'frame.from': source, 'frame.to': destination} = match.c;
  const last = new Map();
  for (let message = lowerBound(frames, firstFrame); message < frames.length && frames[message] < lastFrame; ++message) {
    if (match.kindOf(message) !== 'sync') continue;
    const frame = frames[message];
    const ends = [source[frame], destination[frame]].sort((one, two) => one - two);
    for (let object = match.objectStart[message]; object < match.objectStart[message + 1]; ++object) {
      if (!(flags[object] & flag.isTimed)) continue;
      const way = [ends, from[message], to[message]].join();
      const before = last.get(`${way} ${ids[object]}`);
      const hasInterval = before !== undefined && flags[object] & flag.hasInterval;
      const interval = hasInterval
        ? (seconds[frame] - seconds[before]) * 1000 + (nanoseconds[frame] - nanoseconds[before]) / 1e6 : null;
      last.set(`${way} ${ids[object]}`, frame);
      call(`${way} ${names[object]}`, object, message, interval);
    }
  }
}

function syncRows(match, firstFrame, lastFrame) {
  const {'message.from': from, 'message.to': to, 'message.number': numberOf, 'object.name': names, 'object.flags': flags,
    'object.bytes': sizes} = match.c;
  const rows = new Map();
  const nameOf = (peer) => match.peers[peer].inTables;
  eachSync(match, firstFrame, lastFrame, (key, object, message, interval) => {
    if (!rows.has(key)) rows.set(key, new SyncStatistics([match.text(names[object]), nameOf(from[message]), nameOf(to[message])]));
    const row = rows.get(key);
    row.add(numberOf[message], (flags[object] & flag.isLate) !== 0, interval);
    row.bytes += sizes[object];
  });
  return [...rows.values()];
}

const mostShown = 500;

export class Tables {
  constructor(view, element) {
    this.view = view;
    this.match = view.match;
    this.table = tables.find((table) => this.hasRows(table)) ?? tables[0];
    this.sort = {key: 'bytes', isDown: true};
    this.chooser = el('select', {'aria-label': 'Table', onchange: () => this.choose(tables[this.chooser.selectedIndex])},
      ...tables.map((table) => el('option', {textContent: table.name})));
    this.chooser.selectedIndex = tables.indexOf(this.table);
    this.search = el('input', {type: 'search', placeholder: 'Search (/)', 'aria-label': 'Search the table',
      oninput: () => this.show()});
    this.what = el('span', {className: 'faint'});
    this.body = el('div', {className: 'scroll'});
    this.plotElement = el('div', {className: 'row-plot'});
    element.append(el('div', {className: 'bar'}, this.chooser, this.search, this.what),
      el('div', {className: 'beside'}, this.body, this.plotElement));
    view.listen(['window', 'span'], () => this.later());
    this.count();
  }

  hasRows(table) {
    if (table.rows) return table.rows === costRows || this.match.kindNames.includes('sync');
    return this.match.c['row.table'].includes(table.table);
  }
  choose(table) {
    this.table = table;
    this.chosen = null;
    this.sort = {key: 'bytes', isDown: true};
    this.count();
  }

  // Counts a span only after the mouse rests, because counting a large capture takes longer than an animation frame.
  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.count(), 60);
  }
  count() {
    if (this.body.offsetParent === null && this.rows) {
      this.isStale = true;
      return;
    }
    this.isStale = false;
    this.rows = rowsOf(this.match, this.table, ...this.view.counted);
    this.show();
    this.drawRow();
  }
  shown() { if (this.isStale) this.count(); }

  sorted() {
    const {key, isDown} = this.sort;
    const valueOf = typeof key === 'number' ? (row) => row.names[key] : (row) => row[key];
    const wanted = this.search.value.toLowerCase();
    const rows = this.rows.filter((row) => row.names.some((name) => name.toLowerCase().includes(wanted)));
    const order = (one, two) => (typeof one === 'string' ? one.localeCompare(two) : one - two);
    return rows.sort((one, two) => order(valueOf(one), valueOf(two)) * (isDown ? -1 : 1));
  }

  show() {
    const rows = this.sorted();
    const {names, numbers: columns, why} = this.table;
    const span = this.view.span ? 'in the selected span' : 'in view';
    this.what.textContent = rows.length > mostShown
      ? `${countText(rows.length)} rows ${span}, the first ${mostShown} are shown: search, or change the order`
      : `${countOf(rows.length, 'row')} ${span}`;
    if (rows.length === 0) {
      const text = this.search.value ? 'No name matches' : `${this.view.span ? 'In this span ' : ''}${why}`;
      return this.body.replaceChildren(el('p', {className: 'empty', textContent: text}));
    }
    const head = el('tr', {}, ...names.map((title, i) => this.headCell(title, i)),
      ...columns.map(({title, key, hint}) => this.headCell(title, key, hint)));
    const lines = rows.slice(0, mostShown).map((row) => this.line(row, columns));
    return this.body.replaceChildren(el('table', {}, el('thead', {}, head), el('tbody', {}, ...lines)));
  }
  headCell(title, key, hint = '') {
    const isSorted = this.sort.key === key;
    const mark = isSorted ? (this.sort.isDown ? ' ▾' : ' ▴') : '';
    const button = el('button', {textContent: title + mark, title: hint, onclick: () => {
      this.sort = {key, isDown: isSorted ? !this.sort.isDown : typeof key !== 'number'};
      this.show();
    }});
    return el('th', {'aria-sort': isSorted ? (this.sort.isDown ? 'descending' : 'ascending') : 'none'}, button);
  }
  line(row, columns) {
    const choose = () => {
      this.chosen = this.chosen === row.id ? null : row.id;
      for (const line of this.body.querySelectorAll('tr.chosen')) line.classList.remove('chosen');
      if (this.chosen !== null) element.classList.add('chosen');
      this.drawRow();
    };
    const cells = this.table.names.map((title, i) => el('td', {className: 'name', textContent: row.names[i], title: row.names[i]}));
    const element = el('tr', {tabIndex: 0, onclick: choose, onkeydown: (event) => { if (event.key === 'Enter') choose(); }},
      ...cells, ...columns.map(({key, text}) => el('td', {className: 'number', textContent: text(row[key])})));
    if (row.id === this.chosen) element.classList.add('chosen');
    return element;
  }

  // Yields the times and bytes of the chosen row.
  *timesOf(id) {
    const {match} = this;
    if (this.table.rows === syncRows) {
      const found = [];
      eachSync(match, 0, match.frameCount, (key, object, message) => {
        const {'message.from': from, 'message.to': to, 'object.name': names, 'object.bytes': sizes} = match.c;
        const nameOf = (peer) => match.peers[peer].inTables;
        const name = [match.text(names[object]), nameOf(from[message]), nameOf(to[message])].join('\n');
        if (name === id) found.push([match.axisOf(message), sizes[object]]);
      });
      yield* found;
    } else if (this.table.rows === costRows) {
      const {'cost.what': what, 'cost.bytes': costs} = match.c;
      for (let frame = 0; frame < match.frameCount; ++frame) {
        for (let i = match.costStart[frame]; i < match.costStart[frame + 1]; ++i) {
          if (what[i] === id) yield [match.axis[frame], costs[i]];
        }
      }
    } else {
      const {'count.frame': frames, 'count.row': rowOf, 'count.bytes': sizes} = match.c;
      for (let i = 0; i < frames.length; ++i) if (rowOf[i] === id) yield [match.axis[frames[i]], sizes[i]];
    }
  }

  drawRow() {
    this.plot?.destroy();
    this.plot = null;
    this.plotElement.replaceChildren();
    this.plotElement.classList.toggle('shown', this.chosen !== null && this.chosen !== undefined);
    if (this.chosen === null || this.chosen === undefined) return;
    const [from, to] = this.view.counted;
    const bars = 60;
    const step = (to - from) / bars;
    const rows = Array.from({length: bars + 1}, (unused, bar) => [from + bar * step, 0]);
    for (const [time, bytes] of this.timesOf(this.chosen)) {
      if (time >= from && time < to) rows[Math.floor((time - from) / step)][1] += bytes / step;
    }
    const drawing = el('div', {className: 'row-drawing'});
    this.plotElement.append(el('div', {className: 'faint', textContent: 'Over the selected time'}), drawing);
    this.plot = makePlot(drawing, ['time', 'bytes'], rows, {
      stepPlot: true, fillGraph: true, colors: ['#0072b2'], xAxis: true, y: {axisLabelFormatter: (rate) => rateMarkText(rate)},
    });
  }
}
