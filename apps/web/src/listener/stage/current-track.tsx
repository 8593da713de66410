import type { RadioState } from '@solstice/contracts'
import { useStore } from '../../ui/store.ts'
import { orderLabel, titleOf } from '../format.ts'
import { useRadio } from '../radio-context.ts'

/** Titles longer than this are set smaller, those longer than twice this smaller again. */
const LONG_TITLE = 26

/** The track on air, in large type. */
export function CurrentTrack({ state, isOff }: { state: RadioState; isOff: boolean }) {
  const { radio, t } = useRadio()
  const isHostOnline = useStore(radio.connection.isHostOnline)
  const title = titleOf(state, t)
  const size = title.length > 2 * LONG_TITLE ? 's' : title.length > LONG_TITLE ? 'm' : 'l'
  const record = [state.album, state.year].filter(Boolean).join(', ')
  return (
    <>
      <p class="kicker">
        {isOff ? t.onAir : state.mode === 'night' ? t.night : t.day}
        {isHostOnline && <em class="on-air">{t.hosts.online}</em>}
        {state.orderType && <em class="badge">{orderLabel(state, t)}</em>}
      </p>
      <h1 class="title" data-size={size}>
        {title}
      </h1>
      <p class="byline">
        {state.artist && <b>{state.artist}</b>}
        {record && <span>{record}</span>}
      </p>
    </>
  )
}
