// The charts. Each is a function of the report, the candidates that the filter leaves, and a width; it returns the drawing
// and what it shows in words. Colours are CSS variables, so light, dark and print need no drawing of their own.
import * as Plot from "@observablehq/plot";
import { type Candidate, type Kernel, type Report } from "./data";
import type { Family } from "./families";
import { otherColour, otherSymbol } from "./families";
import * as format from "./format";
import { path, symbolPath, type SymbolName } from "./symbols";

export interface View {
  report: Report;
  families: Family[];
  shown: Candidate[];
  filtered: boolean;
  width: number;
}
export interface Chart {
  drawing: SVGSVGElement;
  words: string;
}
export type Timed = Candidate & { seconds: number };

export const isTimed = (each: Candidate): each is Timed => each.seconds !== undefined;
const base = "var(--muted)";
export const accent = "var(--accent)";
export const height = (width: number) => Math.round(Math.min(340, Math.max(230, width * 0.55)));

export function draw(label: string, options: Plot.PlotOptions): SVGSVGElement {
  const drawing = Plot.plot({ ...options, ariaLabel: label, style: { fontSize: "12px", background: "none" } }) as SVGSVGElement;
  drawing.setAttribute("role", "img");
  return drawing;
}

/** An axis with just these ticks: of a logarithmic one Plot would leave some without a number. */
type Words = (value: number, write: (value: number) => string) => string;
export const ticksX = (ticks: number[], words: Words, label: string) =>
  Plot.axisX(ticks, { text: (value: number) => words(value, format.short), label, labelOffset: 38 } as Plot.AxisXOptions);
export const ticksY = (ticks: number[], words: Words, label: string) => [
  Plot.gridY(ticks), Plot.axisY(ticks, { text: (value: number) => words(value, format.short), label, tickSize: 0 } as Plot.AxisYOptions),
];

/** Kernels that the candidates are compared with, as lines or points of their own. */
export function others(report: Report): (Kernel & { seconds: number })[] {
  return [report.baseline, report.byHand].filter((each): each is Kernel & { seconds: number } => each?.seconds !== undefined);
}

/** The looks of candidates' families. */
export const colourIn = (families: Family[]) => (each: Candidate) => families[each.family]?.colour ?? otherColour;
export const symbolIn = (families: Family[]) => (each: Candidate) => families[each.family]?.symbol ?? otherSymbol;

interface Placed<T> {
  x: (each: T) => number;
  y: ((each: T) => number) | "bottom";
  r: number;
  colour: (each: T) => string;
  symbol: (each: T) => SymbolName;
}

/** Points as a mark of Plot, at coordinates of the data or just above the bottom of the frame. */
export function points<T>(data: T[], { x, y, r, colour, symbol }: Placed<T>): Plot.RenderFunction {
  return (_index, scales, _values, dimensions) => {
    const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
    const paths = new Map<string, string[]>();
    const size = data.length > 1500 ? r * 0.65 : r;
    const bottom = dimensions.height - dimensions.marginBottom - 6;
    for (const each of data) {
      const key = `${colour(each)} ${symbol(each)}`;
      if (!paths.has(key)) paths.set(key, []);
      paths.get(key)!.push(symbolPath(symbol(each), scales.x!(x(each)), y === "bottom" ? bottom : scales.y!(y(each)), size));
    }
    for (const [key, parts] of paths) group.append(path(parts.join(""), { stroke: key.split(" ")[0]!, "stroke-width": "1.2", "stroke-opacity": "0.75" }));
    return group;
  };
}

export const tip = (points: Candidate[], x: (each: Candidate) => number, y: (each: Candidate) => number) =>
  Plot.tip(points, Plot.pointer({ x, y, title: "description", fill: "var(--surface)", stroke: "var(--line)", textPadding: 10, lineWidth: 34 } as Plot.TipOptions));

