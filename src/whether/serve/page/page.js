"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  const show = (id, shown) => { find(id).hidden = !shown; };
  const put = (id, text) => { if (find(id).textContent !== text) find(id).textContent = text; };
  const count = (value) => value.toLocaleString("en");
  const many = (value, one) => `${count(value)} ${one}${value === 1 ? "" : "s"}`;

  const GONE = "The program on this computer does not answer. Was it stopped?";

  let work = "";       // name of the table at the server
  let events = null;   // the stream of its state
  let asked = "";      // command lines of the last answer that is shown
  let shownRun = 0;    // its number
  let doing = "";
  let focused = "";    // what had the focus when the state was shown

  // ---------------------------------------------------------------- talking to the server

  function complain(text) {
    put("problem", text);
    show("problem", Boolean(text));
  }

  // One after the other, so that what is said last counts. What the program tells in the meantime is older than what
  // was said, so that controls stay as they were set.
  let turn = Promise.resolve(), waiting = 0, latest = null;
  function ask(method, path, body) {
    waiting += 1;
    turn = turn.then(() => send(method, path, body)).then((taken) => {
      waiting -= 1;
      if (!taken && !waiting && latest && work) renderControls(latest); // what is taken, the program tells anew
      return taken;
    });
    return turn;
  }

  async function send(method, path, body) {
    complain("");
    let answer;
    try {
      answer = await fetch(path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
    } catch {
      complain(GONE);
      return false;
    }
    if (!answer.ok) {
      const told = await answer.json().catch(() => ({ problem: "The program refused this." }));
      complain(told.problem);
    }
    return answer.ok;
  }

  const change = (what, body) => ask("POST", `tables/${work}/${what}`, body);

  function upload(file) {
    complain("");
    close();
    const request = new XMLHttpRequest();
    request.open("POST", "tables?name=" + encodeURIComponent(file.name));
    request.upload.onprogress = (event) => { find("upload-bar").value = event.loaded / (event.total || 1); };
    request.onload = () => {
      show("upload", false);
      const told = JSON.parse(request.responseText || "{}");
      if (request.status === 201) open(told.work);
      else { show("dropzone", true); complain(told.problem || "The program refused this file."); }
    };
    request.onerror = () => {
      show("upload", false);
      show("dropzone", true);
      complain("The file could not be copied. Is it open in another program, or was this program stopped?");
    };
    find("upload-bar").value = 0;
    show("dropzone", false);
    show("upload", true);
    request.send(file);
  }

  function open(name) {
    work = name;
    shownRun = 0;
    history.replaceState(null, "", "#" + name);
    events = new EventSource(`tables/${name}/events`);
    events.onmessage = (event) => render(JSON.parse(event.data));
    events.onerror = () => {
      if (!events) return;
      if (events.readyState === EventSource.CLOSED) {
        close();
        complain("This table is not here any more. Drop it again.");
      } else complain(GONE);
    };
    events.onopen = () => { if (find("problem").textContent === GONE) complain(""); };
  }

  function close() {
    if (events) events.close();
    events = latest = null;
    work = "";
    history.replaceState(null, "", location.pathname);
    find("column-rows").replaceChildren();
    find("report").removeAttribute("src");
    find("file").value = "";
    find("settings").reset();
    find("sheet").value = "";
    for (const id of ["chosen", "sheet-field", "columns", "assumptions", "results"]) show(id, false);
    show("dropzone", true);
  }

  // ---------------------------------------------------------------- columns

  function makeSelect(template, label, listen) {
    const select = document.createElement("select");
    select.append(find(template).content.cloneNode(true));
    select.setAttribute("aria-label", label);
    select.addEventListener("change", listen);
    return select;
  }

  function makeRow(column) {
    const row = document.createElement("tr"), head = document.createElement("th");
    head.scope = "row";
    head.textContent = column.name;
    const cells = [0, 1, 2, 3].map(() => document.createElement("td"));
    const select = makeSelect("role-options", "Use of " + column.name, () => {
      if (select.value) change("role", { column: column.name, role: select.value });
    });
    const open = new Option("not settled yet", "", true, true);
    open.disabled = true;
    select.prepend(open);
    cells[1].append(select);
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.setAttribute("aria-label", "Answer by group: " + column.name);
    box.addEventListener("change", () => change("by", { column: column.name, wanted: box.checked }));
    label.append(box);
    cells[2].append(label);
    cells[3].className = "remark";
    row.append(head, ...cells);
    return row;
  }

  function renderColumns(look, by) {
    const body = find("column-rows");
    const names = look.columns.map((column) => column.name);
    const listed = [...body.rows].map((row) => row.cells[0].textContent);
    if (names.length !== listed.length || names.some((name, i) => name !== listed[i])) {
      body.replaceChildren(...look.columns.map(makeRow));
    }
    look.columns.forEach((column, i) => {
      const [, kind, use, grouped, remark] = body.rows[i].cells;
      kind.textContent = column.kind;
      const box = grouped.querySelector("input");
      if (!waiting) {
        use.firstChild.value = column.role;
        box.checked = by.includes(column.name);
      }
      box.disabled = !["feature", "categorical", "drop", ""].includes(column.role);
      remark.textContent = column.remark;
      remark.classList.toggle("warns", column.is_leak);
    });
    show("more-columns", look.n_columns > names.length);
    put("more-columns", `and ${count(look.n_columns - names.length)} more columns, which the program uses as they are`);
  }

  function renderValues(look) {
    show("values", look.values.length > 0);
    const list = find("value-list");
    const key = JSON.stringify(look.values.map((one) => one.value));
    if (list.dataset.key !== key) {
      list.dataset.key = key;
      list.replaceChildren(...look.values.map((one, i) => {
        const item = document.createElement("li"), label = document.createElement("label");
        label.textContent = one.value === "" ? "(empty)" : one.value;
        label.htmlFor = "value-" + i;
        const select = makeSelect("meaning-options", "", () => sendValues());
        select.removeAttribute("aria-label");
        select.id = "value-" + i;
        select.dataset.value = one.value;
        item.append(label, select);
        return item;
      }));
    }
    look.values.forEach((one, i) => { find("value-" + i).value = one.meaning; });
    show("confirm-values", look.asks_values);
  }

  function sendValues() {
    const meanings = {};
    for (const select of find("value-list").querySelectorAll("select")) meanings[select.dataset.value] = select.value;
    return change("values", { meanings });
  }

  function fill(id, texts) {
    find(id).replaceChildren(...texts.map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }));
  }

  // ---------------------------------------------------------------- the state

  function render(state) {
    const { look } = state, before = doing;
    latest = state;
    doing = state.doing;
    show("dropzone", false);
    show("chosen", true);
    put("table-name", state.table);
    put("table-rows", look ? rows(look) : doing ? "the program is reading it …" : "it could not be read.");
    if (state.problem) complain(state.problem);
    else if (before !== doing && doing) complain("");
    show("columns", Boolean(look));
    show("sheet-field", /\.(xlsx|xlsm|xls|ods)$/i.test(state.table));
    show("assumptions", Boolean(look));
    if (look) {
      renderColumns(look, state.by);
      renderValues(look);
      fill("obstacle-list", look.obstacles);
      show("obstacles", look.obstacles.length > 0);
      fill("note-list", look.notes.map((note) => note.text));
      show("notes", look.notes.length > 0);
      show("question-field", (look.options.competing || []).length > 0);
    }
    if (!waiting) renderSettings(state);
    renderWork(state);
    renderRuns(state);
    tell(state, before);
  }

  function rows(look) {
    const seen = look.events === null ? "" : ` The event was seen in ${count(look.events)}.`;
    return `${many(look.people, "row")}, ${many(look.n_columns, "column")}.${seen}`;
  }

  function renderControls(state) {
    if (state.look) renderColumns(state.look, state.by);
    renderSettings(state);
  }

  function renderSettings(state) {
    const given = { ...state.settings, endpoint: state.endpoint };
    for (const name of ["prevalence", "prevalence_error"]) {
      if (given[name] !== undefined) given[name] = Number((100 * given[name]).toPrecision(6));
    }
    for (const name of ["endpoint", "unit", "prevalence", "prevalence_error", "learner", "sheet"]) {
      const field = find(name), value = String(given[name] ?? "");
      if (field !== document.activeElement && field.value !== value) field.value = value;
    }
    find("backtest").checked = given.backtest !== false;
    for (const radio of document.getElementsByName("question")) radio.checked = radio.value === (given.question || "lifetime");
  }

  function renderWork(state) {
    const analysing = state.doing === "analysing", ready = Boolean(state.look && state.look.ready);
    for (const id of ["roles", "values", "fields", "sheet-field"]) find(id).disabled = analysing;
    show("ready", ready && !analysing);
    show("running", analysing);
    find("run").disabled = state.doing === "looking";
    if (ready) put("command", state.look.command);
    moveFocus(analysing);
    if (!analysing) return;
    const [all, ...inner] = state.progress, bar = find("bar");
    if (all && all.total) { bar.max = all.total; bar.value = all.done; } else bar.removeAttribute("value");
    put("stage", inner.length ? inner[0].title : all ? "The analysis is running" : "Reading the table");
    put("detail", inner.slice(1).map((row) => `${row.title}: ${count(row.done)}${row.total ? " of " + count(row.total) : ""}`).join("; "));
  }

  // A button that goes away leaves the focus to the one that takes its place.
  function moveFocus(analysing) {
    const at = document.activeElement, gone = find(analysing ? "run" : "cancel");
    if (at === gone || (at === document.body && focused === gone.id)) find(analysing ? "cancel" : "run").focus();
    focused = document.activeElement.id;
  }

  function renderRuns(state) {
    const [last, ...earlier] = state.runs;
    show("results", Boolean(last));
    if (!last) return;
    if (last.number !== shownRun) {
      shownRun = last.number;
      asked = last.command;
      put("badge", last.badge);
      find("badge").className = `badge ${last.kind}`;
      find("answer").replaceChildren(...last.sentences.map((sentence) => {
        const line = document.createElement("p");
        line.classList.toggle("headline", sentence === last.headline);
        line.textContent = sentence;
        return line;
      }));
      find("report").src = find("report-link").href = `tables/${work}/report?${last.number}`;
      find("files").replaceChildren(...last.files.map(makeFile));
      fill("earlier-list", earlier.map((run) => `${run.headline} (${run.command})`));
      show("earlier", earlier.length > 0);
    }
    show("outdated", Boolean(state.look) && (state.look.command || "") !== asked);
  }

  function makeFile(file) {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = `tables/${work}/files/${encodeURIComponent(file.name)}`;
    link.download = file.name;
    link.textContent = file.name;
    item.append(link, `: ${file.text} (${count(Math.max(1, Math.round(file.size / 1024)))} kB)`);
    return item;
  }

  function tell(state, before) {
    if (before === doing) return;
    const words = { looking: "The program looks at the table.", analysing: "The analysis is running." };
    if (doing) put("status", words[doing]);
    else if (state.problem) put("status", "");
    else if (before === "analysing" && state.runs.length && !state.problem) {
      put("status", "The analysis is done.");
      find("results").focus();
    } else put("status", state.look && state.look.ready ? "The table is ready." : "Something is to be settled first.");
  }

  // ---------------------------------------------------------------- what a person does

  find("file").addEventListener("change", () => { if (find("file").files.length) upload(find("file").files[0]); });
  find("another").addEventListener("click", () => {
    if (work) ask("DELETE", `tables/${work}`);
    close();
    find("file").focus();
  });
  find("run").addEventListener("click", () => { focused = "run"; ask("POST", `tables/${work}/analysis`); });
  find("cancel").addEventListener("click", () => { focused = "cancel"; ask("DELETE", `tables/${work}/analysis`); });
  find("confirm-values").addEventListener("click", sendValues);
  find("settings").addEventListener("submit", (event) => event.preventDefault());
  function sendSettings() {
    const said = Object.fromEntries(new FormData(find("settings")));
    change("settings", { ...said, backtest: find("backtest").checked, sheet: find("sheet").value });
  }
  find("settings").addEventListener("change", sendSettings);
  find("sheet").addEventListener("change", sendSettings);

  for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
    document.addEventListener(kind, (event) => {
      event.preventDefault();
      document.body.classList.toggle("over", kind === "dragenter" || kind === "dragover");
    });
  }
  document.addEventListener("drop", (event) => {
    const { files } = event.dataTransfer;
    if (files.length > 1) complain("Drop one file at a time: a table is one file.");
    else if (files.length) upload(files[0]);
  });
  if (location.hash.length > 1) open(location.hash.slice(1));
})();
