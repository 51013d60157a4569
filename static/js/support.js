// An access ends at its minute in an open tab too, whether or not the server can be reached. What is shown then is what
// the server says.
"use strict";

(() => {
  const find = (id) => document.getElementById(id);
  let ends = null;
  let known = null;

  const read = () => {
    const left = find("left");
    const seconds = left && left.dataset.seconds;
    if (!seconds) {
      ends = known = null;
    } else if (seconds !== known) {
      known = seconds;
      ends = Date.now() + Number(seconds) * 1000;
    }
  };

  const close = () => {
    ends = null;
    find("case").replaceChildren(find("over").content.cloneNode(true));
    find("case").querySelector("h1").focus();
    location.reload();
  };

  const tick = () => {
    if (ends === null) return;
    const seconds = Math.ceil((ends - Date.now()) / 1000);
    if (seconds <= 0) return close();
    const left = find("left");
    if (left) left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  };

  document.addEventListener("DOMContentLoaded", read);
  document.addEventListener("htmx:after:swap", read);
  document.addEventListener("visibilitychange", tick);
  window.addEventListener("pageshow", (event) => {
    // A page out of the browser's memory may be past its time.
    if (event.persisted) location.reload();
    read();
  });
  setInterval(tick, 1000);
})();