function best<T extends Candidate>(points: T[], x: (each: T) => number): { x: number; seconds: number }[] {
  const steps: { x: number; seconds: number }[] = [];
  let least = Infinity;
  for (const each of [...points].sort((a, b) => x(a) - x(b))) {
    if (each.seconds !== undefined && each.seconds < least) steps.push({ x: x(each), seconds: (least = each.seconds) });
  }
  return steps;
}

/** The time of the best candidate so far, against `x`. Undefined where fewer than two were measured. */
export function progress(view: View, axis: string, x: (each: Candidate) => number | undefined): Chart | undefined {
  const { report, shown, filtered, width, families } = view;
  const at = (each: Candidate) => x(each)!;
  const placed = report.candidates.filter((each) => x(each) !== undefined);
  const all = placed.filter(isTimed);
  if (all.length < 2) return undefined;
  const visible = shown.filter((each) => x(each) !== undefined);
  const stopped = visible.filter((each) => each.stopped);
  const failed = visible.filter((each) => !isTimed(each) && !each.stopped);
  const timed = visible.filter(isTimed);
  const most = placed.reduce((least, each) => Math.max(least, at(each)), 0);
  const times = all.map((each) => each.seconds).concat(others(report).map((each) => each.seconds));
  const [least, slowest] = range(times, 1.15);
  const domain = [least * (least / slowest) ** 0.09, slowest] as const; // failures stand below the fastest
  const curve = (points: Timed[], options: Plot.LineYOptions) => {
    const steps = best(points, at);
    const last = steps.at(-1);
    return Plot.line(last ? [...steps, { x: most, seconds: last.seconds }] : [], { x: "x", y: "seconds", curve: "step-after", ...options });
  };
  const colour = colourIn(families);
  const symbol = symbolIn(families);
  const steps = best(all, at);
  const label = `Best so far against ${axis}`;
  return {
    drawing: draw(label, {
      width, height: height(width), marginLeft: 58, marginRight: 16, marginTop: 24, marginBottom: 44,
      x: { label: `${axis} →`, labelOffset: 38, domain: [0, most], ticks: Math.max(3, Math.floor(width / 90)), tickFormat: (value: number) => format.grouped(value) },
      y: { type: "log", domain },
      marks: [
        ticksY(format.logTicks(domain[0], domain[1]), format.time, "↑ median time"),
        points(timed, { x: at, y: (each) => each.seconds, r: 2.6, colour, symbol }),
        points(stopped, { x: at, y: "bottom", r: 2.2, colour: () => base, symbol: () => "plus" }),
        points(failed, { x: at, y: "bottom", r: 2.8, colour: () => "var(--bad)", symbol: () => "times" }),
        reference(report),
        filtered ? curve(all, { stroke: base, strokeWidth: 1.5, strokeDasharray: "1 3" }) : null,
        curve(timed, { stroke: accent, strokeWidth: 2.2 }),
        tip(timed, at, (each) => each.seconds!),
      ],
    }),
    words: `${label}: from ${format.time(steps[0]!.seconds)} for the first that worked to ${format.time(steps.at(-1)!.seconds)}, reached at ${format.short(steps.at(-1)!.x)} of ${format.short(most)}; ${format.counted(steps.length - 1, "improvement")}. ` +
      (report.candidates.some((each) => !isTimed(each) && !each.stopped) ? "Crosses at the bottom are candidates that failed. " : "") +
      (report.candidates.some((each) => each.stopped) ? "Grey pluses there were stopped early, as certain to lose." : ""),
  };
}

const dashes = (kernel: Kernel) => (kernel.title === "default" ? "6 3" : "2 3");

/** Horizontal lines for the default and the kernel written by hand. */
function reference(report: Report): Plot.Markish {
  const lines = others(report);
  return [
    lines.map((each) => Plot.ruleY([each], { y: "seconds", stroke: "var(--text)", strokeDasharray: dashes(each), strokeWidth: 1.2 })),
    Plot.text(lines, { y: "seconds", frameAnchor: "right", textAnchor: "end", dy: -7, text: (each: Kernel & { seconds: number }) => `${each.title} ${format.time(each.seconds)}`, fill: "var(--text)", stroke: "var(--page)", strokeWidth: 4 }),
  ];
}

