// What a page's colours are like: expressions that run in it.
'use strict';

// Of relative luminances, as the guidelines for accessible content define it;
// colours are what getComputedStyle says.
const contrastOf = `((first, second) => {
  const parse = text => text.match(/[\\d.]+/g).map(Number);
  const luminance = colour => {
    const [r, g, b] = parse(colour).map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [dark, bright] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
})`;

// Text against what is behind it, of every element that shows text: those that
// are hard to read.
const poorContrast = `(() => {
  const contrastOf = ${contrastOf};
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (colour.startsWith('rgb(')) return colour;
    }
    return getComputedStyle(document.body).backgroundColor;
  };
  const poor = [];
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest('.unseen, .skip, option, script') || !(element.offsetParent || element instanceof SVGElement)) continue;
    if (![...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()) || element.closest('title')) continue;
    const style = getComputedStyle(element), colour = element instanceof SVGElement ? style.fill : style.color;
    const contrast = contrastOf(colour, behind(element));
    if (contrast < 4.5) poor.push(element.tagName + '.' + element.className + ' "' + element.textContent.trim().slice(0, 30) + '" ' + contrast.toFixed(2));
  }
  return poor;
})()`;

module.exports = {
  contrastOf,
  poorContrast
};
