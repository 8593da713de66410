import { useState } from 'preact/hooks'
import { formatDuration } from '../../../listener/format.ts'
import { momentsAt } from '../../../listener/sheets/history/moments.ts'
import { useStore } from '../../../ui/store.ts'
import { zoneTime } from '../../shell/time.ts'
import { Field } from '../../ui/fields/field.tsx'
import { Drawer } from '../../ui/layers/drawer.tsx'
import { useWatchTexts } from '../texts.ts'
import { useSound } from '../use-sound.ts'
import { type Day, isPiece, momentOf } from './day.ts'
import { soundUrl } from './use-day-player.ts'

/** A piece of a day, from one time to another, to hear and to take away. */
export function CutDrawer(props: { day: Day; piece: { fromMs: number; toMs: number }; onClose: () => void }) {
  const { day, piece, onClose } = props
  const t = useWatchTexts()
  const [fromText, setFrom] = useState(zoneTime(piece.fromMs, day.timeZone))
  const [toText, setTo] = useState(zoneTime(piece.toMs, day.timeZone))
  const sound = useSound()
  const state = useStore(sound.state)
  const momentIn = (time: string, given: number) =>
    // Within the hour that comes twice, what was chosen is meant.
    time === zoneTime(given, day.timeZone) ? given : momentOf(time, (minute) => momentsAt(day, minute))
  const [from, to] = [momentIn(fromText, piece.fromMs), momentIn(toText, piece.toMs)]
  const isRight = isPiece(from, to)
  // Whole ms within the first and the last frame: no frame of a neighbour comes along.
  const whole = { from: Math.ceil(from ?? 0), to: Math.floor(to ?? 0) }
  const hasHoles = isRight && day.holes.some(({ atMs, untilMs }) => atMs < whole.to && untilMs > whole.from)
  const id = `${whole.from} ${whole.to}`
  const isPlaying = state.is === 'playing' && state.id === id
  return (
    <Drawer
      title={t.cutTitle}
      onClose={onClose}
      actions={
        <>
          <a
            class="button primary"
            role={isRight ? undefined : 'link'}
            aria-disabled={!isRight}
            {...(isRight && { href: soundUrl(whole, { download: 'true' }), download: '' })}
          >
            {t.download}
          </a>
          <button
            type="button"
            class="button"
            aria-disabled={!isRight}
            onClick={() => isRight && sound.toggle(id, soundUrl(whole))}
          >
            {isPlaying ? t.pause : t.play}
          </button>
        </>
      }
    >
      <div class="aircheck-cut">
        <Field label={t.from} type="time" step={1} value={fromText} onValue={setFrom} />
        <Field label={t.to} type="time" step={1} value={toText} onValue={setTo} />
      </div>
      <p class="hint" role="status">
        {isRight ? t.cutLength(formatDuration((whole.to - whole.from) / 1000)) : t.cutWrong}
      </p>
      {hasHoles && <p class="hint">{t.cutHoles}</p>}
      {state.is === 'failed' && <p role="alert">{t.playFailed}</p>}
    </Drawer>
  )
}
