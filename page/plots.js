// SPDX-License-Identifier: GPL-2.0-or-later
// Plots over time, with the library dygraphs. Its own mouse handling is disabled, because all parts of the page share
// one time axis.

export const hasLibrary = typeof Dygraph !== 'undefined';
export const noLibrary = 'No plots: this plugin was built without dygraphs (Debian: libjs-dygraphs, npm: dygraphs).';

// Removes the library's legend, because it sets inline styles, which the page's content security policy forbids. The
// page has another legend.
if (hasLibrary) Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);

/** Width of the vertical axis with its labels, to the left of a plot. */
export const plotMargin = 62;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function secondsText(time, [from, to]) {
  const digits = Math.max(0, 1 - Math.floor(Math.log10(to - from)));
  return `${time.toFixed(Math.min(digits, 6))} s`;
}

/** @param labels 'time', then one label per series; not from packets, so they need no escaping */
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

/** Applies the theme's colours. Plots do not update the colours with which they were created. */
export function recolourPlot(plot) {
  plot?.updateOptions({gridLineColor: colour('--line'), axisLineColor: colour('--line')});
}
