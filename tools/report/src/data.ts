// The report's data as docs/report.md describes them. Every part may be absent, and whatever has another type than the
// one expected counts as absent.
import * as format from "./format";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Fields = { [key: string]: Json };

export const fields = (value: Json | undefined): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
export const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
export const number = (value: Json | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
export const positive = (value: Json | undefined): number | undefined => {
  const found = number(value);
  return found !== undefined && found > 0 ? found : undefined;
};
export const text = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;
export const isEmpty = (value: Fields): boolean => Object.keys(value).length === 0;

export interface Step {
  rule: string;
  place?: string;
  term?: string;
}

/** A kernel that is shown with its source: the best one, the default, one written by hand. */
export interface Kernel {
  title: string;
  id?: string;
  seconds?: number;
  source?: string;
  language?: string;
  values: Fields;
  facts: Fields;
  launch: { kernel: string; global: string; local: string }[];
  derivation: Step[];
}

export interface Candidate {
  id: string;
  order: number;
  when?: number;
  outcome: string;
  ok: boolean;
  /** Right, but so slow beside the best that it was not timed to the end: neither a time nor a failure. */
  stopped: boolean;
  message?: string;
  seconds?: number;
  values: Fields;
  facts: Fields;
  derivation: string;
  strategy?: string;
  /** Rules of the derivation without their arguments: candidates that share them are a family. */
  shape: string;
  family: number;
  /** Operations a byte and operations a second, where both are known. */
  intensity?: number;
  rate?: number;
  /** What is said of it where it is pointed at. */
  description: string;
  /** What a filter's words are looked for in. */
  words: string;
}

export interface Roof {
  name: string;
  value: number;
}

/** Another program that was tuned on the same device, with the same parameters. Shares of a best's speed, 0 where it does not run. */
export interface Other {
  name: string;
  theirsHere?: number;
  oursThere?: number;
}

export interface Report {
  hoist: Fields;
  made?: string;
  name: string;
  program: Fields;
  flops?: number;
  bytes?: number;
  precision: string;
  device: Fields;
  environment: Fields;
  run: Fields;
  funnel: { stage: string; count?: number; discarded: { reason: string; count?: number }[] }[];
  bandwidths: Roof[];
  computes: Roof[];
  ceilingNotes: string[];
  best?: Kernel;
  baseline?: Kernel;
  byHand?: Kernel;
  candidates: Candidate[];
  others: Other[];
  /** Names of values that follow from the others, and "derivation" where that does. */
  dependent: Set<string>;
}

export function summary(values: Fields): string {
  return Object.entries(values).map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`).join(" ");
}

const threeSizes = (value: Json | undefined) => list(value).map((each) => text(each) ?? "?").join(" × ");

function kernel(value: Json | undefined, title: string): Kernel | undefined {
  const given = fields(value);
  if (isEmpty(given)) return undefined;
  return {
    title,
    id: text(given.id),
    seconds: positive(given.median_seconds),
    source: text(given.source),
    language: text(given.language),
    values: fields(given.values),
    facts: fields(given.facts),
    launch: list(given.launch).map(fields).map((each) => ({
      kernel: text(each.kernel) ?? "", global: threeSizes(each.global), local: threeSizes(each.local),
    })),
    derivation: list(given.derivation).map(fields).map((each) => ({
      rule: text(each.rule) ?? "?", place: text(each.place), term: text(each.term),
    })),
  };
}

/** `tile(2,[?a,?b]); map; toLocal(1,0); toLocal(0,1)` has the shape `tile · map · toLocal ×2`. */
export function shapeOf(derivation: string): string {
  const rules = derivation.split(";").map((step) => step.replace(/\(.*$/s, "").replace(/ at .*$/s, "").trim()).filter(Boolean);
  const counts = new Map<string, number>();
  for (const rule of rules) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts].map(([rule, count]) => (count > 1 ? `${rule} ×${count}` : rule)).join(" · ") || "no rules";
}

function describe(each: Candidate): string {
  const rate = each.rate ? `, ${format.rate(each.rate)}` : "";
  return [
    `${each.id}: ${each.seconds ? format.time(each.seconds) + rate : each.outcome}`,
    summary(each.values),
    each.derivation.split(/;\s*/).join("\n"),
  ].filter(Boolean).join("\n");
}

function candidate(value: Json, index: number, program: { flops?: number; bytes?: number }): Candidate {
  const given = fields(value);
  const outcome = text(given.outcome) ?? "ok";
  const seconds = positive(given.median_seconds);
  const ok = outcome === "ok" && seconds !== undefined;
  const flops = positive(given.flops) ?? program.flops;
  const bytes = positive(given.bytes) ?? program.bytes;
  const derivation = text(given.derivation)?.replace(/;\s*$/, "") ?? "";
  const made: Candidate = {
    id: text(given.id) ?? `#${index}`,
    order: number(given.order) ?? index,
    when: number(given.when_seconds),
    outcome,
    ok,
    stopped: outcome === "stopped early",
    message: text(given.message),
    seconds: ok ? seconds : undefined,
    values: fields(given.values),
    facts: fields(given.facts),
    derivation,
    strategy: text(given.strategy),
    shape: shapeOf(derivation),
    family: -1,
    intensity: flops && bytes ? flops / bytes : undefined,
    rate: ok && flops && seconds ? flops / seconds : undefined,
    description: "",
    words: "",
  };
  made.description = describe(made);
  made.words = [made.id, made.outcome, made.message, made.strategy, derivation, summary(made.values)].join(" ").toLowerCase();
  return made;
}

