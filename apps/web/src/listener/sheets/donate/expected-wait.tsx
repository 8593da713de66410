import { expectedWaitS, type Way } from '../../../radio/expected-wait.ts'
import { useStore } from '../../../ui/store.ts'
import { useNow } from '../../../ui/use-now.ts'
import { useRadio } from '../../radio-context.ts'

const REFRESH_MS = 5000

/** In how many minutes a track would be heard, in these words; nothing while nobody can say. */
export function ExpectedWait({ way, says }: { way: Way; says: (minutes: number) => string }) {
  const { radio } = useRadio()
  const heard = useStore(radio.heard)
  useNow(REFRESH_MS)
  const waitS = heard && expectedWaitS(heard.state, radio.position(), way)
  return waitS === null ? null : <span class="wait">{says(Math.max(1, Math.round(waitS / 60)))}</span>
}
