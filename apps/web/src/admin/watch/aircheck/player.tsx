import { useKeys } from '../../data/keys.ts'
import { useTexts } from '../../data/panel.ts'
import { zoneTime } from '../../shell/time.ts'
import { Icon } from '../../ui/icon.tsx'
import { useWatchTexts } from '../texts.ts'
import { type Line, lineAt } from './day.ts'
import { nameOf } from './lines.tsx'
import type { DayPlayer as Player } from './use-day-player.ts'

const STEP_MS = 30_000

/** What is played of the recording, and ways through it. Nothing while nothing is. */
export function DayPlayer(props: {
  player: Player
  lines: readonly Line[]
  timeZone: string
  onCut: (fromMs: number) => void
}) {
  const { player, lines, timeZone, onCut } = props
  const t = useWatchTexts()
  const { close } = useTexts()
  const { is, atMs } = player
  useKeys(t.tabs.aircheck, [{ key: 'k', label: t.keyPlay, run: player.toggle }])
  if (is === 'off') return null
  const line = lineAt(lines, atMs)
  const isPlaying = is === 'playing'
  return (
    <section class="aircheck-player" aria-label={t.player}>
      <button type="button" class="tool" aria-label={isPlaying ? t.pause : t.play} onClick={player.toggle}>
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </button>
      <button
        type="button"
        class="text-button"
        aria-label={t.back}
        onClick={() => player.playFrom(atMs - STEP_MS)}
      >
        −30
      </button>
      <time class="aircheck-clock">{zoneTime(atMs, timeZone)}</time>
      <button
        type="button"
        class="text-button"
        aria-label={t.ahead}
        onClick={() => player.playFrom(atMs + STEP_MS)}
      >
        +30
      </button>
      <span class="aircheck-title" role={is === 'failed' ? 'alert' : undefined}>
        {is === 'failed' ? t.playFailed : line && nameOf(line, t)}
      </span>
      <button type="button" class="button" onClick={() => onCut(Math.floor(atMs))}>
        {t.cutHere}
      </button>
      <button type="button" class="tool" onClick={player.close}>
        <Icon name="close" size={18} />
        <span class="unseen">{close}</span>
      </button>
    </section>
  )
}
