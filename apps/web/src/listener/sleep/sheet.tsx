import './sheet.css'
import { Sheet, SheetHead } from '../../ui/sheet/sheet.tsx'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { formatDuration } from '../format.ts'
import { useRadio } from '../radio-context.ts'
import { useSheetTexts } from '../sheets/texts.ts'
import type { SleepTimer } from './sleep-timer.ts'

const MINUTES = [15, 30, 45, 60]
const MINUTE_MS = 60_000

/** Sets the sleep timer, shows it and cancels it. */
export function SleepSheet({ timer, onClose }: { timer: SleepTimer; onClose: () => void }) {
  const { radio, t } = useRadio()
  const s = useSheetTexts().sleep
  const sleep = useStore(timer.sleep)
  const sound = useStore(radio.sound)
  const heard = useStore(radio.heard)
  useNow(sleep ? 1000 : null)
  const isOn = sound.is === 'playing' || sound.is === 'starting' || sound.is === 'retrying'
  const hasTrack = heard !== null && heard.state.duration > 0
  const text = sleep ? s.set(s.in(formatDuration(Math.ceil(timer.leftMs() / 1000)))) : ''
  return (
    <Sheet class="side sleep" label={s.title} onClose={onClose}>
      <div class="sheet-body">
        <SheetHead title={s.title} close={t.close} />
        <p role={sleep ? 'timer' : undefined}>{text || (isOn ? s.hint : s.notPlaying)}</p>
        <div class="sleep-options">
          {MINUTES.map((minutes) => (
            <button
              key={minutes}
              type="button"
              class="button"
              disabled={!isOn}
              onClick={() => timer.set({ is: 'at', atMs: Date.now() + minutes * MINUTE_MS })}
            >
              {s.minutes(minutes)}
            </button>
          ))}
          <button
            type="button"
            class="button"
            disabled={!isOn || !hasTrack}
            onClick={() => heard && timer.set({ is: 'with-track', startedAtMs: heard.startedAtMs })}
          >
            {s.endOfTrack}
          </button>
        </div>
        {sleep && (
          <button type="button" class="button" onClick={() => timer.set(null)}>
            {s.cancel}
          </button>
        )}
      </div>
    </Sheet>
  )
}
