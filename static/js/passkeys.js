// Passkeys: shows their forms where the browser has them, and says in words what went wrong.
"use strict";

(() => {
  const error = () => document.querySelector("[data-passkey-error]");

  document.addEventListener("DOMContentLoaded", () => {
    if (!window.PublicKeyCredential) return;
    for (const form of document.querySelectorAll("[data-passkey]")) form.hidden = false;
  });

  document.addEventListener("allauth.error", (event) => {
    const place = error();
    if (!place) return;
    event.preventDefault();
    const words = { SecurityError: "address", InvalidStateError: "known" };
    place.textContent = place.dataset[words[event.detail.exception.name] ?? "cancelled"];
  });
})();
