// A name or title that becomes a field where it stands: Enter or leaving it saves, Escape restores.

// `shown` is hidden meanwhile. `save(value)` may throw Refused; its sentence is shown under the field.
const editInPlace = (shown, value, label, longest, save) => {
  const field = make("input", { class: "g-inplace", type: "text", "aria-label": label, maxlength: longest });
  const said = make("span", { class: "g-inplace-said", role: "alert" });
  field.value = value;
  shown.hidden = true;
  shown.after(field, said);
  field.focus();
  field.select();
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    field.remove();
    said.remove();
    shown.hidden = false;
  };
  const finish = async () => {
    if (closed || field.value.trim() === value) return close();
    try {
      await save(field.value);
      close();
    } catch (error) {
      said.textContent = error instanceof Refused ? error.message : text("not saved: the connection is lost");
    }
  };
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter" && !event.isComposing) finish();
    if (event.key === "Escape") close();
  });
  field.addEventListener("blur", finish);
};
