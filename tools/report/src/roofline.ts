// The roofline: the device's ceilings, and under them what every candidate reaches. All candidates of a program do the same
// work on the same data, so they share an intensity; a strip beside the roofline spreads them by family, at the same height.
import * as Plot from "@observablehq/plot";
import { bound, type Candidate, type Report } from "./data";
import { accent, colourIn, draw, height, isTimed, others, points, range, symbolIn, ticksX, ticksY, tip, type Chart, type Timed, type View } from "./charts";
import { otherColour, type Family } from "./families";
import * as format from "./format";

type Placed = Timed & { rate: number; intensity: number };
type Range = readonly [number, number];
interface Point {
  intensity: number;
  rate: number;
}

const isPlaced = (each: Candidate): each is Placed => isTimed(each) && each.rate !== undefined && each.intensity !== undefined;
const label = { fill: "var(--text)", stroke: "var(--page)", strokeWidth: 4 } as const;
const marginLeft = 78;
const gap = 14;

/** Where the roofs of a bandwidth and of the arithmetic lie between two intensities, as a line of three points. */
function roofLine(bandwidth: number, peak: number, [from, to]: Range): Point[] {
  const ridge = peak / bandwidth;
  const at = (intensity: number) => ({ intensity, rate: Math.min(peak, bandwidth * intensity) });
  return [from, ...(ridge > from && ridge < to ? [ridge] : []), to].map(at);
}

/** The ceilings that limit the program as thick lines, all others dashed. Names stand where candidates do not. */
function roofs(report: Report, own: number, xs: Range, narrow: boolean, copy: number | undefined, compute: number | undefined): Plot.Markish {
  const look = (main: boolean) => ({ stroke: "var(--text)", strokeWidth: main ? 2 : 1, strokeDasharray: main ? undefined : "5 3" });
  const peak = compute ?? Infinity;
  const slopes = report.bandwidths.map((each): Plot.Markish => {
    const main = each.value === copy;
    const ridge = Math.min(xs[1], peak / each.value);
    const x = main ? Math.sqrt((own < ridge ? own : xs[0]) * ridge) : xs[0];
    const place = [{ x, y: Math.min(x * each.value, peak) }];
    const words = () => `${each.name} ${format.bandwidth(each.value)}`;
    return [
      Plot.line(roofLine(each.value, peak, xs).filter((point) => Number.isFinite(point.rate)), { x: "intensity", y: "rate", ...look(main), clip: true }),
      narrow && !main ? null : Plot.text(place, { x: "x", y: "y", text: words, textAnchor: "start", dx: main ? 10 : 4, dy: main ? 8 : -9, ...label }),
    ];
  });
  const flats = report.computes.map((each): Plot.Markish => [
    each.value !== compute || copy === undefined ? Plot.ruleY([each.value], look(each.value === compute)) : null,
    Plot.text([each], { y: "value", frameAnchor: "right", textAnchor: "end", dx: -4, dy: -8, text: () => `${each.name} ${format.rate(each.value)}`, ...label }),
  ]);
  return [slopes, flats];
}

interface Strip {
  width: number;
  /** The x of a candidate in the strip, as an intensity beyond the axis. */
  at: (each: Candidate) => number;
  edges: Range;
}

/** One column a look, candidates scattered a little within it. */
function strip(families: Family[], [from, to]: Range, width: number): Strip {
  const looks = [...new Set(families.map((each) => each.colour))];
  const column = Math.min(18, (width * 0.32) / looks.length);
  const size = looks.length * column;
  const pixel = Math.log(to / from) / (width - marginLeft - gap - size);
  const beyond = (pixels: number) => to * Math.exp(pixels * pixel);
  const at = (each: Candidate) => {
    const place = looks.indexOf(families[each.family]?.colour ?? otherColour) + 0.5;
    const scatter = ((each.order * 0.618034) % 1) - 0.5;
    return beyond(gap + (place + scatter * 0.7) * column);
  };
  return { width: gap + size, at, edges: [beyond(gap), beyond(gap + size)] };
}

