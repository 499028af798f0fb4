// SPDX-License-Identifier: GPL-2.0-or-later
// The left column: the game with its peers, and the problems.
import {countOf, countText, durationText, timeText} from './format.js';
import {colourOf, el} from './view.js';

// Maximum number of problems shown, because more would hide the game and its peers. The list begins with the most
// severe problems.
const mostProblems = 6;

export const startText = (head) => new Date(head.start / 1e6).toLocaleString('sv-SE', {timeZoneName: 'short'});

const endText = ({end}) => (end === 'open' ? 'open when the capture ends' : end);

function peerRow(match, peer, view) {
  const swatch = el('i', {className: 'swatch'});
  swatch.style.background = colourOf(peer.order);
  const lines = peer.isServer && peer.connections.length > 1
    ? [`${peer.connections.length} connections`]
    : peer.connections.map((connection) => `${timeText(connection.began)}–${timeText(connection.last)} s: ${endText(connection)}`);
  if (lines.length === 0) lines.push(`seen ${timeText(match.time[peer.first])}–${timeText(match.time[peer.last])} s`);
  const about = [peer.id ? peer.endpoint : '', peer.release ? `Godot ${peer.release}` : ''].filter((part) => part).join(', ');
  return el('button', {className: 'peer', title: 'Show the bandwidth of this peer only; click again for all', onclick: () => {
    view.choosePeer(view.peer === peer.number ? null : peer.number);
  }}, swatch, el('b', {textContent: peer.name}), el('span', {className: 'faint', textContent: ` ${about}`}),
  ...lines.map((line) => el('div', {className: 'faint small', textContent: line})));
}

export function showGame(view, element) {
  const {match} = view;
  const {head} = match;
  const facts = [
    `${countOf(match.frameCount, 'frame')} of the game, ${countOf(match.messageCount, 'message')}`,
    ...head.carriers.map(([carrier, count]) => `${carrier}: ${countOf(count, 'frame')}`),
  ];
  const notes = [];
  if (head.onePass) notes.push('Made in one pass (tshark without -2): what later packets reveal is missing.');
  if (head.leftOut) notes.push(`${countText(head.leftOut)} things were left out: there are too many.`);
  if (match.nodes.some((node) => /^#|#\d+$/.test(node.path))) {
    notes.push('Nodes without names: their paths were sent before the capture began.');
  }
  if (match.c['value.name'].some((name) => /^(sync|delta|spawn)#\d+$/.test(match.text(name)))) {
    notes.push('Properties without names: set the project folder (preference godot_mp.project).');
  }
  const rows = match.people.map((peer) => peerRow(match, peer, view));
  element.append(el('h2', {textContent: 'Game'}), ...facts.map((fact) => el('div', {className: 'small', textContent: fact})),
    ...notes.map((note) => el('div', {className: 'small note', textContent: note})),
    el('h2', {textContent: `Peers (${rows.length})`}),
    ...rows);
  view.listen(['peer'], () => rows.forEach((row, i) => row.classList.toggle('chosen', match.people[i].number === view.peer)));
}

/** Copies a text. Also works if the page has no access to the clipboard, as in Firefox for a local file. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = el('textarea', {value: text});
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}

export function showProblems(view, element) {
  const {match} = view;
  const {problems} = match.head;
  const cards = problems.map((problem) => {
    const show = (event) => {
      if (event.target.closest('.copy')) return;
      const isChosen = card.classList.toggle('chosen');
      for (const other of cards) if (other !== card) other.classList.remove('chosen');
      const frames = isChosen ? problem.frames.map((number) => match.indexOfFrameNumber(number)) : [];
      const times = frames.filter((frame) => frame < match.frameCount).map((frame) => match.axis[frame]);
      view.mark(times);
      if (times.length) view.put(times[0]);
    };
    const copy = el('button', {className: 'copy', textContent: 'Copy filter', title: problem.filter, onclick: async () => {
      await copyText(problem.filter);
      copy.textContent = 'Copied';
      setTimeout(() => { copy.textContent = 'Copy filter'; }, 1200);
    }});
    const frames = problem.first === problem.last ? `frame ${problem.first}` : `frames ${problem.first}–${problem.last}`;
    const card = el('div', {className: 'problem', tabIndex: 0, role: 'button', onclick: show,
      onkeydown: (event) => { if (event.key === 'Enter' && event.target === card) show(event); }},
    el('div', {textContent: problem.words}), el('div', {className: 'small advice', textContent: problem.advice}),
    el('div', {className: 'faint small', textContent: `${problem.from} → ${problem.to}, ${countText(problem.count)}×, ${frames}`}),
    copy);
    return card;
  });
  const more = cards.splice(mostProblems);
  if (more.length) {
    const all = el('button', {textContent: `${countText(more.length)} more`, onclick: () => {
      all.replaceWith(...more);
      cards.pop();
      cards.push(...more);
    }});
    cards.push(all);
  }
  element.append(el('h2', {textContent: problems.length ? `Problems (${problems.length})` : 'Problems'}),
    ...(cards.length ? cards : [el('p', {className: 'empty',
      textContent: match.frameCount ? `No problems found in ${countOf(match.messageCount, 'message')}.` : 'None: the capture contains no Godot traffic.'})]));
}

export const summary = (match) => (match.frameCount === 0 ? 'no game detected'
  : `${startText(match.head)}, ${durationText(match.end - match.begin)}`);

/** Returns the text that is shown instead of an empty time line. */
export function nothingText({head}) {
  const seen = head.problems.length ? 'The problem on the left explains why.'
    : 'Record on the machine of the server or of a player, on the interface of the game (Loopback on one machine), and start before the game connects. See doc/troubleshooting.md of the plugin.';
  return [`No Godot or ENet traffic was detected in this capture. ${seen}`,
    'Encrypted traffic needs keys: see doc/recording.md of the plugin.'];
}
