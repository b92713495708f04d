// A small menu beside the button that opens it; Escape, a click elsewhere or a choice closes it.

// `items`: {content, act, checked?, stays?} or a string for a heading. `checked` makes it a choice of one.
const openMenu = (anchor, label, items) => {
  document.querySelector(".g-popover")?.remove();
  const menu = make("div", { class: "g-popover", role: "menu", "aria-label": label, popover: "auto" });
  for (const item of items) {
    if (typeof item === "string") {
      menu.append(make("div", { class: "g-popover-title", role: "presentation" }, item));
      continue;
    }
    const choice = item.checked !== undefined;
    const node = make("button", { type: "button", role: choice ? "menuitemradio" : "menuitem", tabindex: "-1",
      ...(choice ? { "aria-checked": String(item.checked) } : {}) }, null, item.content);
    node.addEventListener("click", () => {
      if (!item.stays) menu.hidePopover();
      item.act(node, menu);
    });
    menu.append(node);
  }
  menu.addEventListener("keydown", (event) => {
    const all = [...menu.querySelectorAll("button")], at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    event.stopPropagation();
    if (to === undefined) return;
    event.preventDefault();
    all[(to + all.length) % all.length].focus();
  });
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return;
    const left = menu.contains(document.activeElement) || document.activeElement === document.body;
    menu.remove();
    if (left && anchor.isConnected) anchor.focus();
  });
  // Inside Gradio's container, where its resets of buttons and our styles hold.
  (document.querySelector(".gradio-container") ?? document.body).append(menu);
  menu.showPopover();
  const place = anchor.getBoundingClientRect(), size = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(8, Math.min(place.right - size.width, innerWidth - size.width - 8))}px`;
  const below = place.bottom + 6;
  menu.style.top = `${below + size.height > innerHeight - 8 ? Math.max(8, place.top - size.height - 6) : below}px`;
  menu.querySelector("button")?.focus();
  return menu;
};
