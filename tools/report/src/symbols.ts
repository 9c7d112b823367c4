// The symbols of families, for charts and legends alike. In a chart all of one look are one path: thousands are quick.
export type SymbolName = "circle" | "triangle" | "square" | "diamond" | "star" | "asterisk" | "plus" | "times";

/** Lines from point to point around (0, 0), of a size of about one; closed ones end in z. */
const polygon = (corners: number, inner = 1) =>
  Array.from({ length: corners }, (_, index) => {
    const angle = (2 * Math.PI * index) / corners;
    const radius = index % 2 ? inner : 1;
    return [radius * Math.sin(angle), -radius * Math.cos(angle)] as const;
  });
const spokes = (count: number, turn: number) =>
  Array.from({ length: count }, (_, index) => {
    const angle = turn + (Math.PI * index) / count;
    return [[Math.sin(angle), Math.cos(angle)], [-Math.sin(angle), -Math.cos(angle)]] as const;
  });

const closed = (points: readonly (readonly [number, number])[], size: number) => ({ lines: [points], size, end: "z" });
const open = (lines: readonly (readonly (readonly [number, number])[])[], size: number) => ({ lines, size, end: "" });
const shapes = {
  triangle: closed(polygon(3), 1.25),
  square: closed([[-1, -1], [1, -1], [1, 1], [-1, 1]], 0.88),
  diamond: closed(polygon(4), 1.25),
  star: closed(polygon(10, 0.4), 1.4),
  asterisk: open(spokes(3, 0), 1.2),
  plus: open(spokes(2, 0), 1.05),
  times: open(spokes(2, Math.PI / 4), 1.2),
};

/** SVG path data of a symbol of radius `r` around a point. */
export function symbolPath(name: SymbolName, x: number, y: number, r: number): string {
  const short = (value: number) => String(Math.round(value * 10) / 10);
  if (name === "circle") return `M${short(x - r)} ${short(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  const { lines, size, end } = shapes[name];
  const at = ([dx, dy]: readonly [number, number]) => `${short(x + dx * size * r)} ${short(y + dy * size * r)}`;
  return lines.map((points) => `M${points.map(at).join("L")}${end}`).join("");
}

export function path(data: string, attributes: Record<string, string>): SVGPathElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "path");
  for (const [name, value] of Object.entries({ d: data, fill: "none", ...attributes })) element.setAttribute(name, value);
  return element;
}
