// Reads the data that `hoist report` put into the page and builds it. What came of that is in the root element's data
// attributes, for tests: ready (ok or errors), errors, charts, shown, requests, overflow,
// milliseconds.
import { read, type Json } from "./data";
import { candidates } from "./candidates";
import { absent, h } from "./dom";
import { derivation, environment, funnel, header, kernels, program } from "./sections";

const state = document.documentElement.dataset;
const errors: string[] = [];

function failed(what: string, error: unknown): void {
  errors.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  state.ready = "errors";
  state.errors = errors.join("\n");
}

/** A part that cannot be drawn says so; the others stand. */
function part(name: string, make: () => HTMLElement): HTMLElement {
  try {
    return make();
  } catch (error) {
    failed(name, error);
    return absent(`This part of the report could not be drawn (${name}: ${String(error)}).`);
  }
}

const queryOfAddress = () => {
  const match = /^#filter=(.*)$/.exec(location.hash);
  try {
    return decodeURIComponent(match?.[1] ?? "");
  } catch {
    return match?.[1] ?? "";
  }
};

function build(page: HTMLElement): void {
  const report = read(JSON.parse(document.getElementById("data")!.textContent!) as Json);
  document.title = `${report.name} · Hoist report`;
  page.append(part("header", () => header(report)), part("program", () => program(report)));
  const measured = candidates(report);
  const note = () => {
    const { charts, shown } = measured.state();
    state.charts = String(charts);
    state.shown = String(shown);
    state.requests = String(performance.getEntriesByType("resource").length);
    state.overflow = String(Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));
  };
  const update = (what: string, change: () => void) => {
    try {
      change();
    } catch (error) {
      failed(what, error);
    }
    note();
  };
  page.append(measured.element, part("kernels", () => kernels(report)), part("derivation", () => derivation(report)),
    part("space", () => funnel(report)), part("environment", () => environment(report)),
    h("footer", {}, "Made by hoist report. Charts: Observable Plot and D3 (ISC licence; the texts are in this file)."));
  update("charts", () => measured.filter(queryOfAddress()));
  window.addEventListener("hashchange", () => update("filter", () => measured.filter(queryOfAddress())));

  let width = page.clientWidth;
  new ResizeObserver(() => {
    if (page.clientWidth === width || matchMedia("print").matches) return;
    width = page.clientWidth;
    requestAnimationFrame(() => update("resize", () => measured.redraw()));
  }).observe(page);

  // On paper every step of the derivation is open, and charts are as wide as half a page, so that their letters can be read.
  const closed: HTMLDetailsElement[] = [];
  window.addEventListener("beforeprint", () => {
    closed.push(...page.querySelectorAll<HTMLDetailsElement>("details:not([open])"));
    closed.forEach((each) => (each.open = true));
    update("print", () => measured.redraw(380));
  });
  window.addEventListener("afterprint", () => {
    closed.splice(0).forEach((each) => (each.open = false));
    update("print", () => measured.redraw());
  });
}

window.addEventListener("error", (event) => failed("script", event.error ?? event.message));
try {
  build(document.getElementById("page")!);
} catch (error) {
  failed("page", error);
  document.getElementById("page")!.append(absent(`This report could not be drawn: ${String(error)}`));
}
state.milliseconds = performance.now().toFixed(0);
state.ready ??= "ok";
