// The parts of the page that are written once: what it is about, the kernels, the derivation, the space, the environment.
import { bound, fields, isEmpty, summary, text, type Fields, type Kernel, type Report, type Step } from "./data";
import { changedLines, code } from "./code";
import { absent, h, muted, table, type Content } from "./dom";
import * as format from "./format";

export function section(id: string, title: string, ...content: Content[]): HTMLElement {
  return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), content);
}

const sizes = (report: Report) => summary(fields(report.program.sizes));
const backend = (report: Report) => text(report.device.backend) ?? "";

function headline(report: Report): Content[] {
  const { best, baseline, byHand, flops, bytes } = report;
  const worked = report.candidates.filter((each) => each.ok).length;
  const stopped = report.candidates.filter((each) => each.stopped).length;
  const name = text(report.device.name);
  const where: Content[] = name ? [" on ", h("strong", {}, name), backend(report) && ` (${backend(report)})`] : [];
  const what: Content[] = [h("strong", {}, report.name), sizes(report) && ` with ${sizes(report).replaceAll(" ", ", ")}`, where];
  if (!best?.seconds) {
    return [what, `: ${report.candidates.length ? `none of ${format.counted(report.candidates.length, "candidate")} worked` : "nothing has been measured yet"}.`];
  }
  const limit = bound(report);
  const speed = flops && (!limit || !limit.memory) ? format.rate(flops / best.seconds) : bytes ? format.bandwidth(bytes / best.seconds) : undefined;
  const share = limit && flops ? `${format.percent(flops / best.seconds / limit.rate)} of ${limit.memory ? "the copy bandwidth" : `the ${limit.roof.name} ceiling`} that was measured there` : undefined;
  const against = [baseline?.seconds && `${format.times(baseline.seconds / best.seconds)} as fast as the default`, byHand?.seconds && `${format.times(byHand.seconds / best.seconds)} as fast as the kernel by hand`].filter(Boolean) as string[];
  return [
    what, ": the best kernel takes ", h("strong", {}, format.time(best.seconds)),
    speed && [", ", h("strong", {}, speed)], share && `, ${share}`,
    against.length > 0 && [", ", h("strong", {}, against[0]!), against[1] && ` and ${against[1]}`],
    report.candidates.length > 0 && `. It was found among ${format.counted(report.candidates.length, "candidate")} tried, ${format.grouped(worked)} of which worked`,
    stopped > 0 && ` and ${format.grouped(stopped)} were stopped early, as certain to lose`, ".",
  ];
}

function tiles(report: Report): [string, string, string | undefined][] {
  const { best, baseline, byHand, flops, bytes, run } = report;
  const found: [string, string, string | undefined][] = [];
  const seconds = best?.seconds;
  const limit = bound(report);
  if (seconds) found.push(["Best kernel", format.time(seconds), best?.id && `candidate ${best.id}`]);
  const share = seconds && flops && limit ? `${format.percent(flops / seconds / limit.rate)} of ` : "";
  if (seconds && flops) found.push(["Operations", format.rate(flops / seconds), limit && !limit.memory ? `${share}the ${format.rate(limit.roof.value)} measured` : undefined]);
  if (seconds && bytes) found.push(["Data of the program", format.bandwidth(bytes / seconds), limit?.memory ? `${share}the ${format.bandwidth(limit.roof.value)} measured` : undefined]);
  if (seconds && baseline?.seconds) found.push(["Against the default", format.times(baseline.seconds / seconds), `default: ${format.time(baseline.seconds)}`]);
  if (seconds && byHand?.seconds) found.push(["Against by hand", format.times(byHand.seconds / seconds), `by hand: ${format.time(byHand.seconds)}`]);
  const wall = typeof run.wall_seconds === "number" ? run.wall_seconds : undefined;
  if (report.candidates.length) found.push(["Candidates tried", format.grouped(report.candidates.length), wall === undefined ? undefined : `in ${format.time(wall)}`]);
  return found;
}

export function header(report: Report): HTMLElement {
  const made = report.made && `${report.made.replace("T", " ").replace(/(:\d\d)(\.\d+)?Z$/, "$1 UTC")}`;
  const version = text(report.hoist.version);
  const commit = text(report.hoist.commit);
  return h("header", {},
    h("p", { class: "kicker" }, "Hoist tuning report", made && [" · ", made], version && ` · Hoist ${version}${commit ? ` (${commit.slice(0, 12)})` : ""}`),
    h("h1", {}, report.name, sizes(report) && [" ", h("span", { class: "sizes" }, sizes(report))]),
    h("p", { class: "headline" }, headline(report)),
    h("dl", { class: "tiles" }, tiles(report).map(([name, value, note]) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, value), note && h("dd", { class: "note" }, note)))));
}

export function program(report: Report): HTMLElement {
  const source = text(report.program.text);
  const facts = [
    sizes(report) && `Sizes: ${sizes(report).replaceAll(" ", ", ")}`,
    report.flops && `${format.grouped(report.flops)} operations`,
    report.bytes && `${format.bytes(report.bytes)} to read and write at least`,
    report.flops && report.bytes && `${format.short(report.flops / report.bytes)} operations a byte`,
  ].filter(Boolean).join(" · ");
  return section("program", "The program", facts && h("p", { class: "muted" }, facts),
    source ? code(source, "hoist", "The program's text") : absent("The run did not keep the program's text."));
}

const isHoist = (language: string | undefined) => /^(hoist|term|low)$/i.test(language ?? "");

