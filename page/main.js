// SPDX-License-Identifier: GPL-2.0-or-later
// Assembles the page, and handles keys.
import {Bandwidth} from './bandwidth.js';
import {readData} from './data.js';
import {nothingText, showGame, showProblems, startText, summary} from './game.js';
import {Match} from './model.js';
import {hasLibrary, noLibrary} from './plots.js';
import {State, stateAt} from './state.js';
import {Tables} from './tables.js';
import {labelWidth, messageLines, Timeline} from './timeline.js';
import {Values} from './values.js';
import {el, View} from './view.js';

const keys = [
  ['← →', 'move'], ['+ −', 'zoom (or the wheel)'], ['↑ ↓', 'lanes up and down'], [', .', 'message before, message after'],
  ['drag', 'select a span: all tables count it'], ['[ ]', 'begin or end the span at the cursor'],
  ['Z', 'zoom to the span (or double-click)'], ['0', 'see all'], ['Esc', 'clear the span and the marks'],
  ['shift and drag', 'move'], ['F', 'fold and unfold all nodes'], ['1 2 3', 'bandwidth, values, state'], ['/', 'search'],
  ['D', 'dark or light'], ['?', 'this list'],
];

function makeTabs(view, element) {
  const pages = [
    {title: 'Bandwidth by …', make: Tables}, {title: 'Values', make: Values}, {title: 'State at time', make: State},
  ].map((page) => ({...page, panel: el('div', {className: `panel ${page.make.name.toLowerCase()}`, role: 'tabpanel'})}));
  const open = (index) => {
    pages.forEach((page, i) => {
      page.panel.hidden = i !== index;
      page.tab.setAttribute('aria-selected', i === index);
    });
    const page = pages[index];
    page.shown ??= new page.make(view, page.panel);
    page.shown.shown?.();
  };
  pages.forEach((page, i) => {
    page.tab = el('button', {role: 'tab', textContent: page.title, onclick: () => open(i)});
  });
  element.append(el('div', {className: 'tabs', role: 'tablist'}, ...pages.map(({tab}) => tab)), ...pages.map(({panel}) => panel));
  open(0);
  return {
    open,
    recolour: () => pages.forEach(({shown}) => shown?.recolour?.()),
    shown: (index) => pages[index].shown,
    search: () => pages.find(({panel}) => !panel.hidden).panel.querySelector('input[type=search]')?.focus(),
  };
}

function makeHeader(view, parts) {
  const {match} = view;
  const directions = {both: 'in and out', in: 'in', out: 'out'};
  const peer = el('select', {'aria-label': 'Bandwidth of', onchange: () => view.choosePeer(peer.value === '' ? null : Number(peer.value))},
    el('option', {value: '', textContent: 'all peers'}),
    ...match.people.map(({number, name}) => el('option', {value: number, textContent: name})));
  const direction = el('select', {'aria-label': 'Direction', disabled: true, onchange: () => parts.bandwidth.chooseDirection(direction.value)},
    ...Object.entries(directions).map(([value, textContent]) => el('option', {value, textContent})));
  view.listen(['peer'], () => {
    peer.value = view.peer ?? '';
    direction.disabled = view.peer === null;
  });
  const span = el('span', {className: 'faint span-text'});
  view.listen(['span'], () => {
    span.textContent = view.span ? `span ${view.span[0].toFixed(3)}–${view.span[1].toFixed(3)} s` : '';
  });
  return el('header', {}, el('h1', {textContent: match.head.file}), el('span', {className: 'faint', textContent: summary(match)}),
    span, el('span', {className: 'grow'}), el('label', {}, 'Bandwidth of ', peer), direction,
    el('button', {textContent: 'See all', title: 'Key 0', onclick: () => view.all()}),
    el('button', {textContent: 'Light / dark', title: 'Key D', onclick: parts.recolour}),
    el('button', {textContent: 'Keys', title: 'Key ?', onclick: parts.help}));
}

function makeHelp() {
  const licence = hasLibrary
    ? 'Plots by dygraphs 2, © Dan Vanderkam and others, MIT licence: its text is at the end of this file.' : noLibrary;
  const dialog = el('dialog', {className: 'help'}, el('h2', {textContent: 'Keys'}),
    el('dl', {}, ...keys.flatMap(([key, what]) => [el('dt', {textContent: key}), el('dd', {textContent: what})])),
    el('p', {className: 'faint small', textContent: 'Lanes: bars are coloured by who has authority; tall marks are calls, low ones syncs and deltas. Peers: hatched while joining, red while stalled; red marks above: retransmissions, orange marks below: lost or late.'}),
    el('p', {className: 'faint small', textContent: licence}),
    el('button', {textContent: 'Close', onclick: () => dialog.close()}));
  return dialog;
}

