// What was measured: the filter, the charts, the families, the table of candidates and the failures. All follow the filter.
import { bound, summary, type Candidate, type Report } from "./data";
import { distribution, progress, type Chart, type View } from "./charts";
import { absent, h, muted, table, type Content } from "./dom";
import { distinctive, findFamilies, type Family } from "./families";
import { parseFilter } from "./filter";
import * as format from "./format";
import { roofline } from "./roofline";
import { section } from "./sections";
import { alone, bestValues, elsewhere, speeds } from "./space";
import { path, symbolPath } from "./symbols";

const rowsAtOnce = 50;

interface Slot {
  title: string;
  draw: (view: View) => Chart | undefined;
  missing: (report: Report) => string;
  place: HTMLElement;
}

function slots(report: Report): Slot[] {
  const place = () => h("figure", { class: "chart" });
  const few = () => `Fewer than two candidates worked${report.candidates.length ? "" : ": none is recorded"}.`;
  return [
    { title: "Best so far, by candidates tried", place: place(), missing: few, draw: (view) => progress(view, "candidates tried", (each) => each.order) },
    { title: "Best so far, by time", place: place(), draw: (view) => progress(view, "seconds since the start", (each) => each.when),
      missing: () => (report.candidates.some((each) => each.when !== undefined) ? few() : "When candidates were measured was not recorded.") },
    { title: "How fast the candidates are", place: place(), missing: few, draw: distribution },
    { title: "Under the device's ceilings", place: place(), draw: roofline, missing: whyNoRoofline },
    { title: "How much of the best's speed they have", place: place(), missing: few, draw: speeds },
    { title: "Which values the fastest have", place: place(), draw: bestValues, missing: () => "There are no tuning parameters that took several values." },
    { title: "Each parameter alone", place: place(), draw: alone, missing: () => "No candidate was measured that differs from the best in one parameter only." },
    { title: "The best of one program on others", place: place(), draw: elsewhere, missing: () => "The store has no other program that was tuned on this device with the same parameters." },
  ];
}

function whyNoRoofline(report: Report): string {
  if (!report.flops) return "There is no roofline: the program's operations were not counted, or it has none.";
  if (!report.bytes) return "There is no roofline: the bytes that the program must move are not known.";
  if (!bound(report)) return `There is no roofline: the device's ceilings (copy, ${report.precision}) were not measured.`;
  return "There is no roofline: no candidate worked.";
}

function symbol(family: Family): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "-7 -7 14 14");
  svg.setAttribute("class", "symbol");
  svg.setAttribute("aria-hidden", "true");
  svg.append(path(symbolPath(family.symbol, 0, 0, 4.2), { style: `stroke:${family.colour}`, "stroke-width": "1.8" }));
  return svg;
}

type Column = { name: string; title: string; numeric: boolean; value: (each: Candidate) => number | string | undefined; cell: (each: Candidate) => Content };

function columns(report: Report, families: Family[]): Column[] {
  const limit = bound(report);
  const facts = new Map<string, number>();
  for (const each of report.candidates) for (const [key, value] of Object.entries(each.facts)) if (typeof value !== "object") facts.set(key, (facts.get(key) ?? 0) + 1);
  const factColumns = [...facts].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([key]): Column => ({
    name: key, title: key.replaceAll("_", " "), numeric: true,
    value: (each) => each.facts[key] as number | string | undefined,
    cell: (each) => (typeof each.facts[key] === "number" ? format.grouped(each.facts[key]) : each.facts[key] === undefined ? "" : String(each.facts[key])),
  }));
  const found: (Column | false)[] = [
    { name: "order", title: "Tried", numeric: true, value: (each) => each.order, cell: (each) => format.grouped(each.order) },
    { name: "id", title: "Candidate", numeric: false, value: (each) => each.id, cell: (each) => [families[each.family] && symbol(families[each.family]!), each.id] },
    { name: "time", title: "Time", numeric: true, value: (each) => each.seconds, cell: (each) => (each.seconds ? format.time(each.seconds) : h("span", { class: each.stopped ? "muted" : "bad", title: each.message }, each.outcome)) },
    report.baseline?.seconds !== undefined && { name: "default", title: "Default ÷ time", numeric: true, value: (each) => each.seconds && report.baseline!.seconds! / each.seconds, cell: (each) => each.seconds && format.times(report.baseline!.seconds! / each.seconds) || "" },
    limit !== undefined && { name: "share", title: "Of ceiling", numeric: true, value: (each) => each.rate && each.rate / limit.rate, cell: (each) => each.rate && format.percent(each.rate / limit.rate) || "" },
    { name: "values", title: "Values", numeric: false, value: (each) => summary(each.values), cell: (each) => h("code", {}, summary(each.values)) },
    ...factColumns,
    report.candidates.some((each) => each.strategy) && { name: "strategy", title: "Found by", numeric: false, value: (each) => each.strategy, cell: (each) => each.strategy ?? "" },
    { name: "family", title: "Derivation", numeric: false, value: (each) => each.family, cell: (each) => [h("span", { class: "screen" }, each.derivation || "no rules"), h("span", { class: "paper" }, `family ${each.family + 1}`)] },
  ];
  return found.filter((each): each is Column => each !== false);
}

