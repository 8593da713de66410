import type { RadioState } from '@solstice/contracts'
import { useStore } from '../../ui/store.ts'
import { orderLabel, titleOf } from '../format.ts'
import { useRadio } from '../radio-context.ts'

/** The longest titles that are set large, and in a medium size. */
const LARGE_TITLE = 18
const MEDIUM_TITLE = 32

/** The track on air, in large type. */
export function CurrentTrack({ state, kicker }: { state: RadioState; kicker: string }) {
  const { radio, t } = useRadio()
  const isHostOnline = useStore(radio.connection.isHostOnline)
  const record = [state.album, state.year].filter(Boolean).join(', ')
  return (
    <>
      <p class="kicker">
        {kicker}
        {isHostOnline && <em class="on-air">{t.hosts.online}</em>}
        {state.orderType && <em class="badge">{orderLabel(state, t)}</em>}
      </p>
      <Headline text={titleOf(state, t)} />
      <p class="byline">
        {state.artist && <b title={state.artist}>{state.artist}</b>}
        {record && <span title={record}>{record}</span>}
      </p>
    </>
  )
}

/** A title in a box that is as high for every title. */
export function Headline({ text }: { text: string }) {
  const size = text.length > MEDIUM_TITLE ? 's' : text.length > LARGE_TITLE ? 'm' : 'l'
  return (
    <div class="headline">
      <h1 class="title" data-size={size} title={size === 's' ? text : undefined}>
        {text}
      </h1>
    </div>
  )
}
