// <grga-copy path="rate/TOKEN" label="Link of Ada">: a button that copies the whole address, and says so.
class GrgaCopy extends HTMLElement {
  connectedCallback() {
    if (this.firstChild) return;
    const address = new URL(this.getAttribute("path"), document.baseURI).href;
    const field = document.createElement("input");
    field.readOnly = true;
    field.value = address;
    field.className = "g-field g-link";
    field.setAttribute("aria-label", this.getAttribute("label"));
    field.addEventListener("focus", () => field.select());
    const button = document.createElement("button");
    button.type = "button";
    button.className = "g-small";
    button.textContent = text("Copy link");
    button.addEventListener("click", async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(address);
        button.textContent = text("Copied");
        setTimeout(() => (button.textContent = text("Copy link")), 2000);
      } catch {
        button.textContent = text("Press Ctrl+C"); // the browser does not let a page copy; it is selected
      }
    });
    this.append(field, button);
  }
}
customElements.get("grga-copy") ?? customElements.define("grga-copy", GrgaCopy);
