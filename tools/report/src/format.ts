// Numbers as people read them: three digits, with a unit that fits.
type Write = (value: number) => string;

function scaled(value: number, units: [number, string][], write: Write): string {
  const [size, unit] = units.find(([least]) => Math.abs(value) >= least) ?? units[units.length - 1]!;
  return `${write(value / size)}\u202f${unit}`;
}

/** Three digits that count: 92.0, 4.43, 12,345. */
export function digits(value: number): string {
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(value)) + 1e-9);
  return magnitude >= 3 ? grouped(Math.round(value)) : value.toFixed(Math.min(20, Math.max(0, 2 - magnitude)));
}

/** The same for an axis: 92, 0.5. */
export const short = (value: number): string => grouped(Number(value.toPrecision(3)));
export const grouped = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 20 });
export const time = (seconds: number, write: Write = digits): string =>
  scaled(seconds, [[60, "min"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]], write);
export const rate = (flops: number, write: Write = digits): string =>
  scaled(flops, [[1e12, "TFLOP/s"], [1e9, "GFLOP/s"], [1e6, "MFLOP/s"], [1, "FLOP/s"]], write);
export const bandwidth = (perSecond: number): string =>
  scaled(perSecond, perSecond >= 1e13 ? [[1e12, "TB/s"]] : [[1e9, "GB/s"], [1e6, "MB/s"], [1, "B/s"]], digits);
export const bytes = (count: number): string =>
  scaled(count, [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]], short);
export const percent = (share: number): string => `${digits(share * 100)}\u202f%`;
export const times = (factor: number): string => `${factor >= 100 ? grouped(Math.round(factor)) : digits(factor)}×`;

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count >= 1e7 ? `${short(count / 1e6)} million` : grouped(count)} ${count === 1 ? one : many}`;
}

/** "1, 2 and 3" */
export function joined(items: string[]): string {
  return items.length < 2 ? (items[0] ?? "") : `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}

/** Values 1, 2 and 5 times powers of ten, or only the powers, within a range of a logarithmic axis. */
export function logTicks(least: number, most: number, wanted = 6): number[] {
  const decades = Math.log10(most / least);
  const steps = decades * 3 <= wanted * 1.4 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil((decades * steps.length) / (wanted * 1.6)));
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); ++power) {
    if (steps.length === 1 && power % every !== 0) continue;
    for (const step of steps) {
      const value = Number(`${step}e${power}`);
      if (value >= least && value <= most) found.push(value);
    }
  }
  return found;
}
