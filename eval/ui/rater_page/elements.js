// Elements from plain data. Text from outside becomes text nodes and attributes, never markup.
function make(tag, options = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

// What a person wrote: blank lines part paragraphs, lines that begin with a dash make a list.
function prose(written) {
  return written.trim().split(/\n\s*\n/).map((block) => {
    const lines = block.split("\n").map((line) => line.trim());
    if (lines.every((line) => /^[-*•] /.test(line))) {
      return make("ul", {}, lines.map((line) => make("li", {}, line.slice(2))));
    }
    return make("p", {}, lines.join("\n"));
  });
}

function sentence(said) {
  const ended = /[.!?。！？…]$/.test(said) ? said : `${said}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
