// Dragging, pinching and scrubbing.

// Drag `stage` with the mouse to scroll `scroller`; a drag is no click. (Fingers scroll natively.)
const panning = (stage, scroller) => {
  let begin = null, dragged = false;
  stage.addEventListener("pointerdown", (event) => {
    dragged = false;
    if (event.pointerType === "mouse" && event.button === 0 && !event.target.closest(".cite, .head"))
      begin = { x: event.clientX, left: scroller.scrollLeft };
  });
  stage.addEventListener("pointermove", (event) => {
    if (!begin) return;
    const moved = event.clientX - begin.x;
    if (!dragged && Math.abs(moved) > 4 && scroller.scrollWidth > scroller.clientWidth) {
      dragged = true;
      stage.setPointerCapture(event.pointerId);
      stage.classList.add("pan");
    }
    if (dragged) scroller.scrollLeft = begin.left - moved;
  });
  for (const name of ["pointerup", "pointercancel"])
    stage.addEventListener(name, () => { begin = null; stage.classList.remove("pan"); });
  stage.addEventListener("click", (event) => {
    if (dragged) event.stopImmediatePropagation();
    dragged = false;
  }, true);
};

// Two fingers: `zoom(factor, x)` with the place between them.
const pinching = (node, zoom) => {
  let apart = 0;
  const measure = ({ touches: [a, b] }) => Math.max(Math.abs(a.clientX - b.clientX), 20);
  node.addEventListener("touchstart", (event) => { if (event.touches.length === 2) apart = measure(event); }, { passive: true });
  node.addEventListener("touchmove", (event) => {
    if (event.touches.length !== 2) return;
    event.preventDefault();
    const now = measure(event), [a, b] = event.touches;
    if (Math.abs(now / apart - 1) < 0.02) return;
    zoom(now / apart, (a.clientX + b.clientX) / 2);
    apart = now;
  }, { passive: false });
};

// Drag `handle` along: `move(x)` with the pointer's place.
const scrubbing = (handle, move) => {
  handle.addEventListener("pointerdown", (event) => { handle.setPointerCapture(event.pointerId); event.stopPropagation(); });
  handle.addEventListener("pointermove", (event) => { if (handle.hasPointerCapture(event.pointerId)) move(event.clientX); });
  handle.addEventListener("click", (event) => event.stopPropagation());
};
