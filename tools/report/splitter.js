// The bar between two panes: drag it, or use the arrow keys.
'use strict';

// A share in percent within what is allowed; `otherwise` for what is no number.
const shareWithin = (share, [least, most], otherwise) =>
    share === undefined || !Number.isFinite(Number(share)) ? otherwise
                                                           : Math.min(most, Math.max(least, Number(share)));

class Splitter {
  // Sets the custom property `--share-NAME` of `holder`, its parent: how much of
  // it the first pane has. `upright`: the panes are side by side.
  constructor(holder, name, label, {upright, start, limits = [20, 80]}) {
    Object.assign(this, {holder, name, upright, start, limits});
    this.root = element('div', {
      className: 'divider',
      role: 'separator',
      tabIndex: 0,
      'aria-label': label,
      'aria-orientation': upright ? 'vertical' : 'horizontal',
      'aria-valuemin': limits[0],
      'aria-valuemax': limits[1],
      title: `${label}: drag, or use the arrow keys; double-click for what it was`
    });
    this.set(remembered(name));
    this.listen();
  }
  set(share) {
    this.share = shareWithin(share, this.limits, this.start);
    this.root.setAttribute('aria-valuenow', Math.round(this.share));
    this.holder.style.setProperty('--share-' + this.name, this.share + '%');
  }
  keep(share) {
    this.set(share);
    remember(this.name, this.share);
  }
  listen() {
    const {root, holder, upright} = this;
    let grabbed = false;
    root.addEventListener('pointerdown', event => {
      if (event.button !== 0) return;
      grabbed = true;
      root.setPointerCapture(event.pointerId);
    });
    root.addEventListener('pointermove', event => {
      if (!grabbed) return;
      const {left, top, width, height} = holder.getBoundingClientRect();
      this.set(100 * (upright ? (event.clientX - left) / width : (event.clientY - top) / height));
    });
    const release = () => {
      if (grabbed) this.keep(this.share);
      grabbed = false;
    };
    root.addEventListener('pointerup', release);
    root.addEventListener('pointercancel', release);
    root.addEventListener('dblclick', () => this.keep(this.start));
    root.addEventListener('keydown', event => {
      const [less, more] = upright ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
      const share = {
        [less]: this.share - 2,
        [more]: this.share + 2,
        Home: this.limits[0],
        End: this.limits[1],
        Enter: this.start
      }[event.key];
      if (share === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      this.keep(share);
    });
  }
}
