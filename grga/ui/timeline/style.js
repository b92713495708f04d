// The look of <grga-timeline>; colours are tokens of the page.

const TIMELINE_STYLE = `
:host { display: block; font: 13px/1.4 var(--g-font); color: var(--g-ink); }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
:focus-visible { outline: 2px solid var(--g-accent); outline-offset: 2px; border-radius: 6px; }
.bar { display: flex; align-items: center; gap: 12px; margin-bottom: 10px; min-height: 40px; flex-wrap: wrap; }
.play { width: 40px; height: 40px; border-radius: 50%; background: var(--g-ink); color: var(--g-bg); display: grid; place-items: center; }
.play svg { width: 14px; height: 14px; fill: currentColor; display: block; }
.time { font-size: 15px; font-variant-numeric: tabular-nums; } .time b { font-weight: 600; }
.soft { color: var(--g-soft); font-variant-numeric: tabular-nums; }
.space { flex: 1; }
.of { font-weight: 600; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.tools { display: flex; align-items: center; gap: 8px; color: var(--g-soft); }
.tools button { min-width: 30px; height: 30px; padding: 0 9px; border: 1px solid var(--g-line); border-radius: 8px; background: var(--g-panel); }
.tools button:hover { background: var(--g-hover); color: var(--g-ink); }
.tools button[aria-pressed="true"] { background: var(--g-accent-soft); color: var(--g-accent); border-color: transparent; }
.tools button:disabled { opacity: .45; cursor: default; }
.rate { min-width: 40px; height: 30px; padding: 0 8px; border-radius: 8px; color: var(--g-soft); font-variant-numeric: tabular-nums; }
.rate:hover { background: var(--g-hover); }
.body { display: grid; grid-template-columns: var(--names) minmax(0, 1fr); max-height: 340px; overflow-y: auto; }
.name { display: flex; align-items: center; gap: 7px; min-width: 0; padding-right: 10px; }
.name i { flex: none; display: grid; place-items: center; min-width: 18px; height: 18px; padding: 0 2px; border-radius: 5px; font: 600 11px/1 var(--g-font); color: var(--g-on-speaker); }
.name span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--g-soft); }
.scroll { overflow-x: auto; overflow-y: hidden; position: relative; scrollbar-width: thin; scrollbar-color: var(--g-line) transparent; touch-action: pan-x pan-y; }
.stage { position: relative; cursor: pointer; user-select: none; -webkit-user-select: none; }
.stage.pan, .stage.pan * { cursor: grabbing; }
svg.map { display: block; position: sticky; left: 0; overflow: hidden; }
svg text { font: 11px var(--g-font); fill: var(--g-soft); font-variant-numeric: tabular-nums; }
.lane { fill: var(--g-hover); } .wave { fill: color-mix(in srgb, var(--g-soft) 32%, var(--g-panel)); }
.sound { fill: var(--g-ink); opacity: .8; }
.said { opacity: .45; } .both { opacity: .95; }
svg .inside { font-weight: 600; font-size: 10px; fill: var(--g-ink); opacity: .75; text-anchor: middle; }
.only :is(.said, .both) { opacity: .12; } .only .found { display: none; }
.found { fill: var(--g-panel); fill-opacity: .35; stroke: var(--g-accent); stroke-width: 1.5; }
.cite { cursor: pointer; outline-offset: 1px; }
.cite .span, .cite .pin { fill: var(--g-accent); }
.cite .stem { stroke: var(--g-accent); stroke-width: 1; opacity: .55; }
.cite text { fill: var(--g-on-accent); font-weight: 600; text-anchor: middle; }
.cite.selected .span { stroke: var(--g-ink); stroke-width: 2; } .cite.selected .pin { fill: var(--g-ink); }
.cite.selected text { fill: var(--g-bg); } .cite.selected .stem { stroke: var(--g-ink); opacity: 1; }
.cite:hover .stem { opacity: 1; }
.head { position: absolute; top: 0; bottom: 0; left: 0; width: 11px; margin-left: -5px; cursor: ew-resize; touch-action: none; background: linear-gradient(var(--g-ink), var(--g-ink)) center / 1.5px 100% no-repeat; }
.head::before { content: ""; position: absolute; top: 12px; left: 1px; border: 4.5px solid transparent; border-top-color: var(--g-ink); }
.legend { display: flex; gap: 6px 16px; flex-wrap: wrap; font-size: 12.5px; color: var(--g-soft); padding-top: 8px; }
.legend span { display: inline-flex; align-items: center; gap: 6px; }
.legend span::before { content: ""; width: 14px; height: 9px; border-radius: 2.5px; box-sizing: border-box; background: var(--k); border: 1.5px solid var(--b, transparent); }
.legend .sound-key::before { width: 9px; border: 0; border-radius: 0; clip-path: polygon(50% 0, 100% 100%, 0 100%); }
.legend .cited-key, .legend .found-key, .tools .only-button { display: none; }
.marked .cited-key, .marked .found-key { display: inline-flex; } .marked .only-button { display: inline-block; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.tip { position: absolute; left: 0; pointer-events: none; padding: 2px 7px; border-radius: 6px; background: var(--g-ink); color: var(--g-bg); font-size: 12px; white-space: nowrap; display: none; z-index: 2; font-variant-numeric: tabular-nums; }
.word { display: inline; }
@media (max-width: 640px) {
  .word { display: none; } .name span { display: none; } .name { padding-right: 6px; } .bar { gap: 6px; } .tools { gap: 5px; }
  .tools button { padding: 0 7px; } .rate { min-width: 34px; padding: 0 4px; } .legend { font-size: 12px; gap: 6px 12px; }
}
`;