function properties(values: Fields): Content {
  return h("dl", { class: "properties" }, Object.entries(values).map(([name, value]) =>
    h("div", {}, h("dt", {}, name.replaceAll("_", " ")), h("dd", {}, typeof value === "number" ? format.grouped(value) : typeof value === "object" ? JSON.stringify(value) : String(value)))));
}

function pane(kernel: Kernel): HTMLElement {
  const title = kernel.title === "best" ? "The best kernel" : kernel.title === "default" ? "The default kernel" : "The kernel by hand";
  const launches = kernel.launch.map((each) => `${each.kernel}: ${each.global} work-items in groups of ${each.local}`);
  return h("article", { class: "pane" },
    h("h3", {}, title, kernel.seconds !== undefined && muted(` ${format.time(kernel.seconds)}`), kernel.language && muted(` · ${kernel.language}`)),
    !isEmpty(kernel.values) && properties(kernel.values),
    !isEmpty(kernel.facts) && properties(kernel.facts),
    launches.length > 0 && h("ul", { class: "launches" }, launches.map((each) => h("li", {}, each))),
    kernel.source ? code(kernel.source, isHoist(kernel.language) ? "hoist" : "c", `Source of ${title.toLowerCase()}`) : absent("Its source was not kept."));
}

export function kernels(report: Report): HTMLElement {
  const found = [report.best, report.baseline, report.byHand].filter((each): each is Kernel => each !== undefined);
  const missing = [!report.best && "no candidate worked", !report.baseline && "the default was not measured"].filter(Boolean) as string[];
  return section("kernels", "The best kernel beside the default",
    missing.length > 0 && absent(`Not everything is here: ${format.joined(missing)}.`),
    h("div", { class: "panes" }, found.filter((each) => each.title !== "by hand").map(pane)),
    report.byHand && h("details", {}, h("summary", {}, "The kernel by hand"), pane(report.byHand)));
}

function step(current: Step, before: string | undefined, number: number): HTMLElement {
  const change = current.term !== undefined && before !== undefined ? changedLines(before, current.term) : undefined;
  const counts = change && muted(` +${change.added.size} −${change.removed} lines`);
  const begins = current.rule === "program";
  return h("li", {}, h("details", { class: "step" },
    h("summary", {}, h("span", { class: "step-number" }, begins ? "" : `${number}. `), h("code", {}, begins ? "the program" : current.rule),
      current.place && muted(` at ${current.place}`), counts),
    current.term !== undefined ? code(current.term, "hoist", `The term after ${current.rule}`, change?.added) : absent("The term after this step was not kept.")));
}

export function derivation(report: Report): HTMLElement {
  const steps = report.best?.derivation ?? [];
  if (steps.length === 0) {
    return section("derivation", "How the best kernel is derived", absent(report.best ? "The run did not keep the steps of the best kernel's derivation." : "There is no best kernel to derive."));
  }
  const offset = steps[0]!.rule === "program" ? 0 : 1;
  const items = steps.map((each, index) => step(each, index > 0 ? steps[index - 1]!.term : undefined, index + offset));
  items.at(-1)!.querySelector("details")!.open = true;
  const all = h("button", { type: "button", click: () => {
    const details = items.map((each) => each.querySelector("details")!);
    const open = details.some((each) => !each.open);
    details.forEach((each) => (each.open = open));
    all.textContent = open ? "Close all steps" : "Open all steps";
  } }, "Open all steps");
  return section("derivation", "How the best kernel is derived",
    h("p", {}, "Each step is an equation applied at a place of the term, so what follows computes the same as the program. Marked lines are new in that step. ", all),
    h("ol", { class: "steps" }, items));
}

export function funnel(report: Report): HTMLElement {
  if (report.funnel.length === 0) return section("space", "The space of candidates", absent("The run did not record how its candidates were derived."));
  const most = Math.max(2, ...report.funnel.map((each) => each.count ?? 0));
  const share = (count: number) => (Math.log10(count + 1) / Math.log10(most + 1)) * 100;
  return section("space", "The space of candidates",
    table("What each stage of deriving gave; bars are logarithmic", ["Stage", "Left", "", "Discarded there"], report.funnel.map((each) => [
      each.stage,
      each.count === undefined ? "" : format.grouped(each.count),
      each.count !== undefined && h("span", { class: "bar", style: `width:${share(each.count).toFixed(1)}%`, "aria-hidden": "true" }),
      each.discarded.length > 0 && h("ul", {}, each.discarded.map((one) => h("li", {}, one.count !== undefined && `${format.grouped(one.count)} `, one.reason))),
    ]), [1]));
}

export function environment(report: Report): HTMLElement {
  const row = ([name, value]: [string, unknown]): Content[] => [name.replaceAll("_", " "), typeof value === "object" ? JSON.stringify(value) : String(value)];
  const part = (title: string, values: Fields, why: string) =>
    h("div", {}, isEmpty(values) ? [h("h3", {}, title), absent(why)] : table(title, ["Name", "Value"], Object.entries(values).map(row)));
  return section("environment", "The run and its environment", h("div", { class: "panes thirds" },
    part("The run", report.run, "The run's settings were not recorded."),
    part("The device", report.device, "The device was not recorded."),
    part("The environment", report.environment, "The environment was not recorded.")),
    report.ceilingNotes.length > 0 && [h("h3", {}, "How the ceilings were measured"), h("ul", {}, report.ceilingNotes.map((each) => h("li", {}, each)))]);
}
