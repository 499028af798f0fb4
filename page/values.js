// SPDX-License-Identifier: GPL-2.0-or-later
// Values over time: a property, an argument, or a key of a Dictionary; as sent, and as a receiver had it.
import {componentName, countOf, countText, timeText} from './format.js';
import {factKinds, flag} from './model.js';
import {makePlot} from './plots.js';
import {el} from './view.js';

const mostListed = 400;
const mostComponents = 4;
const pixels = 600;
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7'];

/** Returns the indexes of a track between two times. Thins them: keeps only the minimum and the maximum of each
 *  component per pixel. */
function thinned(track, from, to, components) {
  const first = Math.max(0, track.countUntil(from) - 1);
  const last = Math.min(track.values.length, track.countUntil(to) + 1);
  if (last - first <= 3 * pixels) return Array.from({length: last - first}, (unused, i) => first + i);
  const {match} = track;
  const chosen = new Set();
  const step = (last - first) / pixels;
  for (let pixel = 0; pixel < pixels; ++pixel) {
    const begin = Math.floor(first + pixel * step);
    const end = Math.floor(first + (pixel + 1) * step);
    for (let component = 0; component < components; ++component) {
      let least = begin;
      let most = begin;
      const at = (i) => match.numbersOf(track.values[i])[component];
      for (let i = begin; i < end; ++i) {
        if (at(i) < at(least)) least = i;
        if (at(i) > at(most)) most = i;
      }
      chosen.add(least).add(most);
    }
  }
  return [...chosen].sort((one, two) => one - two);
}

/** Estimates from a sample how often the numbers change. */
function varietyOf({match, values}) {
  const step = Math.max(1, Math.floor(values.length / 500));
  let changes = 0;
  let before = '';
  for (let i = 0; i < values.length; i += step) {
    const now = match.numbersOf(values[i]).join();
    if (now !== before) changes += step;
    before = now;
  }
  return changes;
}

/** Returns the intervals in milliseconds between the updates that reached a peer in a time range. */
export function intervalsOf(track, receiver, from, to) {
  const intervals = [];
  let before = null;
  for (let i = track.countUntil(from); i < track.countUntil(to); ++i) {
    if (!track.reached(i, receiver)) continue;
    const time = track.match.axisOf(track.messages[i]);
    if (before !== null) intervals.push((time - before) * 1000);
    before = time;
  }
  return intervals;
}

export class Values {
  constructor(view, element) {
    this.view = view;
    this.match = view.match;
    this.search = el('input', {type: 'search', placeholder: 'Search (/)', 'aria-label': 'Search values', oninput: () => this.list()});
    this.names = el('div', {className: 'scroll names', role: 'listbox', 'aria-label': 'Values'});
    this.receiver = el('select', {'aria-label': 'Received by', onchange: () => this.draw()});
    this.isPlane = el('input', {type: 'checkbox', id: 'plane', onchange: () => this.draw()});
    this.about = el('span', {className: 'faint'});
    this.plane = el('label', {}, this.isPlane, ' path in the plane');
    this.plotElement = el('div', {className: 'value-plot'});
    this.histogram = el('canvas', {className: 'histogram', role: 'img'});
    const right = el('div', {className: 'value-side'},
      el('div', {className: 'bar'}, el('label', {}, 'as received by ', this.receiver), this.plane, this.about),
      el('div', {className: 'value-drawings'}, this.plotElement, this.histogram));
    element.append(el('div', {className: 'value-list'}, el('div', {className: 'bar'}, this.search), this.names), right);
    view.listen(['window', 'span', 'cursor'], () => { if (this.names.offsetParent) this.draw(); });
  }

