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
    let sweep = data.sweeps[0], at = sweep.default;

    function update() {
      const n = sweep.selected[at], positive = sweep.positive[at], total = sweep.positive[0];
      const threshold = percent(sweep.thresholds[at]);
      input.value = 100 * sweep.thresholds[at];
      put("threshold-value", threshold);
      input.setAttribute("aria-valuetext", "at least " + threshold);
      put("sweep-selected", count(n));
      put("sweep-share", percent(n / sweep.selected[0]) + " of " + count(sweep.selected[0]));
      put("sweep-true", count(positive));
      put("sweep-false", count(n - Math.round(positive)));
      put("sweep-precision", percent(positive / n));
      put("sweep-sensitivity", percent(positive / total));
      put("sweep-missed", count(Math.round(total) - Math.round(positive)));
    }

    // Not every per cent may be shown: the slider goes on to the next one that may, in the direction it was moved.
    function move() {
      const wanted = Number(input.value) / 100, before = sweep.thresholds[at], last = sweep.thresholds.length - 1;
      if (wanted > before + 0.001) {
        const next = sweep.thresholds.findIndex((value) => value >= wanted - 0.001);
        at = next < 0 ? last : next;
      } else if (wanted < before - 0.001) {
        at = sweep.thresholds.findLastIndex((value) => value <= wanted + 0.001);
      }
      update();
    }

    for (const radio of slider.querySelectorAll("input[type=radio]")) {
      radio.addEventListener("change", () => {
        sweep = data.sweeps.find((one) => one.key === radio.value);
        at = sweep.default;
        put("threshold-measure", sweep.measure);
        update();
      });
    }
    input.addEventListener("input", move);
    update();
    slider.hidden = false;
  }

  // ---------------------------------------------------------------- the contents say where one is

  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const parts = [...links.keys()].map((key) => document.getElementById(key)).filter(Boolean);
  function mark() {
    const here = parts.findLast((part) => part.getBoundingClientRect().top < window.innerHeight / 3) || parts[0];
    for (const [key, link] of links) {
      if (key === here.id) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
  }
  window.addEventListener("scroll", mark, { passive: true });
  mark();

  // ---------------------------------------------------------------- paper has no buttons: everything is opened

  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const one of closed) one.open = true;
  });
  window.addEventListener("afterprint", () => { for (const one of closed) one.open = false; });
})();
