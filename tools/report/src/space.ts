// Pictures of the space that was searched: how the speeds are distributed, which values the best candidates have, what each
// parameter does alone, and how far the best of one program is the best of others. Each follows the filter as the other charts do.
import * as Plot from "@observablehq/plot";
import { accent, draw, height, isTimed, type Chart, type Timed, type View } from "./charts";
import type { Candidate, Report } from "./data";
import * as format from "./format";

/** The share of the best's speed that a candidate has. */
const shares = (report: Report, shown: Candidate[]) => {
  const all = report.candidates.filter(isTimed);
  const least = all.reduce((found, each) => Math.min(found, each.seconds), Infinity);
  return { all, least, share: (each: Timed) => least / each.seconds, shown: shown.filter(isTimed) };
};
const few = 2;
const axis = (width: number) => ({
  label: "speed, as a share of the best's →", labelOffset: 38, domain: [0, 1] as [number, number], ticks: Math.max(3, Math.floor(width / 90)),
  tickFormat: (value: number) => format.percent(value),
});

/** How many candidates have which share of the best's speed. */
export function speeds(view: View): Chart | undefined {
  const { report, width } = view;
  const { all, share, shown } = shares(report, view.shown);
  if (all.length < few) return undefined;
  const count = 20;
  const bins = Array.from({ length: count }, (_, index) => ({ from: index / count, to: (index + 1) / count, high: 0 }));
  for (const each of shown) ++bins[Math.min(count - 1, Math.floor(share(each) * count))]!.high;
  const within = (least: number) => all.filter((each) => share(each) >= least).length;
  const slow = all.filter((each) => share(each) < 0.1).length;
  const stopped = report.candidates.filter((each) => each.stopped).length;
  const failed = report.candidates.length - all.length - stopped;
  return {
    drawing: draw("Speeds as shares of the best's", {
      width, height: height(width), marginLeft: 44, marginTop: 24, marginRight: 16, marginBottom: 44,
      x: axis(width), y: { label: "↑ candidates", grid: true, nice: true, ticks: 5 },
      marks: [
        Plot.rect(bins.filter((each) => each.high > 0), { x1: "from", x2: "to", y1: 0, y2: "high", insetLeft: 0.5, insetRight: 0.5, fill: accent }),
        Plot.ruleY([0], { stroke: "var(--text)" }),
      ],
    }),
    words: `Of the ${format.counted(all.length, "candidate")} that worked, ${format.grouped(within(0.9))} (${format.percent(within(0.9) / all.length)}) have at least nine tenths of the best's speed, ` +
      `${format.grouped(slow)} (${format.percent(slow / all.length)}) less than a tenth; ${format.grouped(failed)} more did not work${stopped ? ` and ${format.grouped(stopped)} were stopped early` : ""}.`,
  };
}

type Value = string | number;
const valueOf = (each: Candidate, name: string): Value | undefined => {
  const value = each.values[name];
  return typeof value === "number" || typeof value === "string" ? value : undefined;
};
const byValue = (a: Value, b: Value) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));

/** The parameters that took several values, the first of them where there are many. */
function parameters(candidates: Candidate[], dependent: Set<string>): { name: string; values: Value[] }[] {
  const found = new Map<string, Set<Value>>();
  for (const each of candidates) {
    for (const name of Object.keys(each.values)) {
      const value = valueOf(each, name);
      if (value === undefined || dependent.has(name)) continue;
      if (!found.has(name)) found.set(name, new Set());
      found.get(name)!.add(value);
    }
  }
  const mostParameters = 16;
  return [...found].filter(([, values]) => values.size > 1).slice(0, mostParameters).map(([name, values]) => ({ name, values: [...values].sort(byValue) }));
}
const rows = (count: number) => 58 + 26 * count;
const longest = (names: string[]) => Math.min(150, 24 + 7 * names.reduce((most, each) => Math.max(most, each.length), 0));

/** Which values the fastest candidates have: of each parameter, a cell for each value, the darker the more of them have it. */
export function bestValues(view: View): Chart | undefined {
  const { report, width } = view;
  const timed = shares(report, view.shown).shown.sort((a, b) => a.seconds - b.seconds);
  const all = parameters(report.candidates.filter(isTimed), report.dependent);
  if (report.candidates.filter(isTimed).length < few || all.length === 0) return undefined;
  const best = timed.slice(0, Math.min(timed.length, Math.max(5, Math.ceil(timed.length / 20))));
  const mostValues = Math.max(4, Math.floor((width - 150) / 40));
  const cells = all.flatMap(({ name, values }) => {
    const counts = values.map((value) => ({ name, value, share: best.filter((each) => valueOf(each, name) === value).length / Math.max(1, best.length) }));
    // Where there are more values than room, those that the best have.
    const kept = counts.length > mostValues ? [...counts].sort((a, b) => b.share - a.share).slice(0, mostValues).sort((a, b) => byValue(a.value, b.value)) : counts;
    return kept.map((each, place) => ({ ...each, place }));
  });
  const names = all.map((each) => each.name);
  const agreed = names.flatMap((name) => cells.filter((each) => each.name === name && each.share === 1).map((each) => `${name}=${each.value}`));
  return {
    drawing: draw("Values of the fastest candidates", {
      width, height: rows(names.length), marginLeft: longest(names), marginTop: 12, marginRight: 16, marginBottom: 24,
      x: { axis: null, padding: 0.05, domain: Array.from({ length: cells.reduce((most, each) => Math.max(most, each.place + 1), 1) }, (_, place) => place) },
      y: { label: null, domain: names, padding: 0.12, tickSize: 0 },
      marks: [
        Plot.cell(cells, { x: "place", y: "name", fill: accent, fillOpacity: (each: { share: number }) => 0.04 + 0.7 * each.share, stroke: "var(--line)" }),
        Plot.text(cells, { x: "place", y: "name", text: (each: { value: Value }) => (typeof each.value === "number" ? format.short(each.value) : each.value), fill: "var(--text)", stroke: "var(--page)", strokeWidth: 2.5 }),
      ],
    }),
    words: best.length === 0 ? "The filter leaves no candidate that worked." : `The ${format.counted(best.length, "fastest candidate")} of ${format.grouped(timed.length)}: the darker a value, the more of them have it. ` +
      (agreed.length > 0 ? `All have ${format.joined(agreed)}.` : "There is no value that all of them have."),
  };
}