  shown() {
    if (!this.tracks) {
      this.tracks = this.match.tracks().map((track) => ({track, label: track.label}))
        .sort((one, two) => one.label.localeCompare(two.label, undefined, {numeric: true}));
      // If several peers send the same name, shows the sender in each entry.
      this.tracks.forEach((entry, i) => { entry.isShared = [i - 1, i + 1].some((other) => this.tracks[other]?.label === entry.label); });
      // Initially shows the entry that changes most often, preferably a position.
      const worth = ({track, label}) => (track.numberCount > 1 ? 2 : track.numberCount) * (/position/i.test(label) ? 4 : 1) * varietyOf(track);
      this.chosen = this.tracks.reduce((best, entry) => (best && worth(best) >= worth(entry) ? best : entry), null);
      this.list();
      this.fillReceivers();
    }
    this.draw();
  }
  recolour() { if (this.tracks && this.names.offsetParent) this.draw(); }

  list() {
    const wanted = this.search.value.toLowerCase();
    const found = this.tracks.filter(({label}) => label.toLowerCase().includes(wanted));
    const lines = found.slice(0, mostListed).map((entry) => el('button', {
      className: entry === this.chosen ? 'chosen' : '', role: 'option', title: entry.label, 'aria-selected': entry === this.chosen,
      onclick: () => this.choose(entry),
    }, el('span', {textContent: entry.label}), el('span', {className: 'faint number',
      textContent: `${entry.isShared ? ` ${this.match.peerName(entry.track.from)},` : ''} ${countText(entry.track.values.length)}`})));
    if (found.length > mostListed) lines.push(el('p', {className: 'empty', textContent: `${countText(found.length - mostListed)} more: search`}));
    if (found.length === 0) lines.push(el('p', {className: 'empty', textContent: this.search.value ? 'No name matches' : 'No values: no syncs, spawns, calls with arguments or Variants'}));
    this.names.replaceChildren(...lines);
  }
  choose(entry) {
    this.chosen = entry;
    this.list();
    this.fillReceivers();
    this.draw();
  }
  fillReceivers() {
    if (!this.chosen) return;
    const {track} = this.chosen;
    const receivers = [...new Set(track.messages.map((message) => this.match.receiverOf(message)))].filter((peer) => peer >= 0);
    this.receivers = receivers;
    this.receiver.replaceChildren(...receivers.map((peer) => el('option', {textContent: this.match.peerName(peer)})));
  }

  draw() {
    this.plot?.destroy();
    this.plot = null;
    this.plotElement.replaceChildren();
    this.plotElement.classList.remove('empty');
    if (!this.chosen) return;
    const {track} = this.chosen;
    const components = Math.min(track.numberCount, mostComponents);
    const receiver = this.receivers[this.receiver.selectedIndex] ?? -1;
    this.plane.hidden = track.numberCount < 2;
    this.drawHistogram(intervalsOf(track, receiver, ...this.view.counted));
    if (components === 0) this.showTexts(track);
    else if (this.isPlane.checked && components > 1) this.drawPlane(track);
    else this.drawOverTime(track, components, receiver);
  }

  // Lists the last texts before the cursor.
  showTexts(track) {
    const until = track.countUntil(this.view.cursor ?? this.view.to);
    const lines = [];
    for (let i = until - 1; i >= Math.max(0, until - 40); --i) {
      lines.push(el('div', {textContent: `${this.match.axisOf(track.messages[i]).toFixed(6)} s  ${this.match.valueText(track.values[i])}`}));
    }
    this.plotElement.append(el('div', {className: 'scroll texts'}, ...lines));
    this.about.textContent = `${countText(track.values.length)} times`;
  }

