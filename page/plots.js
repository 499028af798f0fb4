// SPDX-License-Identifier: GPL-2.0-or-later
// Plots over time, by the library dygraphs. Its own ways to be dragged and clicked are off: all of the page has one axis.

export const hasLibrary = typeof Dygraph !== 'undefined';
export const noLibrary = 'No plots: this plugin was built without dygraphs (Debian: libjs-dygraphs, npm: dygraphs).';

// Its legend sets styles in a way that the page's policy forbids, and is not wanted: the page has its own.
if (hasLibrary) Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);

/** Width of what stands left of a plot: its marks of the vertical axis. */
export const plotMargin = 62;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function secondsText(time, [from, to]) {
  const digits = Math.max(0, 1 - Math.floor(Math.log10(to - from)));
  return `${time.toFixed(Math.min(digits, 6))} s`;
}

/** @param labels 'time', then one for each series; they are names of ours, no text of a packet */
export function makePlot(element, labels, rows, options = {}) {
  if (!hasLibrary) {
    element.textContent = noLibrary;
    element.classList.add('empty');
    return null;
  }
  const {y = {}, xAxis = false, ...others} = options;
  return new Dygraph(element, rows, {
    labels, legend: 'never', interactionModel: {}, highlightCircleSize: 0, rightGap: 0, animatedZooms: false,
    gridLineColor: colour('--line'), axisLineColor: colour('--line'), axisLabelFontSize: 11, strokeWidth: 1.2,
    axes: {
      x: {drawAxis: xAxis, pixelsPerLabel: 45, axisLabelFormatter: (time, granularity, opts, plot) => secondsText(time, plot.xAxisRange())},
      y: {axisLabelWidth: plotMargin - 6, axisTickSize: 3, ...y},
    },
    ...others,
  });
}

/** The library's plots keep the colours that they were made with. */
export function recolourPlot(plot) {
  plot?.updateOptions({gridLineColor: colour('--line'), axisLineColor: colour('--line')});
}
