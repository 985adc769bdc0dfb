// Debian's chromium, without a window, driven over a pipe (the DevTools
// protocol: messages of JSON that end with a zero byte). Nothing else is needed.
'use strict';

const {spawn} = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const {withWords, wordsSeen} = require('./pictures.js');

class Browser {
  static async start(program) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'kiln-browser-'));
    const process =
        spawn(program,
              [
                '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
                '--hide-scrollbars', '--force-device-scale-factor=1', '--no-first-run',
                '--disable-extensions', '--disable-background-networking', '--disable-component-update',
                '--remote-debugging-pipe', `--user-data-dir=${folder}`, 'about:blank'
              ],
              {
                stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
                detached: false,
                env: {...globalThis.process.env, HOME: folder}
              });
    return new Browser(process, folder);
  }
  constructor(process, folder) {
    Object.assign(this, {process, folder, calls: new Map(), listeners: [], last: 0});
    let rest = '';
    process.stdio[4].setEncoding('utf8').on('data', text => {
      const messages = (rest + text).split('\0');
      rest = messages.pop();
      messages.forEach(message => this.receive(JSON.parse(message)));
    });
    process.on('exit', () => {
      for (const {fail} of this.calls.values()) fail(new Error('the browser ended'));
    });
  }
  receive(message) {
    const call = this.calls.get(message.id);
    if (!call) return this.listeners.forEach(listener => listener(message));
    this.calls.delete(message.id);
    if (message.error)
      call.fail(new Error(`${call.method}: ${message.error.message}`));
    else
      call.done(message.result);
  }
  send(method, params = {}, sessionId) {
    const id = ++this.last;
    this.process.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + '\0');
    return new Promise((done, fail) => this.calls.set(id, {method, done, fail}));
  }
  async open(file, {width = 1440, height = 900, dark = false} = {}) {
    // A reader who has never been here: nothing of other tabs, nothing on a disk.
    const {browserContextId} = await this.send('Target.createBrowserContext');
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank', browserContextId});
    const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true});
    const tab = new Tab(this, targetId, sessionId, browserContextId);
    for (const domain of ['Page', 'Runtime', 'Network', 'Log', 'DOM', 'Accessibility'])
      await tab.send(domain + '.enable');
    await tab.size(width, height);
    await tab.colours(dark);
    await tab.go('file://' + file);
    return tab;
  }
  async stop() {
    const ended = new Promise(done => this.process.on('exit', done));
    this.send('Browser.close').catch(() => {});
    await ended;
    fs.rmSync(this.folder, {recursive: true, force: true, maxRetries: 5});
  }
}

class Tab {
  constructor(browser, targetId, sessionId, browserContextId) {
    Object.assign(this,
                  {browser, targetId, sessionId, browserContextId, requests: [], errors: [], waiting: []});
    browser.listeners.push(message => {
      if (message.sessionId === sessionId) this.receive(message);
    });
  }
  receive({method, params}) {
    if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
    if (method === 'Runtime.exceptionThrown')
      this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.errors.push(params.entry.text);
    this.waiting = this.waiting.filter(({name, done}) => name !== method || done(params));
  }
  send(method, params) { return this.browser.send(method, params, this.sessionId); }
  when(name) {
    return new Promise(done => this.waiting.push({
      name,
      done: params => {
        done(params);
        return false;
      }
    }));
  }
  async go(url) {
    const loaded = this.when('Page.loadEventFired');
    await this.send('Page.navigate', {url});
    await loaded;
  }
  colours(dark) {
    return this.send('Emulation.setEmulatedMedia',
                     {features: [{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]});
  }
  // The value of an expression in the page, once its frames are drawn.
  async run(expression) {
    const {result, exceptionDetails} =
        await this.send('Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  drawn() {
    return this.run(
        'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0))))');
  }
  async press(key, modifiers = 0) {
    const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
    const code =
        {Enter: 13, Escape: 27, Tab: 9, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40}[key];
    await this.send('Input.dispatchKeyEvent',
                    {type: 'keyDown', key, text, modifiers, windowsVirtualKeyCode: code});
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', key, modifiers, windowsVirtualKeyCode: code});
    await this.drawn();
  }
  async type(text) {
    for (const key of text) await this.press(key);
  }
  mouse(type, x, y, more = {}) {
    return this.send('Input.dispatchMouseEvent', {type, x, y, button: 'left', clickCount: 1, ...more});
  }
  async click(x, y) {
    await this.mouse('mouseMoved', x, y, {button: 'none'});
    await this.mouse('mousePressed', x, y);
    await this.mouse('mouseReleased', x, y);
    await this.drawn();
  }
  async drag(x0, y0, x1, y1, modifiers = 0) {
    await this.mouse('mousePressed', x0, y0, {modifiers});
    await this.mouse('mouseMoved', (x0 + x1) / 2, (y0 + y1) / 2, {modifiers, buttons: 1});
    await this.mouse('mouseMoved', x1, y1, {modifiers, buttons: 1});
    await this.mouse('mouseReleased', x1, y1, {modifiers});
    await this.drawn();
  }
  async wheel(x, y, deltaY, modifiers = 0) {
    await this.send('Input.dispatchMouseEvent', {type: 'mouseWheel', x, y, deltaX: 0, deltaY, modifiers});
    await this.run('new Promise(done => setTimeout(done, 150))');
  }
  size(width, height) {
    return this.send('Emulation.setDeviceMetricsOverride',
                     {width, height, deviceScaleFactor: 1, mobile: false});
  }
  // What the window shows, with the words in it.
  async picture(file) {
    const {data} = await this.send('Page.captureScreenshot', {format: 'png'});
    fs.mkdirSync(path.dirname(file), {recursive: true});
    fs.writeFileSync(file, withWords(Buffer.from(data, 'base64'), await this.run(wordsSeen)));
  }
  close() {
    return this.browser.send('Target.disposeBrowserContext', {browserContextId: this.browserContextId});
  }
}

module.exports = {Browser};
