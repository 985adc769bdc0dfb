// Pictures carry the words that they show, so that a test can tell when one of
// the documents is out of date. The words are in a chunk of text of the PNG.
'use strict';

const zlib = require('node:zlib');

const key = 'kiln-words';

const table = Uint32Array.from({length: 256}, (_, n) => {
  for (let bit = 0; bit < 8; ++bit) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});
const checksum = bytes => ~bytes.reduce((sum, byte) => table[(sum ^ byte) & 255] ^ (sum >>> 8), -1) >>> 0;

function chunkOf(type, data) {
  const size = Buffer.alloc(4), sum = Buffer.alloc(4), body = Buffer.concat([Buffer.from(type), data]);
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(checksum(body));
  return Buffer.concat([size, body, sum]);
}

// [type, data, where it ends] of each chunk, behind the signature of 8 bytes.
function* chunksOf(png) {
  for (let at = 8; at < png.length;) {
    const size = png.readUInt32BE(at);
    yield [png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + size), at += size + 12];
  }
}

// `png` with the words behind its header.
function withWords(png, words) {
  const [[, , end]] = chunksOf(png), text = zlib.deflateSync(Buffer.from(words.join('\n')), {level: 9});
  const chunk = chunkOf('zTXt', Buffer.concat([Buffer.from(key + '\0\0'), text]));
  return Buffer.concat([png.subarray(0, end), chunk, png.subarray(end)]);
}
// The words of a picture; null if it has none.
function wordsOf(png) {
  for (const [type, data] of chunksOf(png))
    if (type === 'zTXt' && data.toString('latin1', 0, key.length + 1) === key + '\0')
      return zlib.inflateSync(data.subarray(key.length + 2)).toString().split('\n');
  return null;
}

// In a page: the words within the window, but for those that change with every
// run or version. What a canvas shows is not among them.
const wordsSeen = `(() => {
  const seen = [], leave = typeof page === 'undefined' ? [] : [page.profile.head.kiln_version];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (walker.nextNode()) {
    range.selectNodeContents(walker.currentNode);
    const isSeen = [...range.getClientRects()].some(({left, right, top, bottom}) =>
        right > left && bottom > top && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight);
    const parent = walker.currentNode.parentElement;
    if (!isSeen || !parent.checkVisibility({visibilityProperty: true})) continue;
    let text = walker.currentNode.textContent.trim().replace(/\\s+/g, ' ');
    for (const word of leave) text = text.replaceAll(word, 'VERSION');
    if (text) seen.push(text);
  }
  return seen;
})()`;

// Texts are the same but for numbers with a fraction, which may be 2 per cent off.
function sayTheSame(one, other) {
  const number = /\d+\.\d+/g, a = one.match(number) ?? [], b = other.match(number) ?? [];
  return one.replace(number, '#') === other.replace(number, '#') &&
         a.every((value, i) => Math.abs(value - b[i]) <= 0.02 * Math.max(value, b[i]));
}
// What the second list of words has that the first one has not, and the reverse.
function differenceOf(before, after) {
  const left = [...after], gone = [];
  for (const word of before) {
    const at = left.findIndex(other => sayTheSame(word, other));
    at < 0 ? gone.push(word) : left.splice(at, 1);
  }
  return {gone, come: left};
}

// In any page: the part of two pictures, as data URLs, that looks different. They
// are compared at an eighth of their size, so that the edges of letters count little.
const partDiffers = (one, other) => `(async () => {
  const pixels = async url => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const width = image.width >> 3, height = image.height >> 3, canvas = new OffscreenCanvas(width, height),
          pen = canvas.getContext('2d');
    pen.imageSmoothingQuality = 'high';
    pen.drawImage(image, 0, 0, width, height);
    return [width, height, pen.getImageData(0, 0, width, height).data];
  };
  const [[width, height, a], [otherWidth, otherHeight, b]] = [await pixels('${one}'), await pixels('${
    other}')];
  if (width !== otherWidth || height !== otherHeight) return 1;
  let count = 0;
  for (let i = 0; i < a.length; i += 4)
    count += [0, 1, 2].some(channel => Math.abs(a[i + channel] - b[i + channel]) > 40);
  return count / (width * height);
})()`;

module.exports = {
  differenceOf,
  partDiffers,
  wordsOf,
  wordsSeen,
  withWords
};
