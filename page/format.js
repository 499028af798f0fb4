// SPDX-License-Identifier: GPL-2.0-or-later
// Formats numbers, times and values for display, with units.

/** Seconds since the capture's first packet, as in Wireshark's packet list. */
export const timeText = (seconds) => seconds.toFixed(6);

export function durationText(seconds) {
  if (seconds < 1) return `${(seconds * 1000).toFixed(seconds < 0.01 ? 2 : 0)} ms`;
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes} min ${Math.round(seconds - minutes * 60)} s`;
}

export const countText = (number) => Math.round(number).toLocaleString('en-US');

export function bytesText(bytes) {
  if (Math.abs(bytes) < 10000) return `${Math.round(bytes)} B`;
  if (Math.abs(bytes) < 1e6) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1e6).toFixed(2)} MB`;
}

export const rateText = (bytesPerSecond) => `${bytesText(bytesPerSecond)}/s`;

/** Returns the label of an axis mark: 150 kB/s instead of 150.0 kB/s. */
export const rateMarkText = (bytesPerSecond) => rateText(bytesPerSecond).replace(/\.0+ /, ' ');

/** 1 frame, 2 frames. */
export const countOf = (number, noun) => `${countText(number)} ${noun}${number === 1 ? '' : 's'}`;

// Returns the shortest decimal number that converts to the same 32-bit float.
function singleText(number) {
  for (let digits = 6; digits < 9; ++digits) {
    const text = Number(number.toPrecision(digits));
    if (Math.fround(text) === Math.fround(number)) return text;
  }
  return Number(number.toPrecision(9));
}

function numberText(number, isSingle) {
  if (Number.isNaN(number)) return 'nan';
  if (!Number.isFinite(number)) return number > 0 ? 'inf' : '-inf';
  return String(isSingle ? singleText(number) : number);
}

/** Formats a value that consists of numbers: `true`, `12`, `0.5`, `(3, 4)`. */
export function numbersText(type, numbers, isSingle) {
  if (type === 'bool') return numbers[0] ? 'true' : 'false';
  const texts = numbers.map((number) => numberText(number, isSingle));
  if (texts.length > 1) return `(${texts.join(', ')})`;
  return type === 'float' && /^-?\d+$/.test(texts[0]) ? `${texts[0]}.0` : texts[0];
}

const componentNames = {
  Vector2: 'xy', Vector2i: 'xy', Vector3: 'xyz', Vector3i: 'xyz', Vector4: 'xyzw', Vector4i: 'xyzw', Quaternion: 'xyzw',
  Color: 'rgba',
};

/** Returns the name of a component: x or y of a Vector2. */
export const componentName = (type, index) => componentNames[type]?.[index] ?? String(index);

/** Returns the marks of an axis: round numbers, about `apart` pixels from each other. */
export function ticksOf(from, to, pixels, apart) {
  const wanted = (to - from) * apart / Math.max(pixels, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1e-9)));
  const step = power * ([1, 2, 5, 10].find((factor) => power * factor >= wanted) ?? 10);
  const ticks = [];
  for (let tick = Math.ceil(from / step); tick * step <= to && ticks.length < 1000; ++tick) ticks.push(tick * step);
  return {ticks, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9))};
}
