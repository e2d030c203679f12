"use strict";
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const tooltip = document.getElementById("tooltip");

  // ---------------------------------------------------------------- figures: the nearest point says its numbers

  function visible(plot) {
    for (const kind of ["wide", "narrow"]) {
      const holder = plot.querySelector("." + kind);
      if (holder.offsetParent !== null || holder.getClientRects().length) {
        return { kind, svg: holder.querySelector("svg") };
      }
    }
    return null;
  }

  function hide(plot) {
    tooltip.hidden = true;
    for (const ring of plot.querySelectorAll(".ring")) ring.remove();
  }

  function show(plot, shown, point) {
    hide(plot);
    const [x, y] = point[shown.kind];
    const ring = document.createElementNS(shown.svg.namespaceURI, "circle");
    ring.setAttribute("class", "ring");
    ring.setAttribute("cx", x);
    ring.setAttribute("cy", y);
    ring.setAttribute("r", 8);
    shown.svg.append(ring);
    tooltip.textContent = point.text;
    tooltip.hidden = false;
    const place = new DOMPoint(x, y).matrixTransform(shown.svg.getScreenCTM());
    const room = document.documentElement.clientWidth - tooltip.offsetWidth - 8;
    const left = Math.max(8, Math.min(place.x - tooltip.offsetWidth / 2, room));
    const above = place.y - tooltip.offsetHeight - 14;
    tooltip.style.left = left + window.scrollX + "px";
    tooltip.style.top = (above < 0 ? place.y + 14 : above) + window.scrollY + "px";
  }

  // Along a curve what counts is how far to the side a point is, among rows how far up or down.
  function nearest(points, kind, place, pointing) {
    const across = pointing === "y" ? 0.02 : 1, along = pointing === "x" ? 0.02 : 1;
    let best = 0, least = Infinity;
    points.forEach((point, position) => {
      const distance = Math.hypot(across * (point[kind][0] - place.x), along * (point[kind][1] - place.y));
      if (distance < least) { least = distance; best = position; }
    });
    return best;
  }

  for (const plot of document.querySelectorAll(".plot")) {
    const points = data.figures[plot.dataset.plot] || [];
    if (!points.length) continue;
    let current = -1;
    plot.tabIndex = 0;
    plot.setAttribute("aria-label", plot.getAttribute("aria-label") + " Arrow keys read the values one by one.");

    function point(event) {
      const shown = visible(plot);
      if (!shown) return;
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(shown.svg.getScreenCTM().inverse());
      current = nearest(points, shown.kind, place, plot.dataset.pointing);
      show(plot, shown, points[current]);
    }

    plot.addEventListener("pointermove", point);
    plot.addEventListener("pointerdown", point);
    plot.addEventListener("pointerleave", () => hide(plot));
    plot.addEventListener("blur", () => hide(plot));
    plot.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const shown = visible(plot);
      if (event.key === "Escape") hide(plot);
      if (!step || !shown) return;
      event.preventDefault();
      current = (current + step + points.length) % points.length;
      show(plot, shown, points[current]);
    });
  }

  // ---------------------------------------------------------------- the threshold

  const slider = document.getElementById("slider");
  if (slider) {
    const input = document.getElementById("threshold-input");
    const count = (value) => Math.round(value).toLocaleString("en");
    const percent = (value) => (Number.isFinite(value) ? Math.round(100 * value) + " %" : "–");
    const put = (id, text) => { document.getElementById(id).textContent = text; };
    let sweep = data.sweeps[0];

    function update() {
      const i = Number(input.value);
      const n = sweep.selected[i], positive = sweep.positive[i], total = sweep.positive[0];
      const threshold = percent(sweep.thresholds[i]);
      put("threshold-value", threshold);
      input.setAttribute("aria-valuetext", "at least " + threshold);
      put("sweep-selected", count(n));
      put("sweep-share", percent(n / sweep.selected[0]) + " of " + count(sweep.selected[0]));
      put("sweep-true", count(positive));
      put("sweep-false", count(n - positive));
      put("sweep-precision", percent(positive / n));
      put("sweep-sensitivity", percent(positive / total));
      put("sweep-missed", count(total - positive));
    }

    function choose(key) {
      const before = sweep.thresholds[Number(input.value)] || 0;
      sweep = data.sweeps.find((one) => one.key === key);
      input.max = sweep.thresholds.length - 1;
      let at = sweep.thresholds.findIndex((value) => value >= before);
      input.value = at < 0 ? sweep.thresholds.length - 1 : at;
      put("threshold-measure", sweep.measure);
      update();
    }

    for (const radio of slider.querySelectorAll("input[type=radio]")) {
      radio.addEventListener("change", () => choose(radio.value));
    }
    input.addEventListener("input", update);
    input.max = sweep.thresholds.length - 1;
    const half = sweep.thresholds.findIndex((value) => value >= 0.5);
    input.value = half < 0 ? Math.floor(sweep.thresholds.length / 2) : half;
    update();
    slider.hidden = false;
  }

  // ---------------------------------------------------------------- paper has no buttons: everything is opened

  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const one of closed) one.open = true;
  });
  window.addEventListener("afterprint", () => { for (const one of closed) one.open = false; });
})();
