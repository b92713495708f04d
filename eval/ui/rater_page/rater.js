// The rater's way: consent, one answer after the other, thanks. Where a rater stands is known to the server alone.
const token = location.pathname.split("/").filter(Boolean).at(-1);
const base = token; // relative to /rate/
const room = document.getElementById("rate");
const outbox = new Outbox(base);
const player = new Player(document.getElementById("player"), base);
let view, answer, criteria, bar;

const dark = matchMedia("(prefers-color-scheme: dark)");
const dress = () => document.documentElement.classList.toggle("dark", dark.matches);
dark.addEventListener("change", dress);
dress();

// --- asking the server -----------------------------------------------------------------------------

async function ask(path, options) {
  for (let failed = 0; ; failed++) {
    try {
      const reply = await fetch(`${base}/${path}`, { cache: "no-store", ...options });
      if (reply.status < 500) {
        const said = await reply.json();
        return reply.ok ? said : { error: said.error };
      }
    } catch {
      // No connection, or no server at present: the same again.
    }
    room.dataset.waiting = "";
    if (!view) show(make("p", { class: "notice", role: "status" }, text("Waiting for the connection…")));
    await new Promise((done) => setTimeout(done, WAITS[Math.min(failed, WAITS.length - 1)]));
  }
}

async function go(position) {
  await outbox.idle();
  player.stop();
  const asked = await ask(position === undefined ? "view" : `view?position=${position}`);
  arrive(asked);
}

// The same answer again, for what has changed: locks, what was heard, feedback.
async function refresh() {
  const task = view?.task;
  if (!task) return;
  const asked = await ask(`view?position=${task.position}`);
  if (asked.error || !asked.open) return arrive(asked);
  if (asked.task?.id !== view.task?.id) return;
  view = asked;
  patch();
}

// --- pages -----------------------------------------------------------------------------------------

function show(...nodes) {
  delete room.dataset.waiting;
  room.replaceChildren(...nodes);
}

function arrive(asked) {
  answer = criteria = bar = undefined;
  if (asked.error) return show(leaf(text("This page cannot be shown"), make("p", { role: "alert" }, sentence(asked.error))));
  view = asked;
  document.title = view.title;
  if (!view.open) return show(leaf(text("This study is closed"), make("p", {}, text("Thank you for your part in it.")), view.consented ? download() : null));
  if (!view.consented) return show(welcome());
  if (!view.task) return show(thanks());
  taskPage();
}

function leaf(title, ...children) {
  const heading = make("h1", { tabindex: -1 }, title);
  return make("div", { class: "leaf" }, heading, ...children);
}

