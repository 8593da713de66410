import type { RadioState } from '@solstice/contracts'
import { isChatting } from '../../radio/timeline.ts'
import { localizedText } from '../../ui/language/localized-text.ts'
import { useStore } from '../../ui/store.ts'
import { orderLabel, titleOf } from '../format.ts'
import { Face } from '../header/face.tsx'
import { useRadio } from '../radio-context.ts'
import { CoverImage, useSpread } from './cover.tsx'

/** The longest titles that are set large, and in a medium size. */
const LARGE_TITLE = 18
const MEDIUM_TITLE = 32

/** The track on air in large type, or who talks. */
export function CurrentTrack(props: { state: RadioState; kicker: string; onCover: () => void }) {
  const { state, kicker, onCover } = props
  const { radio, locale, t } = useRadio()
  const users = useStore(radio.users)
  const hosts = users.filter(({ isOnAir }) => isOnAir)
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
      <div class="record">
        {isChatting(state) ? (
          <ul class="hosts">
            {hosts.map((host, i) => (
              <li key={`${host.img} ${i}`}>
                <Face user={host} />
                <b>{localizedText(host.name, locale)}</b>
              </li>
            ))}
          </ul>
        ) : (
          <>
            <CoverButton state={state} onOpen={onCover} />
            <p class="byline">
              {state.artist && <b title={state.artist}>{state.artist}</b>}
              {record && <span title={record}>{record}</span>}
            </p>
          </>
        )}
      </div>
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

/** The cover: a press shows it large, and where the track is to be found. */
function CoverButton({ state, onOpen }: { state: RadioState; onOpen: () => void }) {
  const { t } = useRadio()
  const cover = useSpread(state.cover ?? null)
  return (
    <button type="button" class="cover-button" aria-haspopup="dialog" title={t.cover.open} onClick={onOpen}>
      <span class="unseen">{t.cover.open}</span>
      <CoverImage cover={cover} sizes={[256, 96, 512]} width="7rem" alt="" />
    </button>
  )
}