  drawOverTime(track, components, receiver) {
    const {match, view} = this;
    const type = match.typeOf(track.values[0]);
    const names = components === 1 ? ['value'] : Array.from({length: components}, (unused, i) => componentName(type, i));
    const none = names.map(() => null);
    const rows = [];
    const indexes = thinned(track, view.from, view.to, components);
    let before = -1;
    let missing = 0;
    for (const i of indexes) {
      const message = track.messages[i];
      const numbers = names.map((unused, component) => match.numbersOf(track.values[i])[component] ?? null);
      rows.push([match.axisOf(message), ...numbers, ...none]);
      if (!track.reached(i, receiver)) continue;
      const isSync = match.c['message.flags'][message] & flag.hasNumber;
      if (isSync && before >= 0 && this.isMissing(track, receiver, before, i)) {
        ++missing;
        rows.push([(match.axisOf(track.messages[before]) + match.axisOf(message)) / 2, ...none, ...names.map(() => NaN)]);
      }
      if (isSync) before = i;
      rows.push([match.axisOf(message) + match.waitOf(message), ...none, ...numbers]);
    }
    this.about.textContent = `${type}; thin: sent, bold: received${missing ? `, ${countOf(missing, 'gap')}: lost` : ''}`;
    rows.sort((one, two) => one[0] - two[0]);
    const drawing = el('div', {className: 'row-drawing'});
    const keys = names.map((name, i) => {
      const key = el('span', {textContent: name});
      key.style.color = colours[i];
      return key;
    });
    const when = el('span', {className: 'faint'});
    const say = (time, numbers) => {
      when.textContent = time === null ? '' : `at ${timeText(time)} s`;
      keys.forEach((key, i) => { key.textContent = numbers[i] === undefined ? names[i] : `${names[i]} ${numbers[i]}`; });
    };
    this.plotElement.append(el('div', {className: 'value-legend'}, ...keys, when), drawing);
    drawing.addEventListener('click', (event) => this.plot && view.put(this.plot.toDataXCoord(event.offsetX)));
    const bold = Object.fromEntries(names.map((unused, i) => [`r${i}`, {strokeWidth: 2.2}]));
    this.plot = makePlot(drawing, ['time', ...names.map((unused, i) => `s${i}`), ...names.map((unused, i) => `r${i}`)], rows, {
      stepPlot: true, connectSeparatedPoints: true, dateWindow: [view.from, view.to], strokeWidth: 0.6, series: bold,
      colors: [...colours.slice(0, components), ...colours.slice(0, components)],
      drawPoints: indexes.length < 80, pointSize: 2, xAxis: true, y: {pixelsPerLabel: 18},
      // A point belongs to the sent or to the received series, which have different times. Uses the series that has
      // numbers at this point.
      highlightCallback: (event, time, points) => say(time, names.map((unused, i) =>
        points.find(({name, yval}) => (name === `s${i}` || name === `r${i}`) && Number.isFinite(yval))?.yval)),
      unhighlightCallback: () => say(null, []),
      underlayCallback: (context, area, plot) => this.drawCursor(context, area, plot),
    });
  }

  drawCursor(context, area, plot) {
    const {cursor} = this.view;
    if (cursor === null) return;
    context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();
    context.fillRect(plot.toDomXCoord(cursor), area.y, 1.5, area.h);
  }

  // Returns true if an update between two received updates was lost: ENet detected missing packets, and between the two
  // updates the sender's update number advanced by more than usual.
  isMissing(track, receiver, before, now) {
    const {match} = track;
    const [first, last] = [track.messages[before], track.messages[now]];
    const [begin, end] = [match.axisOf(first), match.axisOf(last)];
    const isWithin = ({time, sender}) => time > begin && time <= end && sender !== receiver;
    const isLost = [receiver, track.from].some((peer) => match.peers[peer]?.facts?.[factKinds.missing].some(isWithin));
    return isLost && this.roundsBetween(track, before, now) >= 1.5 * this.stepsOf(track, receiver);
  }
  roundsBetween(track, before, now) {
    const {'message.number': numberOf} = this.match.c;
    return (numberOf[track.messages[now]] - numberOf[track.messages[before]]) & 0xffff;
  }
  // Returns the median increase of the sender's update number per update.
  stepsOf(track, receiver) {
    track.steps ??= new Map();
    if (track.steps.has(receiver)) return track.steps.get(receiver);
    const steps = [];
    let before = -1;
    for (let i = 0; i < Math.min(track.values.length, 5000); ++i) {
      if (!track.reached(i, receiver)) continue;
      if (before >= 0) steps.push(this.roundsBetween(track, before, i));
      before = i;
    }
    steps.sort((one, two) => one - two);
    track.steps.set(receiver, steps[steps.length >> 1] ?? 1);
    return track.steps.get(receiver);
  }