/** Undefined where no ceiling or no candidate's rate is known. */
export function roofline(view: View): Chart | undefined {
  const { report, shown, width, families } = view;
  const limit = bound(report);
  const all = report.candidates.filter(isPlaced);
  if (!limit || all.length === 0 || !report.flops || !report.bytes) return undefined;
  const own = report.flops / report.bytes;
  const shared = all.every((each) => each.intensity === own);
  const copy = report.bandwidths.find((each) => each.name === "copy");
  const compute = report.computes.find((each) => each.name === report.precision);
  const ridge = copy && compute ? compute.value / copy.value : own;
  const xs = range([own, ridge, ...all.map((each) => each.intensity)], 6);
  const ys = range([limit.rate, ...report.computes.map((each) => each.value), ...all.map((each) => each.rate)], 1.6);
  const beside = shared ? strip(families, xs, width) : undefined;
  const visible = shown.filter(isPlaced);
  const colour = colourIn(families);
  const symbol = symbolIn(families);
  const place = beside?.at ?? ((each: Candidate) => each.intensity!);
  const winner = all.reduce((a, b) => (b.rate > a.rate ? b : a));
  return {
    drawing: draw("Roofline of the device with every measured candidate", {
      width, height: height(width) + 50, marginLeft, marginRight: beside?.width ?? 16, marginTop: 26, marginBottom: 44,
      x: { type: "log", domain: xs },
      y: { type: "log", domain: ys },
      marks: [
        ticksX(format.logTicks(xs[0], xs[1], width / 110), format.short, "operations a byte →"),
        ticksY(format.logTicks(ys[0], ys[1]), format.rate, "↑ operations a second"),
        Plot.ruleX([own], { stroke: "var(--line)" }),
        roofs(report, own, xs, width < 420, copy?.value, compute?.value),
        shared ? points(visible, { x: (each) => each.intensity, y: (each) => each.rate, r: 1.5, colour, symbol: () => "circle" }) : null,
        points(visible, { x: place, y: (each) => each.rate, r: 2.8, colour, symbol }),
        compared(report, own, limit, beside?.edges),
        Plot.dot([winner], { x: place, y: "rate", r: 7, stroke: accent, strokeWidth: 2 }),
        tip(visible, place, (each) => each.rate!),
      ],
    }),
    words: `Horizontally: operations for each byte that the program must read and write at least, ${format.short(own)}. ` +
      (shared ? "All candidates share it; at the right they stand side by side, a column a family, the fastest family first. " : "") +
      `Vertically: what was reached, at the best ${format.rate(winner.rate)}, ${format.percent(winner.rate / limit.rate)} of the ${format.rate(limit.rate)} that ${limit.memory ? "copying" : `${limit.roof.name} arithmetic`} allows here. ` +
      `Measured ceilings: ${format.joined([...report.bandwidths.map((each) => `${each.name} ${format.bandwidth(each.value)}`), ...report.computes.map((each) => `${each.name} ${format.rate(each.value)}`)])}.`,
  };
}

/** What the device allows the program and what the default and the kernel by hand reach, on the axis and across the strip. */
function compared(report: Report, own: number, limit: { rate: number; memory: boolean }, edges: Range | undefined): Plot.Markish {
  const references = others(report).map((each) => ({ intensity: own, rate: report.flops! / each.seconds, title: each.title }));
  return [
    Plot.dot(references, { x: "intensity", y: "rate", symbol: "diamond", r: 4.5, fill: "var(--text)", stroke: "var(--page)" }),
    Plot.text(references, { x: "intensity", y: "rate", text: "title", textAnchor: limit.memory ? "start" : "end", dx: limit.memory ? 9 : -9, ...label }),
    edges && Plot.ruleY(references, { x1: edges[0], x2: edges[1], y: "rate", stroke: "var(--text)", strokeDasharray: "2 3" }),
    edges && Plot.ruleY([limit.rate], { x1: edges[0], x2: edges[1], stroke: "var(--text)", strokeWidth: 2 }),
  ];
}
