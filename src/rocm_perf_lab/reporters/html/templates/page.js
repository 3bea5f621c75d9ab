"use strict";
// Puts the charts into their places, and gives the page its theme, tables and sliders.
// Charts are drawn by Bokeh; numbers are computed before, here they are only looked up.

const INKS = {
  light: { ink: "#333333", grid: "#e3e6e9", paper: "#ffffff" },
  dark: { ink: "#d5dbe1", grid: "#333c46", paper: "#14181d" },
};
const root = document.documentElement;
const charts = [];

function themeNow() {
  return root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function repaint(model, { ink, grid, paper }) {
  if (model.type.endsWith("Axis")) {
    Object.assign(model, { axis_label_text_color: ink, major_label_text_color: ink, axis_line_color: grid,
      major_tick_line_color: grid, minor_tick_line_color: null });
  } else if (model.type === "Grid") {
    model.grid_line_color = grid;
  } else if (model.type === "Title") {
    model.text_color = ink;
  } else if (model.type === "Legend") {
    model.label_text_color = ink;
  } else if (model.tags && model.tags.includes("ink")) {
    const colour = { value: ink };
    if (model.type === "Text") Object.assign(model, { text_color: colour, background_fill_color: { value: paper } });
    else model.line_color = colour;
  }
}

function setTheme(name) {
  root.dataset.theme = name;
  for (const view of charts) {
    for (const model of view.model.references()) repaint(model, INKS[name]);
  }
}

// One column of the legend in small letters, short names, and a plot that is as high as before.
function narrow(figure) {
  figure.title.text_font_size = "10px";
  for (const model of figure.references()) {
    if (model.type === "Legend") {
      const rows = Math.ceil(model.items.length / model.ncols);
      figure.height += 23 * (model.items.length - rows);
      Object.assign(model, { ncols: 1, label_text_font_size: "10px" });
    } else if (model.type.endsWith("Axis") && model.tags.length) {
      Object.assign(model, { major_label_overrides: new Map(model.tags.map((name, at) => [at, name])),
        major_label_text_font_size: "10px" });
    } else if (model.type === "Text") {
      model.text_font_size = { value: "9px" };
    }
  }
}

// Bokeh leaves what it painted before in the outermost pixels: it clears half a pixel beside them.
function clearEdges({ primary, overlays }) {
  for (const layer of [primary, overlays]) {
    layer.clear = () => layer.ctx.clearRect(-1, -1, layer.bbox.width + 2, layer.bbox.height + 2);
  }
}

// The title begins at the left end of the chart, where the labels of the axis begin.
function alignTitle(view) {
  const offset = -view.frame.bbox.left;
  if (view.model.title.offset !== offset) view.model.title.offset = offset;
}

// Lays out and paints a chart at once; Bokeh would wait for the next frame.
function settle(view) {
  view.invalidate_layout();
  alignTitle(view);
  const drawn = [...view.renderer_views.values()];
  for (const one of drawn) if (one.set_visuals) one.set_visuals();
  for (const one of drawn) if (one._paint_glyphs) one._paint_glyphs(); // of the legend
  view.invalidate_painters();
  view.paint();
}

async function embedCharts() {
  for (const element of document.querySelectorAll("script.chart-json")) {
    const manager = await Bokeh.embed.embed_item(JSON.parse(element.textContent));
    charts.push(...manager.roots.filter((view) => view.model.type === "Figure"));
  }
  for (const view of charts) {
    clearEdges(view.canvas_view);
    view.repainted.connect(() => alignTitle(view));
  }
  if (innerWidth < 600) charts.forEach((view) => narrow(view.model));
  setTheme(themeNow());
  charts.forEach(settle);
  root.dataset.ready = "yes";
}

// Paper: light, unfolded but for tables of reference, charts as vectors and as wide as the sheet.
let onScreen = null;

function toPaper() {
  if (onScreen) return;
  const folded = [...document.querySelectorAll("details:not([open]):not(.reference)")];
  for (const one of folded) one.open = true;
  onScreen = { theme: themeNow(), folded };
  root.classList.add("paper");
  setTheme("light");
  onScreen.drawings = charts.map((view) => {
    settle(view);
    const drawing = view.export("svg", false).canvas;
    view.el.after(drawing);
    return drawing;
  });
}

function toScreen() {
  if (!onScreen) return;
  for (const drawing of onScreen.drawings) drawing.remove();
  for (const one of onScreen.folded) one.open = false;
  root.classList.remove("paper");
  setTheme(onScreen.theme);
  charts.forEach(settle);
  onScreen = null;
}

function compare(one, other) {
  const [a, b] = [Number(one), Number(other)];
  return Number.isNaN(a) || Number.isNaN(b) ? one.localeCompare(other) : a - b;
}

function sortBy(table, header) {
  const column = header.cellIndex;
  const up = header.getAttribute("aria-sort") === "descending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", up ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => (up ? 1 : -1) * compare(a.cells[column].dataset.order, b.cells[column].dataset.order));
  table.tBodies[0].append(...rows);
}

