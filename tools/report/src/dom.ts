// Making elements. Texts become text nodes, so that nothing of the data is ever read as HTML.
export type Content = Node | string | undefined | null | false | Content[];
type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

function append(parent: Node, content: Content): void {
  if (content === undefined || content === null || content === false) return;
  if (Array.isArray(content)) content.forEach((each) => append(parent, each));
  else parent.appendChild(typeof content === "string" ? document.createTextNode(content) : content);
}

export function h<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, attributes: Attributes = {}, ...content: Content[]): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, content);
  return element;
}

/** Words within a cell or list that must not run into each other. */
export const muted = (content: string): HTMLElement => h("span", { class: "muted" }, content);
export const absent = (why: string): HTMLElement => h("p", { class: "absent" }, why);

export function table(caption: string, heads: string[], rows: Content[][], numeric: number[] = []): HTMLElement {
  const kind = (column: number) => (numeric.includes(column) ? "number" : undefined);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h("table", {},
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, heads.map((each, column) => h("th", { scope: "col", class: kind(column) }, each)))),
      h("tbody", {}, rows.map((row) =>
        h("tr", {}, row.map((cell, column) =>
          column === 0 ? h("th", { scope: "row", class: kind(0) }, cell) : h("td", { class: kind(column) }, cell)))))));
}
