// Source text: highlighted, and compared line by line.
import { h } from "./dom";

const cWords = "alignas auto bool break case const constexpr continue default do double else extern false float for half if inline int long namespace return short signed sizeof static struct switch template true typedef typename unsigned using void volatile while asm char size_t uint";
const cMarks = "kernel __kernel global __global local __local private __private constant __constant __global__ __device__ __shared__ __restrict__ restrict __launch_bounds__ __attribute__ __align__ __syncthreads barrier";
const hoistWords = "def let in if then else type";
const words = {
  c: [new Set(cWords.split(" ")), new Set(cMarks.split(" "))],
  hoist: [new Set(hoistWords.split(" ")), new Set(["mapGlb", "mapWrg", "mapLcl", "mapSeq", "reduceSeq", "toLocal", "toPrivate", "toGlobal"])],
} as const;

const token = /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|("(?:\\.|[^"\\\n])*"?)|(^[ \t]*#[^\n]*)|(\?[A-Za-z_]\w*)|((?:\d[\w.]*|\.\d[\w.]*)(?:[eE][+-]?\d+\w*)?)|([A-Za-z_]\w*)|(=>|\|>)/gm;
const kinds = ["comment", "string", "directive", "hole", "literal", "word", "arrow"];

/** The text in pieces, each with the class that colours it, if any. */
export function tokens(source: string, language: "c" | "hoist"): [string, string | undefined][] {
  const found: [string, string | undefined][] = [];
  const [keywords, marks] = words[language];
  let end = 0;
  for (const match of source.matchAll(token)) {
    let kind: string | undefined = kinds[match.slice(1).findIndex((each) => each !== undefined)];
    if (kind === "word") {
      const after = source.charAt(match.index + match[0].length);
      kind = keywords.has(match[0]) || /^(?:float|int|uint|double)\d+$/.test(match[0]) ? "keyword"
        : marks.has(match[0]) ? "mark" : after === "(" ? "call" : undefined;
    }
    if (match.index > end) found.push([source.slice(end, match.index), undefined]);
    found.push([match[0], kind]);
    end = match.index + match[0].length;
  }
  if (end < source.length) found.push([source.slice(end), undefined]);
  return found;
}

/** A block of code with numbered lines; those in `added` are marked as new. */
export function code(source: string, language: "c" | "hoist", label: string, added?: Set<number>): HTMLElement {
  const lines: HTMLElement[] = [];
  const open = () => {
    const isNew = added?.has(lines.length);
    lines.push(h("span", { class: isNew ? "line added" : "line" }, isNew && h("span", { class: "hidden" }, "new: ")));
  };
  open();
  for (const [piece, kind] of tokens(source.replace(/\n+$/, ""), language)) {
    piece.split("\n").forEach((part, index) => {
      if (index > 0) {
        lines.at(-1)!.append("\n");
        open();
      }
      if (part) lines.at(-1)!.append(kind ? h("span", { class: `t-${kind}` }, part) : part);
    });
  }
  return h("pre", { class: "code", tabindex: 0, role: "region", "aria-label": label }, h("code", {}, lines));
}

/** Which lines of `after` are not in `before`, in order (a longest common subsequence), and how many of `before` went. Lines
 * that were only indented are the same. */
export function changedLines(before: string, after: string): { added: Set<number>; removed: number } {
  const [left, right] = [before, after].map((text) => text.split("\n").map((line) => line.trim())) as [string[], string[]];
  const length = left.map(() => new Uint16Array(right.length + 1)).concat(new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; --i) {
    for (let j = right.length - 1; j >= 0; --j) {
      length[i]![j] = left[i] === right[j] ? length[i + 1]![j + 1]! + 1 : Math.max(length[i + 1]![j]!, length[i]![j + 1]!);
    }
  }
  const added = new Set<number>();
  let i = 0;
  for (let j = 0; j < right.length; ++j) {
    while (i < left.length && left[i] !== right[j] && length[i + 1]![j]! >= length[i]![j + 1]!) ++i;
    if (i < left.length && left[i] === right[j]) ++i;
    else added.add(j);
  }
  return { added, removed: left.length - (right.length - added.size) };
}
