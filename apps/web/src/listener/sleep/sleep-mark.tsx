import './sleep-mark.css'
import { Icon } from '../../ui/icons.tsx'
import { useStore } from '../../ui/store.ts'
import { useNow } from '../../ui/use-now.ts'
import { useRadio } from '../radio-context.ts'
import type { SleepTimer } from './sleep-timer.ts'

const UPDATE_MS = 5_000

/** Says that the sound will end by itself; opens the sheet that cancels it. */
export function SleepMark({ timer, onOpen }: { timer: SleepTimer; onOpen: () => void }) {
  const { t } = useRadio()
  const sleep = useStore(timer.sleep)
  useNow(sleep ? UPDATE_MS : null)
  if (!sleep) return null
  const minutes = Math.max(1, Math.ceil(timer.leftMs() / 60_000))
  return (
    <button type="button" class="sleep-mark" aria-haspopup="dialog" onClick={onOpen}>
      <Icon name="sleep" size={18} />
      {sleep.is === 'at' ? t.extras.sleepIn(minutes) : t.extras.sleepWithTrack}
    </button>
  )
}