export function range(values: number[], slack: number): [number, number] {
  let [least, most] = [Infinity, 0];
  for (const each of values) [least, most] = [Math.min(least, each), Math.max(most, each)];
  return [least / slack, most * slack];
}

interface Bin {
  from: number;
  to: number;
  low: number;
  high: number;
  colour: string;
}

/** Counts in equal steps of the logarithm; the shown ones are stacked by family, in the families' order. */
function bins(points: Timed[], [least, most]: [number, number], count: number, groupOf: (each: Timed) => string, groups: string[]): Bin[] {
  const step = Math.log(most / least) / count;
  const heights = new Map<string, number>();
  for (const each of points) {
    const index = Math.min(count - 1, Math.max(0, Math.floor(Math.log(each.seconds / least) / step)));
    const key = `${index} ${groupOf(each)}`;
    heights.set(key, (heights.get(key) ?? 0) + 1);
  }
  const found: Bin[] = [];
  for (let index = 0; index < count; ++index) {
    let low = 0;
    for (const colour of groups) {
      const size = heights.get(`${index} ${colour}`) ?? 0;
      if (size > 0) found.push({ from: least * Math.exp(index * step), to: least * Math.exp((index + 1) * step), low, high: (low += size), colour });
    }
  }
  return found;
}

/** How many candidates are how fast. */
export function distribution(view: View): Chart | undefined {
  const { report, shown, width, families, filtered } = view;
  const all = report.candidates.filter(isTimed);
  if (all.length < 2) return undefined;
  const domain = range(all.map((each) => each.seconds).concat(others(report).map((each) => each.seconds)), 1.1);
  const count = Math.round(Math.min(60, Math.max(12, Math.sqrt(all.length) * 2.5, Math.min(width / 14, all.length / 4))));
  const colour = colourIn(families);
  const groups = [...new Set(families.map((each) => each.colour)), otherColour].filter((each, index, every) => every.indexOf(each) === index);
  const timed = shown.filter(isTimed);
  const sorted = all.map((each) => each.seconds).sort((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  const marked = others(report);
  const box = { x1: "from", x2: "to", y1: "low", y2: "high", insetLeft: 0.5, insetRight: 0.5 };
  return {
    drawing: draw("Distribution of the candidates' times", {
      width, height: height(width), marginLeft: 44, marginTop: 24, marginRight: 16, marginBottom: 44,
      x: { type: "log", domain },
      y: { label: "↑ candidates", grid: true, nice: true, ticks: 5 },
      color: { type: "identity" },
      marks: [
        ticksX(format.logTicks(domain[0], domain[1], width / 90), format.time, "median time →"),
        filtered ? Plot.rect(bins(all, domain, count, () => base, [base]), { ...box, fill: "var(--line)" }) : null,
        Plot.rect(bins(timed, domain, count, colour, groups), { ...box, fill: "colour" }),
        Plot.ruleY([0], { stroke: "var(--text)" }),
        marked.map((each) => Plot.ruleX([each], { x: "seconds", stroke: "var(--text)", strokeDasharray: dashes(each) })),
        marked.map((each, index) => Plot.text([each], { x: "seconds", frameAnchor: "top", textAnchor: "start", dx: 4, dy: 14 * index, text: "title", fill: "var(--text)", stroke: "var(--page)", strokeWidth: 4 })),
      ],
    }),
    words: `Times of the ${format.counted(all.length, "candidate")} that worked: the fastest ${format.time(sorted[0]!)}, a tenth within ${format.time(quantile(0.1))}, half within ${format.time(quantile(0.5))}, the slowest ${format.time(sorted.at(-1)!)}. Steps of the axis are logarithmic.`,
  };
}
