// How the reader likes the pages: colours and the shape of the panes. What a
// page shows is in its address, so that a link leads there for everyone.
'use strict';

// A browser may keep nothing for a file; then a page remembers for itself.
const rememberedHere = new Map();
function remember(key, value) {
  rememberedHere.set(key, String(value));
  try {
    localStorage.setItem('kiln ' + key, value);
  } catch {
  }
}
function remembered(key) {
  try {
    return localStorage.getItem('kiln ' + key) ?? rememberedHere.get(key);
  } catch {
    return rememberedHere.get(key);
  }
}
