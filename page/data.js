// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the page's data block: one line for the head, which is JSON, and one line for each column of numbers: `name
// type count base64`. The bytes are compressed by zlib. If the type ends with a plus, each number is stored as the
// difference from the number before it. plugin/page/collector.h writes the columns.

const arrays = {
  u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f32: Float32Array, f64: Float64Array,
};

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function unpack(base64) {
  const packed = new Blob([fromBase64(base64)]);
  return new Response(packed.stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
}

// Large columns that are seldom needed. They are decompressed only on demand.
const late = new Set(['sentence.bytes']);

/** @returns {head, columns: a map by name, later(name): a promise of a column in `late`} */
export async function readData(block) {
  const lines = new Map();
  for (const line of block.split('\n')) {
    const [name, type, , base64] = line.trim().split(' ', 4);
    lines.set(name, {type, base64});
  }
  const read = async (name) => {
    const {type, base64} = lines.get(name);
    const buffer = await unpack(base64);
    if (type === 'json') return JSON.parse(new TextDecoder().decode(buffer));
    const numbers = new arrays[type.replace('+', '')](buffer);
    if (type.startsWith('+')) for (let i = 1; i < numbers.length; ++i) numbers[i] += numbers[i - 1];
    return numbers;
  };
  const columns = {};
  let head;
  await Promise.all([...lines.keys()].filter((name) => !late.has(name)).map(async (name) => {
    const column = await read(name);
    if (name === 'head') head = column;
    else columns[name] = column;
  }));
  return {head, columns, later: read};
}

/** Returns a function that returns the text with an index. */
export function textReader(columns) {
  const bytes = columns['text.bytes'];
  const ends = columns['text.ends'];
  const decoder = new TextDecoder();
  const known = new Map();
  return (number) => {
    let text = known.get(number);
    if (text === undefined) {
      text = decoder.decode(bytes.subarray(number === 0 ? 0 : ends[number - 1], ends[number]));
      known.set(number, text);
    }
    return text;
  };
}
