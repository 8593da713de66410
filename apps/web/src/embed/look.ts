/** The style sheet within the player. As in `styles/tokens.css`, which does not reach into it. */
export const look = `
:host {
  --sky: #f6efe2; --ink: #1d1a16; --ink-soft: #5f5749; --light: #d9801e; --on-light: #1d1a16;
  --focus: #8a4b08; --live: #b3261e; --line: #d8cbb2; --horizon: #e9dcc3;
  display: block; max-width: 420px; color-scheme: light;
}
:host([hidden]) { display: none; }
:host([theme="night"]) {
  --sky: #10131f; --ink: #ece8df; --ink-soft: #9a9db0; --light: #c9d4ff; --on-light: #10131f;
  --focus: #c9d4ff; --live: #ff8a7a; --line: #2b3147; --horizon: #1b2033;
  color-scheme: dark;
}
@media (prefers-color-scheme: dark) {
  :host(:not([theme="day"])) {
    --sky: #10131f; --ink: #ece8df; --ink-soft: #9a9db0; --light: #c9d4ff; --on-light: #10131f;
    --focus: #c9d4ff; --live: #ff8a7a; --line: #2b3147; --horizon: #1b2033;
    color-scheme: dark;
  }
}
*, ::before, ::after { box-sizing: border-box; }
.player {
  display: grid; grid-template: "play words cover" auto / auto minmax(0, 1fr) auto;
  align-items: center; column-gap: 14px; min-height: 88px; padding: 12px 16px;
  border: 1px solid var(--line); border-radius: 14px; background: var(--sky); color: var(--ink);
  font: 15px/1.4 ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  text-align: start;
}
.play {
  grid-area: play; display: grid; place-items: center; width: 52px; height: 52px; padding: 0;
  border: 0; border-radius: 50%; background: var(--light); color: var(--on-light); cursor: pointer;
}
.play:hover { box-shadow: inset 0 0 0 2px var(--ink); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
.play:focus-visible { border-radius: 50%; }
.play svg { width: 24px; height: 24px; fill: currentColor; }
.words { grid-area: words; display: grid; gap: 1px; }
.words > * { margin: 0; min-width: 0; }
.top { display: flex; flex-wrap: wrap; gap: 0 10px; font-size: 13px; color: var(--ink-soft); }
.top a { color: inherit; text-underline-offset: 3px; overflow-wrap: anywhere; }
.mark { display: inline-flex; align-items: center; gap: 5px; white-space: nowrap; }
.mark::before { content: ""; width: 7px; height: 7px; border-radius: 50%; background: var(--light); }
.mark[data-live] { color: var(--live); font-weight: 600; }
.mark[data-live]::before { background: var(--live); }
.title, .artist {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 1; overflow: hidden; overflow-wrap: anywhere;
}
.title { font: 600 17px/1.3 ui-serif, "Iowan Old Style", "Palatino Linotype", Georgia, serif; }
.artist, .status { font-size: 13px; color: var(--ink-soft); }
.status:empty, [hidden] { display: none !important; }
.cover { grid-area: cover; width: 60px; height: 60px; border-radius: 8px; object-fit: cover; background: var(--horizon); }
:host([layout="card"]) { max-width: 340px; }
:host([layout="card"]) .player {
  grid-template: "cover cover" auto "play words" auto / auto minmax(0, 1fr); gap: 14px; padding: 14px;
}
:host([layout="card"]) .cover { width: 100%; height: auto; aspect-ratio: 1; border-radius: 10px; }
:host([layout="card"]) :is(.title, .artist) { -webkit-line-clamp: 2; }
.player[data-sound="connecting"] .play { animation: breathe 1.2s ease-in-out infinite alternate; }
@keyframes breathe { to { opacity: 0.55; } }
@media (prefers-reduced-motion: reduce) { .player[data-sound] .play { animation: none; } }
@media (forced-colors: active) { .play { border: 2px solid ButtonText; } }
`