/** What one parameter does while all others have the best candidate's values, as far as that was measured. */
export function alone(view: View): Chart | undefined {
  const { report, width } = view;
  const { all, share, shown } = shares(report, view.shown);
  const best = all.reduce<Timed | undefined>((found, each) => (!found || each.seconds < found.seconds ? each : found), undefined);
  if (!best) return undefined;
  const chosen = (each: Candidate) => Object.keys(each.values).filter((name) => !report.dependent.has(name));
  const names = chosen(best);
  const isOtherwise = (each: Candidate) => each.derivation !== best.derivation && !report.dependent.has("derivation");
  const differs = (each: Candidate) => names.filter((name) => valueOf(each, name) !== valueOf(best, name));
  const neighbours = (candidates: Timed[]) => {
    const found = new Map<string, { name: string; value: Value; share: number; best: boolean }>();
    for (const each of candidates) {
      if (isOtherwise(each) || chosen(each).length !== names.length) continue;
      const [name, ...more] = differs(each);
      const value = name === undefined ? undefined : valueOf(each, name);
      if (name === undefined || value === undefined || more.length > 0 || found.has(`${name} ${value}`)) continue;
      found.set(`${name} ${value}`, { name, value, share: share(each), best: false });
    }
    return [...found.values()];
  };
  const measured = neighbours(all);
  const moved = names.filter((name) => measured.some((each) => each.name === name));
  if (moved.length === 0) return undefined;
  const points = neighbours(shown);
  for (const name of moved) points.push({ name, value: valueOf(best, name)!, share: 1, best: true });
  const spread = moved.map((name) => ({ name, least: measured.filter((each) => each.name === name).reduce((least, each) => Math.min(least, each.share), 1) }));
  const steepest = spread.reduce((a, b) => (b.least < a.least ? b : a));
  return {
    drawing: draw("Each parameter alone", {
      width, height: rows(moved.length) + 22, marginLeft: longest(moved), marginTop: 12, marginRight: 22, marginBottom: 44,
      x: { ...axis(width), grid: true }, y: { label: null, domain: moved, padding: 0.2, tickSize: 0 },
      marks: [
        Plot.ruleY(spread, { y: "name", x1: "least", x2: 1, stroke: "var(--line)", strokeWidth: 2 }),
        Plot.dot(points, { x: "share", y: "name", r: 3.2, fill: (each: { best: boolean }) => (each.best ? accent : "var(--page)"), stroke: accent }),
        Plot.text(points, { x: "share", y: "name", dy: -9, fontSize: 10, text: (each: { value: Value }) => (typeof each.value === "number" ? format.short(each.value) : each.value), fill: "var(--text)", stroke: "var(--page)", strokeWidth: 3 }),
      ],
    }),
    words: `Each parameter with other values, all others as the best candidate has them, from what was measured (${format.counted(measured.length, "candidate")}). ` +
      `${steepest.name} matters most: down to ${format.percent(steepest.least)} of the best's speed.`,
  };
}

/** How fast the best of other programs is here, and the best of this program there. */
export function elsewhere(view: View): Chart | undefined {
  const { report, width } = view;
  const rowsOf = { there: "theirs, here", here: "this one's, there" };
  const points = report.others.flatMap((each) => [
    each.theirsHere !== undefined && { row: rowsOf.there, share: Math.min(1, each.theirsHere), name: each.name },
    each.oursThere !== undefined && { row: rowsOf.here, share: Math.min(1, each.oursThere), name: each.name },
  ]).filter((each): each is { row: string; share: number; name: string } => each !== false);
  if (points.length === 0) return undefined;
  const words = (row: string, what: string) => {
    const found = points.filter((each) => each.row === row).sort((a, b) => a.share - b.share);
    if (found.length === 0) return "";
    const mean = found.reduce((sum, each) => sum + each.share, 0) / found.length;
    return `${what} ${format.percent(mean)} of the best's speed in the mean of ${format.counted(found.length, "program")}, least on ${found[0]!.name} (${found[0]!.share > 0 ? format.percent(found[0]!.share) : "it does not run"}). `;
  };
  return {
    drawing: draw("The best of one program on others", {
      width, height: 150, marginLeft: longest(Object.values(rowsOf)), marginTop: 12, marginRight: 22, marginBottom: 44,
      x: { ...axis(width), grid: true }, y: { label: null, domain: Object.values(rowsOf), tickSize: 0 },
      marks: [Plot.dot(points, { x: "share", y: "row", r: 4, fill: accent, fillOpacity: 0.35, stroke: accent, title: "name", tip: true })],
    }),
    words: words(rowsOf.there, "What is the best of other programs has here") + words(rowsOf.here, "What is the best here has there"),
  };
}