/** Ceilings by their names: `copy_gb_s` is a bandwidth in GB/s, `flops_f32` operations a second. */
function roofs(ceilings: Fields): { bandwidths: Roof[]; computes: Roof[] } {
  const bandwidths: Roof[] = [];
  const computes: Roof[] = [];
  for (const [key, value] of Object.entries(ceilings)) {
    const found = positive(value);
    if (found === undefined) continue;
    if (key.endsWith("_gb_s")) bandwidths.push({ name: key.slice(0, -5).replaceAll("_", " "), value: found * 1e9 });
    if (key.startsWith("flops_")) computes.push({ name: key.slice(6).replaceAll("_", " "), value: found });
  }
  return { bandwidths, computes };
}

function other(value: Json): Other {
  const given = fields(value);
  const share = (each: Json | undefined) => {
    const found = number(each);
    return found !== undefined && found >= 0 ? found : undefined;
  };
  const sizes = summary(fields(given.sizes));
  return { name: `${text(given.program) ?? "?"}${sizes && ` ${sizes}`}`, theirsHere: share(given.their_best_here), oursThere: share(given.best_there) };
}

export function read(data: Json): Report {
  const all = fields(data);
  const program = fields(all.program);
  const work = { flops: positive(program.flops), bytes: positive(program.bytes) };
  const ceilings = fields(all.ceilings);
  return {
    hoist: fields(all.hoist),
    made: text(all.made),
    name: text(program.name) ?? "a program without a name",
    program,
    ...work,
    precision: text(program.precision) ?? "f32",
    device: fields(all.device),
    environment: fields(all.environment),
    run: fields(all.run),
    funnel: list(all.funnel).map(fields).map((each) => ({
      stage: text(each.stage) ?? "?",
      count: number(each.count),
      discarded: list(each.discarded).map(fields).map((one) => ({ reason: text(one.reason) ?? "?", count: number(one.count) })),
    })),
    ...roofs(ceilings),
    ceilingNotes: list(ceilings.notes).map((each) => text(each) ?? "").filter(Boolean),
    best: kernel(all.best, "best"),
    baseline: kernel(all.baseline, "default"),
    byHand: kernel(all.by_hand, "by hand"),
    candidates: list(all.evaluations).map((each, index) => candidate(each, index + 1, work)).sort((a, b) => a.order - b.order),
    others: list(all.others).map(other),
    dependent: new Set(list(all.dependent_values).map((each) => text(each) ?? "")),
  };
}

/** What limits the program on this device: operations a second that its intensity allows, and which ceiling that is. */
export function bound(report: Report): { rate: number; memory: boolean; roof: Roof } | undefined {
  const copy = report.bandwidths.find((each) => each.name === "copy");
  const compute = report.computes.find((each) => each.name === report.precision);
  const { flops, bytes } = report;
  if (!flops || !bytes) return undefined;
  const byMemory = copy ? (copy.value * flops) / bytes : Infinity;
  const byCompute = compute ? compute.value : Infinity;
  if (copy && byMemory <= byCompute) return { rate: byMemory, memory: true, roof: copy };
  return compute ? { rate: byCompute, memory: false, roof: compute } : undefined;
}
