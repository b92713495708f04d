// One letter does what a button does. Nothing happens while somebody types, while a dialog is open, or together
// with Ctrl, Alt or ⌘; whoever speaks to the computer or types by chance can switch the letters off.

const TYPING = "input, textarea, select, [contenteditable], [role='combobox']";
const PRESSED_BY_SPACE = "button, a, summary, input, [role='button'], [role='tab']";

// The key of an event as the maps name it; null when it is none of our business.
const keyOf = (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  const target = event.composedPath()[0];
  if (!(target instanceof Element) || target.closest(TYPING) || target.closest("[popover]")) return null;
  if (document.querySelector("dialog[open]")) return null;
  if ((event.key === " " || event.key === "Enter") && target.closest(PRESSED_BY_SPACE)) return null;
  return event.key.length === 1 ? event.key.toUpperCase() : event.key;
};

const shortcuts = {
  get on() { return kept.read("shortcuts", true); },
  set on(value) { kept.write("shortcuts", value); },
};

// The map of keys: `rows` of [keys, what they do].
const showKeys = (rows) => {
  const dialog = make("dialog", { class: "g-keys", "aria-labelledby": "g-keys-title" });
  const list = make("dl", {}, null, ...rows.flatMap(([keys, what]) => [
    make("dt", {}, null, ...keys.flatMap((key, place) => [...(place ? [" "] : []), make("kbd", {}, key)])), make("dd", {}, what)]));
  const box = make("input", { type: "checkbox" });
  box.checked = shortcuts.on;
  box.addEventListener("change", () => { shortcuts.on = box.checked; });
  const close = makeButton(text("Close"), text("Close"), () => dialog.close(), { class: "g-small" });
  dialog.append(make("h2", { id: "g-keys-title" }, text("Keyboard")), list,
    make("label", { class: "g-keys-switch" }, null, box, text("Single keys work")), close);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("keydown", (event) => { if (event.key === "?") dialog.close(); });
  (document.querySelector(".gradio-container") ?? document.body).append(dialog);
  dialog.showModal();
  close.focus();
};
