// SPDX-License-Identifier: GPL-2.0-or-later
// Bandwidth: the bytes of all frames over time, by category.
import {bytesText, rateMarkText, rateText} from './format.js';
import {categories, lowerBound} from './model.js';
import {makePlot, plotMargin, recolourPlot} from './plots.js';
import {categoryColours, el} from './view.js';

const bars = 260;

export class Bandwidth {
  constructor(view, element, labelWidth) {
    this.view = view;
    this.match = view.match;
    this.direction = 'both';
    this.labelWidth = labelWidth;
    this.plotElement = el('div', {className: 'bandwidth-plot'});
    this.plotElement.style.left = `${labelWidth - plotMargin}px`;
    this.legend = el('div', {className: 'bandwidth-legend'});
    this.legend.style.width = `${labelWidth - plotMargin}px`;
    this.span = el('div', {className: 'axis-span', hidden: true});
    this.cursor = el('div', {className: 'axis-cursor', hidden: true});
    element.append(this.legend, this.plotElement, this.span, this.cursor);
    this.fillLegend();
    this.sum();
    this.plot = makePlot(this.plotElement, ['time', ...categories.map((name, i) => `s${i}`)], this.rows(), {
      stackedGraph: true, fillAlpha: 0.9, strokeWidth: 0.4, colors: categoryColours, stepPlot: true,
      y: {axisLabelFormatter: (rate) => (rate === 0 ? '0' : rateMarkText(rate))},
    });
    view.listen(['size'], () => this.resize());
    view.listen(['size', 'window', 'span', 'cursor'], () => this.drawMarkers());
    view.listen(['window'], () => this.draw());
    view.listen(['peer'], () => this.recount());
    view.listen(['window', 'span', 'peer'], () => this.fillTotals());
    this.fillTotals();
  }

  fillLegend() {
    this.shares = categories.map(() => el('span', {className: 'number'}));
    const keys = categories.map((name, category) => {
      const swatch = el('i', {className: 'swatch'});
      swatch.style.background = categoryColours[category];
      return el('div', {className: 'key'}, swatch, name, this.shares[category]);
    });
    this.total = el('div', {className: 'key total'});
    this.legend.append(...keys, this.total);
  }

  chooseDirection(direction) {
    this.direction = direction;
    this.recount();
    this.fillTotals();
  }
  recount() {
    this.sum();
    this.draw();
  }

  counts(frame) {
    const {peer} = this.view;
    if (peer === null) return true;
    const {'frame.from': from, 'frame.to': to} = this.match.c;
    return (this.direction !== 'in' && from[frame] === peer) || (this.direction !== 'out' && to[frame] === peer);
  }

  // Computes prefix sums over the frames. The bytes of a time range are then a difference of two sums.
  sum() {
    const {match} = this;
    const width = categories.length;
    const bytes = match.categoryBytes();
    this.upTo ??= new Float64Array((match.frameCount + 1) * width);
    const {upTo} = this;
    for (let frame = 0; frame < match.frameCount; ++frame) {
      const isCounted = this.counts(frame);
      for (let i = 0; i < width; ++i) {
        const place = frame * width + i;
        upTo[place + width] = upTo[place] + (isCounted ? bytes[place] : 0);
      }
    }
  }

  bytesBetween(first, last, category) {
    const width = categories.length;
    return this.upTo[last * width + category] - this.upTo[first * width + category];
  }

  rows() {
    const {view, match} = this;
    const step = (view.to - view.from) / bars;
    const rows = [];
    let first = match.frameAt(view.from);
    for (let bar = 0; bar < bars; ++bar) {
      const begin = view.from + bar * step;
      const last = lowerBound(match.axis, begin + step, first);
      rows.push([begin, ...categories.map((name, i) => Math.max(0, this.bytesBetween(first, last, i) / step))]);
      first = last;
    }
    rows.push([view.to, ...rows[bars - 1].slice(1)]);
    return rows;
  }

  draw() {
    this.plot?.updateOptions({file: this.rows(), dateWindow: [this.view.from, this.view.to]});
  }
  // Makes the plot as wide as the lanes below, which have a scroll bar.
  resize() {
    this.plotElement.style.width = `${plotMargin + this.view.axisWidth}px`;
    this.plot?.resize();
  }
  // Draws the span and the cursor at the same times as the lanes do.
  drawMarkers() {
    const {from, to, span, cursor, axisWidth} = this.view;
    const x = (time) => Math.min(Math.max((time - from) / (to - from), 0), 1) * axisWidth;
    const place = (element, first, last) => {
      element.style.left = `${this.labelWidth + first}px`;
      if (last !== undefined) element.style.width = `${Math.max(last - first, 1)}px`;
    };
    this.span.hidden = !span;
    if (span) place(this.span, x(span[0]), x(span[1]));
    this.cursor.hidden = this.view.cursorSeen() === null;
    if (!this.cursor.hidden) place(this.cursor, x(cursor));
  }
  recolour() { recolourPlot(this.plot); }

  fillTotals() {
    const [from, to] = this.view.counted;
    const first = this.match.frameAt(from);
    const last = this.match.frameAt(to);
    const sums = categories.map((name, category) => this.bytesBetween(first, last, category));
    const all = sums.reduce((sum, bytes) => sum + bytes, 0);
    sums.forEach((sum, i) => {
      this.shares[i].textContent = all > 0 ? `${(100 * sum / all).toFixed(1)} %` : '0 %';
      this.shares[i].title = bytesText(sum);
    });
    this.total.textContent = `${bytesText(all)}, ${rateText(all / (to - from))}`;
  }
}