function welcome() {
  const begin = make("button", { type: "button", class: "main", onclick: agree }, text("I agree and begin"));
  async function agree() {
    begin.disabled = true;
    arrive(await ask("consent", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" }));
  }
  return leaf(
    view.title,
    make("p", { class: "lead" }, text("You will read answers to questions about meetings, hear the moments they cite, and give scores from 1 to 5.")),
    view.guidelines ? make("section", { class: "panel prose" }, make("h2", {}, text("Guidelines")), prose(view.guidelines)) : null,
    make("section", { class: "panel prose" }, make("h2", {}, text("Consent")), prose(view.consent || text("Taking part is voluntary, and you may stop at any time. Your scores and what you listened to are kept."))),
    make("p", { class: "hint" }, text("Every score is saved at once. You can stop, and go on later with the same link on any device.")),
    begin,
  );
}

function thanks() {
  return leaf(
    text("Thank you. That was everything."),
    make("p", { class: "lead" }, text("All {n} answers are rated and saved.", { n: view.total })),
    make("div", { class: "row" }, download(), make("button", { type: "button", class: "plain", onclick: () => go(view.total - 1) }, text("Look at my scores again"))),
  );
}

function download() {
  return make("a", { class: "plain", href: `${base}/my-ratings.csv`, download: "my-ratings.csv" }, text("Download my scores"));
}

function taskPage() {
  const { task } = view;
  answer = new Answer(task, player);
  criteria = new Criteria(task, outbox, choose);
  bar = {
    count: make("span", { class: "count" }),
    fill: make("i"),
    status: make("span", { class: "status", role: "status" }),
    feedback: make("div", { role: "status" }),
    next: make("button", { type: "button", class: "main", onclick: () => go(view.task.position + 1) }),
  };
  show(
    make(
      "header",
      { class: "top" },
      make("div", { class: "where" }, make("span", { class: "study" }, view.title), bar.count),
      make("div", { class: "bar", "aria-hidden": "true" }, bar.fill),
      view.guidelines ? make("details", { class: "guide" }, make("summary", {}, text("Guidelines")), make("div", { class: "panel prose" }, prose(view.guidelines))) : null,
    ),
    make("div", { class: "work" }, answer.node, make("div", { class: "judge" }, criteria.node, bar.feedback)),
    make(
      "nav",
      { class: "foot", "aria-label": text("Answers") },
      make("button", { type: "button", class: "plain", disabled: task.position === 0, onclick: () => go(task.position - 1) }, text("Back")),
      bar.status,
      bar.next,
    ),
  );
  patch();
  scrollTo(0, 0);
  answer.node.querySelector("h1").focus({ preventScroll: true });
}

// Bring what is shown up to date in place: a button under somebody's finger is never replaced.
function patch() {
  if (!bar) return;
  const { task, done, total } = view;
  answer.showHeard(task);
  criteria.show(task);
  bar.count.textContent = text("{n} of {total}", { n: Math.min(task.position + 1, total), total });
  bar.fill.style.width = `${(done / total) * 100}%`;
  bar.next.textContent = task.position + 1 === total ? text("Finish") : text("Next");
  bar.next.disabled = !criteria.complete;
  if (bar.feedback.textContent !== task.feedback) {
    bar.feedback.replaceChildren(make("p", { class: "notice" }, task.feedback));
    bar.feedback.scrollIntoView({ block: "nearest" });
  }
  tell();
}

function tell(said = "") {
  if (!bar) return;
  const waiting = outbox.waiting.length > 0;
  const state = said ? "bad" : waiting ? (outbox.trouble ? "warn" : "") : "ok";
  const given = view.task.criteria.some((one) => one.score !== null);
  bar.status.className = `status ${state}`;
  bar.status.textContent = said || (waiting ? (outbox.trouble ? text("Not saved yet: trying again") : text("Saving…")) : given ? `✓ ${text("Everything is saved")}` : "");
}

// --- what happens ----------------------------------------------------------------------------------

function choose(criterion, score) {
  const { locked } = view.task.criteria.find((one) => one.name === criterion);
  if (locked) return tell(text(locked === LISTEN ? "Listen to a cited moment first." : "Comes after the one before it."));
  outbox.add("score", { task: view.task.id, criterion, score });
  patch();
}

outbox.addEventListener("change", () => patch());
outbox.addEventListener("saved", ({ detail: { path, body, said } }) => {
  const shown = view?.task;
  if (shown?.id !== body.task) return;
  if (path === "score") shown.criteria.find((one) => one.name === body.criterion).score = body.score;
  // Something may be free now, or there is feedback to read.
  if (path === "heard" || said.done || shown.criteria.some((one) => one.locked)) refresh();
});
outbox.addEventListener("refused", async ({ detail: { said } }) => {
  await refresh();
  tell(sentence(said.error ?? text("This was not accepted")));
});
player.addEventListener("change", () => answer?.showPlaying());
player.addEventListener("heard", ({ detail }) => outbox.add("heard", detail));
player.addEventListener("silent", () => tell(text("This moment cannot be played. Try again in a moment.")));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !criteria || !/^[1-5]$/.test(event.key)) return;
  event.preventDefault();
  criteria.digit(Number(event.key));
});

outbox.pump();
go();