/** The candidates as rows, in an order that a click on a head changes; so many at a time that thousands are no burden. */
class Rows {
  readonly element: HTMLElement;
  private readonly body = h("tbody");
  private readonly note = h("p", { class: "muted screen", "aria-live": "polite" });
  private readonly more = h("button", { type: "button", click: () => { this.limit += rowsAtOnce * 4; this.fill(); } }, "Show more");
  private readonly heads: HTMLElement[];
  private shown: Candidate[] = [];
  private limit = rowsAtOnce;
  private sort: { column: Column; ascending: boolean };

  constructor(private readonly all: Column[]) {
    this.sort = { column: all.find((each) => each.name === "time")!, ascending: true };
    this.heads = all.map((column) => h("th", { scope: "col", class: column.numeric ? "number" : undefined },
      h("button", { type: "button", class: "sort", click: () => this.sortBy(column) }, column.title)));
    this.element = h("div", {}, this.note,
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Candidates" },
        h("table", { class: "candidates" }, h("caption", { class: "hidden" }, "Candidates that were tried"), h("thead", {}, h("tr", {}, this.heads)), this.body)),
      this.more);
  }

  show(shown: Candidate[]): void {
    this.shown = [...shown];
    this.limit = rowsAtOnce;
    this.fill();
  }

  private sortBy(column: Column): void {
    this.sort = { column, ascending: this.sort.column === column ? !this.sort.ascending : true };
    this.fill();
  }

  private fill(): void {
    const { column, ascending } = this.sort;
    const compare = (a: Candidate, b: Candidate) => {
      const [left, right] = [column.value(a), column.value(b)];
      if (left === right) return a.order - b.order;
      if (left === undefined || right === undefined) return left === undefined ? 1 : -1; // what has no value comes last
      const order = typeof left === "number" && typeof right === "number" ? left - right : String(left).localeCompare(String(right));
      return ascending ? order : -order;
    };
    this.shown.sort(compare);
    const part = this.shown.slice(0, this.limit);
    this.body.replaceChildren(...part.map((each) => h("tr", {}, this.all.map((one) =>
      one.name === "id" ? h("th", { scope: "row" }, one.cell(each)) : h("td", { class: one.numeric ? "number" : undefined }, one.cell(each))))));
    this.heads.forEach((head, index) => {
      if (this.all[index] === column) head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    this.note.textContent = part.length < this.shown.length ? `The first ${format.grouped(part.length)} of ${format.counted(this.shown.length, "candidate")}.` : "";
    this.more.hidden = part.length >= this.shown.length;
  }
}

/** Numbers aside, equal messages are one: how often each, and which candidates. */
function failures(shown: Candidate[], total: number, setFilter: (query: string) => void): Content {
  const failed = shown.filter((each) => !each.ok && !each.stopped);
  if (failed.length === 0) return absent(total === 0 ? "Nothing was tried." : "None of these candidates failed.");
  const outcomes = new Map<string, Map<string, Candidate[]>>();
  for (const each of failed) {
    const messages = outcomes.get(each.outcome) ?? new Map<string, Candidate[]>();
    outcomes.set(each.outcome, messages);
    const key = (each.message ?? "").replace(/0x[\da-f]+|\d+/gi, "#");
    messages.set(key, [...(messages.get(key) ?? []), each]);
  }
  const size = (messages: Map<string, Candidate[]>) => [...messages.values()].reduce((sum, each) => sum + each.length, 0);
  const rows = [...outcomes].sort((a, b) => size(b[1]) - size(a[1])).map(([outcome, messages]): Content[] => [
    h("button", { type: "button", class: "link", click: () => setFilter(`outcome=${outcome.replaceAll(" ", "_")}`) }, outcome),
    format.grouped(size(messages)),
    h("ul", {}, [...messages.values()].sort((a, b) => b.length - a.length).slice(0, 6).map((each) => h("li", {},
      each.length > 1 && h("strong", {}, `${format.grouped(each.length)}× `), each[0]!.message ?? "no message",
      muted(` (${each.slice(0, 3).map((one) => one.id).join(", ")}${each.length > 3 ? ", …" : ""})`))),
      messages.size > 6 && h("li", {}, `and ${messages.size - 6} other messages`)),
  ]);
  return table(`${format.counted(failed.length, "candidate")} failed; a message's numbers may differ between candidates`, ["Outcome", "Count", "Messages"], rows, [1]);
}

/** Candidates that are no failures, and have no time that could be compared. */
function stoppedEarly(shown: Candidate[], setFilter: (query: string) => void): Content {
  const count = shown.filter((each) => each.stopped).length;
  if (count === 0) return false;
  return h("p", {}, h("button", { type: "button", class: "link", click: () => setFilter("outcome=stopped_early") }, format.counted(count, "candidate")),
    " more gave the right result, but so slowly that timing was stopped early: certain to lose, but no failure.");
}

function familyTable(families: Family[], setFilter: (query: string) => void): Content {
  const named = distinctive(families);
  const rows = families.map((family): Content[] => [
    h("button", { type: "button", class: "link family", title: `Only family ${family.index + 1}`, click: () => setFilter(`family=${family.index + 1}`) }, symbol(family), String(family.index + 1)),
    family.best === undefined ? "" : format.time(family.best), format.grouped(family.count), family.stopped ? format.grouped(family.stopped) : "", family.failed ? format.grouped(family.failed) : "", named(family),
  ]);
  const heads = ["Family", "Best", "Worked", "Stopped early", "Failed", "Rules"];
  const shownRows = 6;
  const shared = families.length > 1 ? "rules that all have are left out" : "one for all";
  return [
    table(`Families: candidates derived by the same rules (${shared})`, heads, rows.slice(0, shownRows), [1, 2, 3, 4]),
    rows.length > shownRows && h("details", { class: "screen" }, h("summary", {}, `${rows.length - shownRows} more families, drawn as grey pluses`), table("The other families", heads, rows.slice(shownRows), [1, 2, 3, 4])),
  ];
}

export interface Candidates {
  element: HTMLElement;
  /** Shows what the query leaves; returns how many charts were drawn. */
  filter: (query: string) => void;
  redraw: (width?: number) => void;
  state: () => { charts: number; shown: number };
}

export function candidates(report: Report): Candidates {
  const families = findFamilies(report.candidates);
  const charts = slots(report);
  const rows = new Rows(columns(report, families));
  const failed = h("div", { id: "failures" });
  const count = h("output", { for: "filter", "aria-live": "polite" });
  const input = h("input", { id: "filter", type: "search", autocomplete: "off", spellcheck: "false", placeholder: "prefetch t=64 time<100us", "aria-describedby": "filter-help" });
  let shown = report.candidates;
  let drawn = 0;

  const redraw = (width?: number) => {
    drawn = 0;
    for (const slot of charts) {
      const wide = width ?? slot.place.clientWidth;
      const chart = slot.draw({ report, families, shown, filtered: shown.length < report.candidates.length, width: Math.max(280, wide || 640) });
      if (chart) ++drawn;
      slot.place.replaceChildren(h("h3", {}, slot.title), ...(chart ? [chart.drawing, h("figcaption", {}, chart.words)] : [absent(slot.missing(report))]));
    }
  };
  const apply = (query: string) => {
    const keep = parseFilter(query);
    shown = report.candidates.filter(keep);
    count.textContent = `${format.grouped(shown.length)} of ${format.counted(report.candidates.length, "candidate")}`;
    redraw();
    rows.show(shown);
    failed.replaceChildren(h("div", {}, failures(shown, report.candidates.length, setFilter), stoppedEarly(shown, setFilter)));
  };
  const setFilter = (query: string) => {
    input.value = query;
    history.replaceState(null, "", query ? `#filter=${encodeURIComponent(query)}` : " ");
    apply(query);
  };
  let pending: ReturnType<typeof setTimeout> | undefined;
  input.addEventListener("input", () => {
    clearTimeout(pending);
    pending = setTimeout(() => setFilter(input.value), 120);
  });

  const bar = h("form", { class: "filter", role: "search", submit: (event) => event.preventDefault() },
    h("label", { for: "filter" }, "Filter candidates"), input, count);
  const help = h("p", { id: "filter-help", class: "muted small" }, "Words of the derivation, the values, the outcome or the message; ", h("code", {}, "-word"), " leaves out; ",
    h("code", {}, "t=64"), ", ", h("code", {}, "time<100us"), ", ", h("code", {}, "outcome=ok"), " and ", h("code", {}, "family=1"), " compare. Charts, table and failures follow.");
  const none = report.candidates.length === 0;
  return {
    element: h("div", { class: "measured" }, !none && bar,
      section("measurements", "What was measured", !none && help, h("div", { class: "charts" }, charts.map((each) => each.place)), !none && familyTable(families, setFilter)),
      section("candidates", "The candidates", none ? absent("No candidate is recorded.") : rows.element),
      section("failed", "What failed", failed)),
    filter: (query) => {
      input.value = query;
      apply(query);
    },
    redraw,
    state: () => ({ charts: drawn, shown: shown.length }),
  };
}