function hookKeys(view, timeline, tabs, parts) {
  const around = {'[': 0, ']': 1};
  const actions = {
    'ArrowLeft': () => view.pan(-0.1), 'ArrowRight': () => view.pan(0.1), '+': () => view.zoom(0.7), '=': () => view.zoom(0.7),
    '-': () => view.zoom(1 / 0.7), 'ArrowUp': () => timeline.scroller.scrollBy(0, -40), 'ArrowDown': () => timeline.scroller.scrollBy(0, 40),
    'PageUp': () => timeline.scroller.scrollBy(0, -300), 'PageDown': () => timeline.scroller.scrollBy(0, 300),
    ',': () => view.step(-1), '.': () => view.step(1), 'z': () => view.zoomToSpan(), '0': () => view.all(),
    'Escape': () => { view.select(null); view.mark([]); }, '1': () => tabs.open(0), '2': () => tabs.open(1), '3': () => tabs.open(2),
    '/': () => tabs.search(), 'd': parts.recolour, '?': parts.help, 'f': () => timeline.foldAll(timeline.folded.size === 0),
  };
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping) {
      if (event.key === 'Escape') event.target.blur();
      return;
    }
    if (event.key in around && view.cursor !== null) {
      const span = view.span ?? [view.from, view.to];
      span[around[event.key]] = view.cursor;
      view.select(...span);
    }
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

// A capture without frames of the game may still have problems, for example if it is encrypted.
function showNothing(match, view, side) {
  document.body.replaceChildren(
    el('header', {}, el('h1', {textContent: match.head.file}), el('span', {className: 'faint', textContent: summary(match)})), side,
    el('main', {}, el('div', {className: 'nothing'}, ...nothingText(match).map((textContent) => el('p', {textContent})))));
  showProblems(view, side);
  return {match, view};
}

function showPage(match) {
  const hasGame = match.frameCount > 0;
  document.title = hasGame ? `${match.head.file}, ${startText(match.head)}` : match.head.file;
  const view = new View(match);
  const side = el('aside', {'aria-label': 'Game and problems'});
  if (!hasGame) return showNothing(match, view, side);
  const bandwidth = el('div', {className: 'bandwidth'});
  const lanes = el('div', {className: 'timeline'});
  const lower = el('section', {className: 'lower'});
  const status = el('div', {className: 'status', role: 'status'});
  const help = makeHelp();
  const parts = {help: () => help.showModal()};
  parts.recolour = () => {
    const root = document.documentElement;
    const isDark = getComputedStyle(root).colorScheme.trim() === 'dark';
    root.dataset.theme = isDark ? 'light' : 'dark';
    parts.bandwidth.recolour();
    parts.timeline.draw();
    parts.tabs.recolour();
  };
  document.body.replaceChildren(makeHeader(view, parts), side,
    el('main', {}, bandwidth, lanes, status, lower), help);
  showProblems(view, side);
  showGame(view, side);
  parts.bandwidth = new Bandwidth(view, bandwidth, labelWidth);
  parts.timeline = new Timeline(view, lanes);
  parts.timeline.hookAxis(bandwidth);
  parts.tabs = makeTabs(view, lower);
  hookKeys(view, parts.timeline, parts.tabs, parts);
  const showStatus = () => {
    status.textContent = view.message === null ? 'Click a mark, or step with , and .: the message is shown here.'
      : messageLines(match, view.message).join('   ·   ');
  };
  view.listen(['cursor'], showStatus);
  match.onSentences = showStatus;
  showStatus();
  return {match, view, ...parts};
}

readData(document.getElementById('data').textContent)
  .then((data) => {
    const start = performance.now();
    const page = showPage(new Match(data));
    // Gives the browser's console and the tests access to the page.
    window.matchPage = {...page, stateAt, milliseconds: performance.now() - start};
  })
  .catch((error) => {
    document.body.replaceChildren(el('p', {className: 'empty', textContent: `This page could not be shown: ${error.message}`}));
    throw error;
  });
