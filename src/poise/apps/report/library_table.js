"use strict";
// The table of clips: ranked, filtered, a few rows at a time. Its state stands in the page's
// address (#q=walk&status=not_met&by=foot_slide.mean&of=before&from=5&below=9&worse=1&cause=2), so
// that a view can be linked to. What a row says must agree with `library_table.py`.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const FIELDS = ["q", "status", "by", "of", "from", "below"];
  const MORE = 200, FIGURE_CELLS = 5;
  const total = data.clips.length;
  const figureAt = new Map(data.figures.map((figure, n) => [figure.key, n]));
  const plain = (text) => text.normalize("NFC").toLowerCase();
  const names = data.clips.map(plain);
  let chosen = {}, found = [], shown = 0;

  // ---- Figures ---------------------------------------------------------------------------------

  const value = (column, n) => {
    const known = column ? column[n] : undefined;
    return known === null || known === undefined ? NaN : known;
  };

  // 1 better, -1 worse, 0 same, NaN unknown.
  const changed = (figure, n) => {
    if (!figure.way) return NaN;
    const before = value(figure.before, n), after = value(figure.after, n);
    const scale = Math.max(Math.abs(before), Math.abs(after), data.least);
    const gain = figure.way * (before / scale - after / scale);
    return Math.abs(gain) < data.same ? 0 : Math.sign(gain);
  };

  const verdict = (figure, n) => {
    const after = value(figure.after, n);
    if (!figure.limits || Number.isNaN(after)) return "";
    const [good, poor] = figure.limits;
    if (figure.way * after <= figure.way * good) return "good";
    return figure.way * after > figure.way * poor ? "poor" : "fair";
  };

  // What is ranked and filtered by.
  const ranked = (figure, n) => {
    if (!figure) return n < data.done ? data.poor[n] : NaN;
    if (chosen.of === "before") return value(figure.before, n);
    if (chosen.of === "change") return value(figure.after, n) - value(figure.before, n);
    return value(figure.after, n);
  };

  // ---- Words -----------------------------------------------------------------------------------

  const count = (many) => String(many).replace(/\B(?=(\d{3})+$)/g, "\u202f");

  // Halves go to the even digit. What is one exactly is a sum of powers of two.
  const fixed = (x, decimals) => {
    const power = 10 ** decimals, scaled = x * power, low = Math.floor(scaled);
    const half = scaled - low === 0.5 && Number.isInteger(x * 2 ** (decimals + 1));
    return half ? ((low % 2 ? low + 1 : low) / power).toFixed(decimals) : x.toFixed(decimals);
  };

  const number = (x) => {
    if (!Number.isFinite(x)) return "–";
    const size = Math.abs(x);
    if (size >= 1000) return fixed(x, 0).replace(/\B(?=(\d{3})+$)/g, " ");
    if (size < 5e-4) return "0";
    const decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.095 ? 2 : 3;
    return fixed(x, decimals).replace("-", "−");
  };

  const said = (figure, x) => {
    if (Math.abs(x) >= 1e7) return x.toExponential(2).replace("e+", "e");
    return figure.whole && Number.isFinite(x) ? fixed(x, 0) : number(x);
  };

  // ---- Rows ------------------------------------------------------------------------------------

  const made = (tag, words, kind) => {
    const element = document.createElement(tag);
    if (words) element.textContent = words;
    if (kind) element.className = kind;
    return element;
  };

  const link = (address, words) => {
    const element = made("a", words);
    element.setAttribute("href", address);
    return element;
  };

  // A link as it is, or to the file of this name.
  const address = (known, name) =>
    known === 1 ? "./" + name.split("/").map(encodeURIComponent).join("/") : known;

  const row = (n, place, figure) => {
    const line = document.createElement("tr");
    const cell = (inside, tag = "td") => {
      const element = document.createElement(tag);
      if (inside) element.append(inside);
      line.append(element);
      return element;
    };
    cell(count(place + 1));
    const own = address(data.clipLinks[n], data.clips[n]);
    const name = cell(own ? link(own, data.clips[n]) : data.clips[n], "th");
    name.scope = "row";
    const isDone = n < data.done, reason = data.reasons[data.reason[n]];
    if (isDone && reason) name.append(made("small", reason));
    const page = address(data.reportLinks[n], data.clips[n].replace(/\.[^.]*$/, "") + ".html");
    cell(page ? link(page, "report") : "");
    const [, words, color] = data.statuses[data.status[n]];
    cell(made("span", words, "chip " + color));
    cell(isDone ? String(data.poor[n]) : "");
    cell(isDone ? String(data.worse[n]) : "");
    const one = figure || (isDone ? data.figures[data.worst[n]] : undefined);
    if (one && isDone) {
      const before = value(one.before, n), after = value(one.after, n);
      const under = value(one.under, n);
      const title = cell(one.name);
      const times = number(data.times[n]) + " × poor";
      title.append(made("small", figure ? one.unit : (one.unit ? one.unit + "; " : "") + times));
      cell(Number.isNaN(before) ? "" : said(one, before));
      const judged = verdict(one, n);
      cell(made("b", (judged ? data.marks[judged] + " " : "") + said(one, after), judged));
      cell(Number.isNaN(under) ? "" : said(one, under));
      const change = { 1: "better", "-1": "worse", 0: "same" }[changed(one, n)];
      cell(change ? made("span", data.changes[change], change) : "");
    } else if (isDone) {
      for (let n = 0; n < FIGURE_CELLS; n++) cell("");
    } else {
      const why = cell(reason);
      why.className = "why";
      why.colSpan = FIGURE_CELLS;
    }
    const length = value(data.length, n);
    cell(Number.isNaN(length) ? "" : number(length) + " s");
    return line;
  };

  const showMore = (many) => {
    const figure = data.figures[figureAt.get(chosen.by)];
    const lines = document.createDocumentFragment();
    const end = Math.min(shown + many, found.length);
    for (; shown < end; shown++) lines.append(row(found[shown], shown, figure));
    at("rows").tBodies[0].append(lines);
    const all = found.length === total ? "" : `, filtered from ${count(total)}`;
    at("shown").textContent = `${count(shown)} of ${count(found.length)} shown${all}`;
    at("more").hidden = shown === found.length;
    at("more").textContent = `Show ${count(Math.min(MORE, found.length - shown))} more`;
  };

  // ---- Filters ---------------------------------------------------------------------------------

  const limit = (text) => (text === "" || text === undefined ? NaN : Number(text));

  const find = () => {
    const figure = data.figures[figureAt.get(chosen.by)];
    const words = plain(chosen.q || "").split(/\s+/).filter(Boolean);
    const from = limit(chosen.from), below = limit(chosen.below);
    const cause = chosen.cause === undefined ? NaN : Number(chosen.cause);
    found = [];
    for (let n = 0; n < total; n++) {
      const status = data.statuses[data.status[n]][0];
      if (chosen.status === "done" ? n >= data.done : chosen.status === "failed" ? n < data.done
        : chosen.status && status !== chosen.status) continue;
      if (!Number.isNaN(cause) && data.cause[n] !== cause) continue;
      if (!words.every((word) => names[n].includes(word))) continue;
      const one = ranked(figure, n);
      if (!Number.isNaN(from) && !(one >= from)) continue;
      if (!Number.isNaN(below) && !(one < below)) continue;
      if (chosen.worse && !(figure ? changed(figure, n) < 0 : data.worse[n] > 0)) continue;
      found.push(n);
    }
    if (figure) {
      const way = figure.way || 1;
      const size = (n) => {
        const one = ranked(figure, n);
        return Number.isNaN(one) ? -Infinity
          : !figure.way && chosen.of === "change" ? Math.abs(one) : way * one;
      };
      const sizes = new Map(found.map((n) => [n, size(n)]));
      found.sort((a, b) => {
        const one = sizes.get(a), other = sizes.get(b);
        return one === other ? a - b : one < other ? 1 : -1;
      });
    }
    at("rows").tBodies[0].replaceChildren();
    shown = 0;
    explain(figure, cause);
    if (!found.length) {
      const none = made("td", "No clips.", "none");
      none.colSpan = at("rows").tHead.rows[0].cells.length;
      at("rows").tBodies[0].append(made("tr"));
      at("rows").tBodies[0].rows[0].append(none);
    }
    showMore(data.firstRows);
  };

  const explain = (figure, cause) => {
    at("of").disabled = !figure;
    at("what").textContent = figure ? "value" + (figure.unit ? ` (${figure.unit})` : "")
      : "poor figures";
    const which = chosen.of === "change" ? "change of value" : `value ${chosen.of || "after"}`;
    const most = !figure ? "" : !figure.way ? "largest" : chosen.of === "change" ? "most worsened"
      : figure.way > 0 ? "largest" : "smallest";
    at("rule").textContent = figure
      ? `Ranked by ${figure.name.toLowerCase()}: the ${most} ${which} first; clips without come last.`
      : data.rule;
    at("cause").hidden = Number.isNaN(cause);
    if (!Number.isNaN(cause)) {
      const clear = made("button", "Show all causes");
      clear.type = "button";
      clear.addEventListener("click", () => { delete chosen.cause; changedByHand(); });
      at("cause").replaceChildren("Only: ", made("b", data.causes[cause] || "no such cause"), " ",
        clear);
    }
  };

  const fromAddress = () => {
    const said = new URLSearchParams(location.hash.slice(1));
    chosen = {};
    for (const name of [...FIELDS, "cause"]) if (said.get(name)) chosen[name] = said.get(name);
    if (said.get("worse") === "1") chosen.worse = "1";
    for (const name of ["from", "below"]) if (Number.isNaN(limit(chosen[name]))) delete chosen[name];
    for (const name of FIELDS) {
      at(name).value = chosen[name] || "";
      if (at(name).value === "") {
        if (at(name).options) at(name).selectedIndex = 0;
        delete chosen[name];
      }
    }
    at("worse").checked = Boolean(chosen.worse);
    find();
  };

  const changedByHand = () => {
    for (const name of FIELDS) {
      if (at(name).value === "") delete chosen[name];
      else chosen[name] = at(name).value;
    }
    if (at("worse").checked) chosen.worse = "1";
    else delete chosen.worse;
    const address = new URLSearchParams(chosen).toString();
    history.replaceState(null, "", address ? "#" + address : location.pathname + location.search);
    find();
  };

  const isView = () => location.hash.includes("=");

  for (const name of FIELDS) {
    at(name).addEventListener(at(name).options ? "change" : "input", changedByHand);
  }
  at("worse").addEventListener("change", changedByHand);
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("clear").addEventListener("click", () => {
    at("filters").reset();
    chosen = {};
    changedByHand();
  });
  at("more").addEventListener("click", () => showMore(MORE));
  addEventListener("hashchange", () => {
    // Other addresses lead to places on the page and change no filter.
    if (location.hash && !isView()) return;
    fromAddress();
    if (isView()) at("clips").scrollIntoView();
  });
  document.documentElement.classList.add("with-script");
  at("filters").hidden = false;
  fromAddress();
  if (isView()) at("clips").scrollIntoView();
})();
