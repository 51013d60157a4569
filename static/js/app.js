/* What the pages need beyond links and forms. Nothing here is needed to use them. */
"use strict";

(() => {
  const find = (id) => document.getElementById(id);
  const focusable = (element) => element && element.isConnected && element.focus({ preventScroll: false });

  // --- days are those of the browser's time zone, until the person chooses one

  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone) document.cookie = `zone=${zone}; path=/; max-age=31536000; samesite=lax`;

  // --- where a request goes, and the token of now

  const cookie = (name) => document.cookie.split("; ").find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);

  // A form says once where it goes: in its action, or in the button that was pressed. A button whose request is under
  // way is not heard again; another one of the same form waits its turn.
  const underWay = new Set();
  document.addEventListener("htmx:config:request", (event) => {
    const { ctx } = event.detail;
    const form = ctx.sourceElement;
    if (form instanceof HTMLFormElement && form.getAttribute("hx-post") === "") {
      ctx.request.action = ctx.request.submitter?.getAttribute("formaction") || form.getAttribute("action");
      if (underWay.has(ctx.request.action)) return event.preventDefault();
      underWay.add(ctx.request.action);
    }
    // Signing in anew, in another tab, makes another token.
    const token = cookie("csrftoken");
    if (token && ctx.request.headers["X-CSRFToken"]) ctx.request.headers["X-CSRFToken"] = token;
  });

  document.addEventListener("htmx:finally:request", (event) => underWay.delete(event.detail.ctx.request.action));

  // --- failures: said in the alert region, the page stays as it is

  const alertRegion = () => find("alert");
  const say = (text) => {
    const line = document.createElement("p");
    line.textContent = text;
    alertRegion().replaceChildren(line);
  };

  // Both regions are emptied first, so that the same sentence is said again when it happens again.
  document.addEventListener("htmx:before:request", () => {
    alertRegion().replaceChildren();
    find("status").replaceChildren();
  });
  document.addEventListener("htmx:error", (event) => {
    if (event.detail.ctx && !event.detail.ctx.response) say(alertRegion().dataset.offline);
  });
  document.addEventListener("htmx:after:request", (event) => {
    // Something on the way answered in our place, with a page that is not ours to show.
    const { response } = event.detail.ctx;
    if (response.status >= 500 && !response.headers.get("HX-Retarget")) {
      event.preventDefault();
      say(alertRegion().dataset.offline);
    }
  });

  // --- the focus: after a row goes, the next row, else the one before, else the heading; never the body

  let leaving = null;

  document.addEventListener("htmx:before:request", (event) => {
    const { submitter } = event.detail.ctx.request;
    const row = submitter?.closest("[data-row]");
    leaving = row && {
      row: row.id,
      then: [row.nextElementSibling?.id, row.previousElementSibling?.id].filter(Boolean),
    };
  });

  const heading = () => document.querySelector("h1");

  const settleFocus = () => {
    if (document.activeElement && document.activeElement !== document.body) return;
    const next = leaving && [leaving.row, ...leaving.then].map(find).find(Boolean);
    focusable(next || heading());
  };

  document.addEventListener("htmx:after:swap", (event) => {
    const { ctx } = event.detail;
    if (ctx.target === document.body) {
      heading()?.focus({ preventScroll: true });
      return;
    }
    const named = ctx.response?.headers.get("X-Focus");
    if (named && find(named)) focusable(find(named));
    else settleFocus();
    leaving = null;
    countTicks();
    // What the page opened with is no longer the last that was done: it must not stand beside its own undoing.
    const said = document.querySelector("[data-said]");
    const now = find("status").textContent.trim();
    if (said && now) {
      said.textContent = now;
      said.className = "notice";
    }
  });

  // --- ticks: all on this page at once, and how many there are

  const ticks = () => [...document.querySelectorAll(".tick input")];

  const countTicks = () => {
    const all = find("tick-all");
    if (!all) return;
    const boxes = ticks();
    const ticked = boxes.filter((box) => box.checked).length;
    all.checked = ticked > 0 && ticked === boxes.length;
    all.indeterminate = ticked > 0 && ticked < boxes.length;
    const label = find("ticked");
    if (label) label.textContent = ticked ? label.dataset.words.replace("{n}", ticked) : "";
  };

  document.addEventListener("change", (event) => {
    if (event.target.id === "tick-all") {
      for (const box of ticks()) box.checked = event.target.checked;
    }
    if (event.target.closest(".tick, .bulk")) countTicks();
    // Selects that act at once have a button for those without scripts.
    if (event.target.matches("[data-submits]")) event.target.form.requestSubmit();
  });

  // --- sliders say where they stand while they move

  document.addEventListener("input", (event) => {
    const slider = event.target;
    const shown = slider.type === "range" && find(`${slider.id}-out`);
    if (!shown) return;
    const places = { minimumFractionDigits: (slider.step.split(".")[1] || "").length };
    shown.textContent = Number(slider.value).toLocaleString(`${document.documentElement.lang}-u-nu-latn`, places);
  });

  // --- the person's menu closes like a menu

  document.addEventListener("click", (event) => {
    for (const open of document.querySelectorAll("details.who[open]")) {
      if (!open.contains(event.target)) open.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    const open = event.key === "Escape" && document.querySelector("details.who[open]");
    if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    }
  });

  // --- double clicks: the second does nothing, also when another row has come under the pointer meanwhile; a form that
  // is on its way is not sent again, and keeps the focus

  document.addEventListener("click", (event) => {
    if (event.detail > 1 && event.target.closest("button")) event.preventDefault();
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || form.hasAttribute("hx-post")) return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "1";
  });

  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
    countTicks();
    // A live region speaks only of what changes in it.
    const said = document.querySelector("[data-said]");
    if (said) setTimeout(() => (find("status").textContent = said.textContent), 150);
    const wants = document.querySelector("[autofocus]");
    const typed = ["INPUT", "TEXTAREA", "SELECT"].includes(document.activeElement?.tagName);
    if (!wants && !typed && !location.hash) heading()?.focus({ preventScroll: true });
  });
})();