function filterRows(input) {
  const table = document.getElementById(input.dataset.table);
  const wanted = input.value.trim().toLowerCase();
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    row.hidden = !`${row.cells[0].title} ${row.textContent}`.toLowerCase().includes(wanted);
    shown += row.hidden ? 0 : 1;
  }
  const all = table.tBodies[0].rows.length;
  document.getElementById(`${table.id}-count`).value = wanted ? `${shown} of ${all} kernels` : `${all} kernels`;
}

function setUpOccupancy(box) {
  const tables = JSON.parse(document.getElementById(box.dataset.sliders).textContent);
  const start = JSON.parse(box.dataset.start);
  const steps = { vgpr: tables.vgprs, lds: tables.lds_bytes, size: tables.workgroup_sizes };
  const inputs = [...box.querySelectorAll("input[type=range]")];
  const at = {};
  const show = () => {
    for (const input of inputs) {
      at[input.dataset.of] = Number(input.value);
      input.nextElementSibling.value = steps[input.dataset.of][input.value];
    }
    const limits = { VGPR: tables.by_vgpr[at.size][at.vgpr], LDS: tables.by_lds[at.lds],
      "wave slots": tables.by_slots[at.size], barriers: tables.by_barriers[at.size], SGPR: start.sgpr[at.size] };
    const known = Object.entries(limits).filter(([, value]) => value !== null);
    const groups = Math.min(...known.map(([, value]) => value));
    const waves = groups * Math.ceil(steps.size[at.size] / tables.wave_size);
    const full = waves === tables.slots ? "wave slots" : "workgroup size";
    const by = groups > 0 && groups === limits["wave slots"] ? [full] : known.filter(([, value]) => value === groups).map(([name]) => name);
    box.querySelector(".what-if").textContent = groups === 0 ? `It cannot be launched: ${by.join(", ")}`
      : `${(100 * waves / tables.slots).toFixed(1)}% of the wave slots, ${waves / tables.simds} waves per SIMD; ` +
        `limited by ${by.join(", ")}`;
  };
  const reset = () => {
    for (const input of inputs) input.value = start[input.dataset.of];
    show();
  };
  for (const input of inputs) {
    input.max = steps[input.dataset.of].length - 1;
    input.addEventListener("input", show);
  }
  box.querySelector(".back").addEventListener("click", reset);
  reset();
}

function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") target.open = true;
}

document.getElementById("theme").addEventListener("click", () => setTheme(themeNow() === "dark" ? "light" : "dark"));
for (const table of document.querySelectorAll("table.kernels")) {
  table.tHead.addEventListener("click", (event) => {
    const header = event.target.closest("th");
    if (header) sortBy(table, header);
  });
}
for (const input of document.querySelectorAll("input.filter")) {
  input.addEventListener("input", () => filterRows(input));
}
document.querySelectorAll(".occupancy[data-start]").forEach(setUpOccupancy);
addEventListener("hashchange", openTarget);
addEventListener("beforeprint", toPaper);
addEventListener("afterprint", toScreen);
root.dataset.theme = themeNow();
openTarget();
embedCharts();
