// Families of derivations: which there are, and the colour and symbol that stand for them in every chart.
import type { Candidate } from "./data";
import type { SymbolName } from "./symbols";

export interface Family {
  index: number;
  shape: string;
  count: number;
  stopped: number;
  failed: number;
  best?: number;
  colour: string;
  symbol: SymbolName;
}

// Okabe and Ito's colours, told apart by people with any kind of colour vision; each has a symbol too.
const looks: [string, SymbolName][] = [
  ["var(--family-1)", "circle"], ["var(--family-2)", "triangle"], ["var(--family-3)", "square"],
  ["var(--family-4)", "diamond"], ["var(--family-5)", "star"], ["var(--family-6)", "asterisk"],
];
export const otherColour = "var(--family-other)";
export const otherSymbol: SymbolName = "plus";

/** The families with the fastest candidates get a look of their own, all others share one. Numbers the candidates. */
export function findFamilies(candidates: Candidate[]): Family[] {
  const found = new Map<string, Family>();
  for (const each of candidates) {
    let family = found.get(each.shape);
    if (!family) found.set(each.shape, (family = { index: 0, shape: each.shape, count: 0, stopped: 0, failed: 0, colour: otherColour, symbol: otherSymbol }));
    if (each.seconds !== undefined) {
      ++family.count;
      family.best = Math.min(family.best ?? Infinity, each.seconds);
    } else if (each.stopped) {
      ++family.stopped;
    } else {
      ++family.failed;
    }
  }
  const sorted = [...found.values()].sort((a, b) => (a.best ?? Infinity) - (b.best ?? Infinity) || a.shape.localeCompare(b.shape));
  sorted.forEach((family, index) => {
    family.index = index;
    const look = looks[index];
    if (look && family.best !== undefined) [family.colour, family.symbol] = look;
  });
  for (const each of candidates) each.family = found.get(each.shape)!.index;
  return sorted;
}

/** Rules that not all families have: what tells them apart. */
export function distinctive(families: Family[]): (family: Family) => string {
  const rules = families.map((family) => family.shape.split(" · "));
  const shared = new Set((rules[0] ?? []).filter((rule) => rules.every((each) => each.includes(rule))));
  return (family) => family.shape.split(" · ").filter((rule) => !shared.has(rule)).join(" · ") || family.shape;
}
