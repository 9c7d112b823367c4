// The filter of candidates: words that all must be found, `-word` that must not, and comparisons such as `t=64`,
// `registers<=128`, `time<100us` or `family=2`.
import { number, type Candidate, type Json } from "./data";

const comparison = /^([\w.]+)(<=|>=|!=|<|>|=)(.+)$/;
const seconds: Record<string, number> = { ns: 1e-9, us: 1e-6, "µs": 1e-6, ms: 1e-3, s: 1 };

function valueOf(candidate: Candidate, name: string): Json | undefined {
  if (name === "time") return candidate.seconds ?? null;
  if (name === "family") return candidate.family + 1;
  if (name === "outcome") return candidate.outcome.toLowerCase();
  if (name === "order") return candidate.order;
  return [candidate.values, candidate.facts].map((each) =>
    Object.entries(each).find(([key]) => key.toLowerCase() === name)?.[1]).find((each) => each !== undefined);
}

function wanted(given: string): number {
  const match = /^([\d.eE+-]+?)(ns|us|µs|ms|s)?$/.exec(given);
  return match ? Number(match[1]) * (match[2] ? seconds[match[2]]! : 1) : NaN;
}

function compare(value: Json | undefined, operator: string, given: string): boolean {
  if (value === undefined || value === null) return operator === "!=";
  const left = number(value);
  const right = wanted(given);
  if (left === undefined || Number.isNaN(right)) {
    const same = String(value).toLowerCase() === given.replaceAll("_", " ");
    return operator === "=" ? same : operator === "!=" && !same;
  }
  switch (operator) {
    case "<": return left < right;
    case "<=": return left <= right;
    case ">": return left > right;
    case ">=": return left >= right;
    case "!=": return left !== right;
    default: return left === right;
  }
}

export function parseFilter(query: string): (candidate: Candidate) => boolean {
  const tests = query.toLowerCase().split(/\s+/).filter(Boolean).map((word) => {
    const negated = word.length > 1 && word.startsWith("-");
    const term = negated ? word.slice(1) : word;
    const parts = comparison.exec(term);
    const holds = parts
      ? (candidate: Candidate) => compare(valueOf(candidate, parts[1]!), parts[2]!, parts[3]!)
      : (candidate: Candidate) => candidate.words.includes(term);
    return negated ? (candidate: Candidate) => !holds(candidate) : holds;
  });
  return (candidate) => tests.every((test) => test(candidate));
}
