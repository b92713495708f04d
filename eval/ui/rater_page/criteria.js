// One group of five buttons per criterion; each says in words what it means.
const LISTEN = "listen to a cited moment first";

class Criteria {
  #groups = new Map();
  #task;
  #outbox;
  #choose;
  node;

  constructor(task, outbox, choose) {
    this.#outbox = outbox;
    this.#choose = choose;
    this.node = make("section", { class: "criteria", "aria-label": text("Your scores") }, task.criteria.map((one, place) => this.#group(one, place)));
    this.show(task);
  }

  #group(criterion, place) {
    const [name, question, lock, saved] = ["name", "question", "lock", "saved"].map((part) => `c${place}-${part}`);
    const buttons = criterion.anchors.map((anchor, index) =>
      make(
        "button",
        { type: "button", role: "radio", class: "score", "aria-checked": "false", onclick: () => this.#choose(criterion.name, index + 1) },
        make("b", {}, String(index + 1)),
        make("span", {}, anchor),
      ),
    );
    const parts = {
      buttons,
      lock: make("p", { class: "lock", id: lock }),
      saved: make("span", { class: "saved", id: saved }),
      scores: make("div", { role: "radiogroup", "aria-labelledby": name, "aria-describedby": `${question} ${lock}`, onkeydown: (event) => this.#move(event, buttons) }, buttons),
      question: make("p", { class: "asks", id: question }, criterion.question),
    };
    parts.node = make("div", { class: "panel criterion" }, make("header", {}, make("h2", { id: name }, criterion.name), parts.saved), parts.question, parts.lock, parts.scores);
    this.#groups.set(criterion.name, parts);
    return parts.node;
  }

  // Arrows only move: what was reached by them is chosen with Space or Enter, so nothing is saved in passing.
  #move(event, buttons) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = buttons.indexOf(document.activeElement);
    this.#focus(buttons, (at + step + buttons.length) % buttons.length);
  }

  #focus(buttons, index) {
    buttons.forEach((button, place) => (button.tabIndex = place === index ? 0 : -1));
    buttons[index].focus();
  }

  // A digit rates the criterion that has the focus, else the first one that is free and has no score.
  digit(score) {
    const names = [...this.#groups.keys()];
    const name =
      names.find((one) => this.#groups.get(one).node.contains(document.activeElement)) ??
      names.find((one) => !this.#lock(one) && this.#score(one) === undefined);
    if (name === undefined || this.#lock(name)) return;
    this.#focus(this.#groups.get(name).buttons, score - 1);
    this.#choose(name, score);
  }

  #of(name) {
    return this.#task.criteria.find((one) => one.name === name);
  }

  #lock(name) {
    return this.#of(name).locked;
  }

  #score(name) {
    return this.#outbox.score(this.#task.id, name) ?? this.#of(name).score ?? undefined;
  }

  get complete() {
    return this.#task.criteria.every(({ name }) => this.#score(name) !== undefined);
  }

  show(task) {
    this.#task = task;
    for (const { name, locked } of task.criteria) {
      const { node, buttons, lock, saved, scores, question } = this.#groups.get(name);
      const score = this.#score(name);
      const waiting = this.#outbox.score(task.id, name) !== undefined;
      const later = locked !== "" && locked !== LISTEN;
      node.classList.toggle("locked", locked !== "");
      lock.textContent = locked === "" ? "" : later ? text("Comes after the one before it.") : text("Listen to a cited moment first.");
      scores.hidden = question.hidden = later;
      saved.textContent = score === undefined ? "" : waiting ? text("saving…") : `✓ ${text("saved")}`;
      saved.classList.toggle("waiting", waiting);
      buttons.forEach((button, index) => {
        button.setAttribute("aria-checked", String(score === index + 1));
        button.setAttribute("aria-disabled", String(locked !== ""));
        if (!scores.contains(document.activeElement)) button.tabIndex = index + 1 === (score ?? 1) ? 0 : -1;
      });
    }
  }
}