  canvasOf(canvas) {
    const ratio = window.devicePixelRatio || 1;
    const {clientWidth: width, clientHeight: height} = canvas;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = '11px system-ui, sans-serif';
    const style = getComputedStyle(document.documentElement);
    return {context, width, height, colour: (name) => style.getPropertyValue(name).trim()};
  }

  drawPlane(track) {
    const canvas = el('canvas', {className: 'plane', role: 'img'});
    this.plotElement.append(canvas);
    const {context, width, height, colour} = this.canvasOf(canvas);
    const {match, view} = this;
    const isFlat = track.numberCount < 3;
    const [across, down] = isFlat ? [0, 1] : [0, 2];
    const points = thinned(track, view.from, view.to, 3)
      .map((i) => [match.numbersOf(track.values[i]), match.axisOf(track.messages[i])])
      .filter(([numbers]) => Number.isFinite(numbers[across]) && Number.isFinite(numbers[down]));
    if (points.length === 0) return;
    const xs = points.map(([numbers]) => numbers[across]);
    const ys = points.map(([numbers]) => numbers[down]);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const scale = Math.min((width - 60) / Math.max(right - left, 1e-9), (height - 40) / Math.max(bottom - top, 1e-9));
    const place = (numbers) => [30 + (numbers[across] - left) * scale, 20 + (numbers[down] - top) * scale];
    context.strokeStyle = colours[0];
    context.lineWidth = 1.5;
    context.beginPath();
    for (const [numbers] of points) context.lineTo(...place(numbers));
    context.stroke();
    const until = view.cursor === null ? points.length : points.filter(([, time]) => time <= view.cursor).length;
    const [x, y] = place(points[Math.max(0, until - 1)][0]);
    context.fillStyle = colours[1];
    context.beginPath();
    context.arc(x, y, 5, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = colour('--faint');
    const axes = isFlat ? 'x →, y ↓ as in 2D' : 'x →, z ↓ as seen from above';
    const places = `${axes}; ${left.toFixed(1)} to ${right.toFixed(1)}, ${top.toFixed(1)} to ${bottom.toFixed(1)}`;
    canvas.setAttribute('aria-label', places);
    context.fillText(places, 8, height - 8);
    this.about.textContent = `the dot: where it was ${view.cursor === null ? 'at the end' : 'at the cursor'}`;
  }

  drawHistogram(intervals) {
    const {context, width, height, colour} = this.canvasOf(this.histogram);
    context.clearRect(0, 0, width, height);
    context.fillStyle = colour('--faint');
    const say = (what, numbers = '') => {
      this.histogram.setAttribute('aria-label', `${what} ${numbers}`.trim());
      context.fillText(what, 8, 12);
      context.fillText(numbers, 8, 27);
    };
    if (intervals.length < 2) return say('Too few updates for a histogram');
    const sorted = [...intervals].sort((one, two) => one - two);
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    const most = Math.max(at(0.98) * 1.3, 1);
    const bars = 36;
    const counts = new Array(bars).fill(0);
    for (const interval of sorted) ++counts[Math.min(bars - 1, Math.floor(interval / most * bars))];
    const highest = Math.max(...counts);
    const bar = (width - 16) / bars;
    say('Between updates, ms:', `median ${at(0.5).toFixed(1)}, 95 % ${at(0.95).toFixed(1)}, most ${sorted[sorted.length - 1].toFixed(0)}`);
    context.fillText('0 ms', 8, height - 4);
    context.textAlign = 'right';
    context.fillText(`${most.toFixed(0)} ms and more`, width - 8, height - 4);
    context.fillStyle = colours[0];
    counts.forEach((count, i) => {
      const size = Math.ceil(count / highest * (height - 52));
      context.fillRect(8 + i * bar, height - 18 - size, bar - 1, size);
    });
    context.strokeStyle = colour('--line');
    context.strokeRect(8, height - 17.5, width - 16, 0);
  }
}
