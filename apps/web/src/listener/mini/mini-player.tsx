import './mini-player.css'
import { render } from 'preact'
import type { Radio } from '../../radio/radio.ts'
import { isChatting } from '../../radio/timeline.ts'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { formatDuration, titleOf, trackLine } from '../format.ts'
import { RadioProvider, useRadio } from '../radio-context.ts'
import { PlayButton } from '../stage/controls/play-button.tsx'
import type { Texts } from '../texts/texts.ts'

const SIZE = { width: 360, height: 152 }
const TICK_MS = 1000

type View = { radio: Radio; locale: 'uk' | 'en'; t: Texts }

/** Opens the small player in a window that stays above others. Call it from a press. */
export async function openMiniPlayer(view: View): Promise<void> {
  const opened = await window.documentPictureInPicture?.requestWindow(SIZE)
  if (!opened) return
  copyStyles(opened)
  const { documentElement: root, body } = opened.document
  const follow = () => {
    const { mode = 'day', accent } = document.documentElement.dataset
    Object.assign(root.dataset, { mode, ...(accent && { accent }) })
    root.style.cssText = document.documentElement.style.cssText
  }
  follow()
  root.lang = view.locale
  opened.document.title = view.t.extras.mini
  const watch = new MutationObserver(follow)
  watch.observe(document.documentElement, { attributes: true })
  render(
    <RadioProvider value={view}>
      <MiniPlayer />
    </RadioProvider>,
    body,
  )
  opened.addEventListener('pagehide', () => {
    watch.disconnect()
    render(null, body)
  })
}

/** By script, since the policy of the page holds for the window too. */
function copyStyles(to: Window & { CSSStyleSheet?: typeof CSSStyleSheet }): void {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText))
  const sheet = new (to as unknown as typeof globalThis).CSSStyleSheet()
  sheet.replaceSync(rules.join('\n'))
  to.document.adoptedStyleSheets = [sheet]
}

function MiniPlayer() {
  const { radio, t } = useRadio()
  const state = useStore(radio.heard)?.state ?? null
  useNow(TICK_MS)
  if (!state) return <main class="mini" />
  const next = state.playlist[0]
  const [small, sharp = small] = navigator.mediaSession?.metadata?.artwork ?? []
  return (
    <main class="mini">
      {sharp && <img src={sharp.src} alt="" />}
      <div class="mini-text">
        <p class="mini-title">{titleOf(state, t)}</p>
        <p>{state.artist}</p>
      </div>
      <PlayButton />
      {!isChatting(state) && state.duration > 0 && (
        <TrackTime position={radio.position()} duration={state.duration} />
      )}
      {next && <p class="nothing">{`${t.next}: ${trackLine(next)}`}</p>}
    </main>
  )
}

/** A picture with a text, not a progress bar: screen readers would speak of each second. */
function TrackTime({ position, duration }: { position: number; duration: number }) {
  const { t } = useRadio()
  return (
    <div
      class="mini-time"
      role="img"
      aria-label={t.songTime(formatDuration(position), formatDuration(duration))}
    >
      <progress max={duration} value={position} aria-hidden="true" />
    </div>
  )
}
