// Pages of real kernels, made by the tool: KILN, CHROMIUM. Nothing that a view
// shows is made up here.
'use strict';

const {execFileSync} = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const {Browser} = require('./browser.js');

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'kiln-report-'));
const kiln = words => execFileSync(process.env.KILN, words, {cwd: work, maxBuffer: 1 << 26});

const kernels = {
  attention: [
    'flash_attention', '--seq-q=2048', '--seq-k=2048', '--what-if', '--passes',
    '--sweep=hbm_bytes_per_ns=200,400,716.8,1400'
  ],
  softmax: ['softmax', '--rows=4096'],
  data: ['flash_attention', '--causal', '--seq-q=2048', '--seq-k=2048', '--random-seed=1', '--what-if'],
  mixed: ['types.cpp:mixed'],
  reduce: ['sbuf_all_reduce', '--rows=1024', '--cols=2048', '--group=4', '--ranks=4'],
};

// Of the tutorial's stories: the first and the last step of each.
const lesson = 'lesson_12_cards.cpp';
for (const file of ['called.cpp', 'odd.cpp'])
  fs.copyFileSync(path.join(__dirname, file), path.join(work, file));
fs.copyFileSync(path.join(__dirname, '../insights/types.cpp'), path.join(work, 'types.cpp'));
fs.copyFileSync(path.join(__dirname, '../../docs/tutorial', lesson), path.join(work, lesson));
const stories = {
  'softmax-slow': [lesson + ':slow_softmax', '--step=0'],
  'softmax-fast': [lesson + ':slow_softmax', '--step=2'],
  'attention-slow': [lesson + ':slow_attention', '--step=0'],
  'attention-fast': [lesson + ':slow_attention', '--step=3'],
};

// The page of `kiln profile` with these words; made once.
function pageOf(name, words = kernels[name]) {
  const file = path.join(work, name + '.html');
  if (!fs.existsSync(file)) kiln(['profile', ...words, '--html', name + '.html']);
  return file;
}
// The page of a binary: it has no schedules and no remarks.
function pageOfBinary() {
  if (!fs.existsSync(path.join(work, 'softmax.kbin')))
    kiln(['compile', 'softmax', '--rows=4096', '-o', 'softmax.kbin']);
  return pageOf('binary', ['softmax.kbin']);
}

// The page of two runs of a story, and the comparison as JSON.
function pageOfTwo() {
  const softmax = ['profile', lesson + ':slow_softmax'];
  if (!fs.existsSync(path.join(work, 'two.html'))) {
    kiln([...softmax, '--step=2', '--compare', '--step=0', '--html', 'two.html', '--json', 'two.json']);
    kiln([...softmax, '--step=0', '--no-insights', '--json', 'slow.json']);
    kiln([...softmax, '--step=2', '--compare', 'slow.json', '--html', 'half.html']);
  }
  return {
    file: path.join(work, 'two.html'),
    ofJson: path.join(work, 'half.html'),
    document: JSON.parse(fs.readFileSync(path.join(work, 'two.json'), 'utf8'))
  };
}

function blankPage() {
  const file = path.join(work, 'blank.html');
  fs.writeFileSync(file, '<!DOCTYPE html><title>blank</title>');
  return file;
}

// A browser for the tests of a file.
function startBrowser(test) {
  const holder = {open: (...words) => holder.browser.open(...words)};
  test.before(async () => { holder.browser = await Browser.start(process.env.CHROMIUM); });
  test.after(async () => {
    await holder.browser.stop();
    fs.rmSync(work, {recursive: true, force: true});
  });
  return holder;
}

const views = [
  'overview', 'timeline', 'hierarchy', 'memory', 'tensors', 'roofline', 'collectives', 'insights', 'compiler'
];
const pictures = process.env.PICTURES ?? path.join(work, 'pictures');

module.exports = {
  blankPage,
  kernels,
  pageOf,
  pageOfBinary,
  pageOfTwo,
  pictures,
  startBrowser,
  stories,
  views
};
