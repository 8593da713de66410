import './lists.css'
import type { RadioState } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useStoredChoice } from '../ui/browser-storage.ts'
import { Icon } from '../ui/icons.tsx'
import { useStore } from '../ui/store.ts'
import { TrackLine } from './covers/track-line.tsx'
import { formatTime, orderLabel } from './format.ts'
import { Heart } from './kept/heart.tsx'
import { preferences } from './preferences/preferences.ts'
import { useRadio } from './radio-context.ts'
import { LastNews } from './sheets/news-toast.tsx'
import { RequestStatus } from './sheets/request/status.tsx'

/** Below the track: what comes next, what played earlier, and requests. */
export function Lists(props: {
  state: RadioState | null
  onRequest: () => void
  onTrack: (track: string) => void
}) {
  const { state, onRequest, onTrack } = props
  const next = useStore(preferences.next)
  const hasEarlier = useStore(preferences.earlier) === 'show'
  const hasLibrary = useStore(preferences.library) === 'show'
  return (
    <div class="lists">
      {next !== 'hide' && <Next tracks={state?.playlist ?? []} isBlurred={next === 'blur'} />}
      {hasEarlier && <Earlier onTrack={onTrack} />}
      {hasLibrary && <Request onOpen={onRequest} />}
    </div>
  )
}

function Next({ tracks, isBlurred }: { tracks: RadioState['playlist']; isBlurred: boolean }) {
  const { t } = useRadio()
  const [isRevealed, setRevealed] = useState(false)
  const isHidden = isBlurred && !isRevealed && tracks.length > 0
  const [count, tool] = useCount('radio_next_count')
  return (
    <Section id="next" title={t.next} tool={tool}>
      {tracks.length === 0 && <p class="nothing">{t.nothingNext}</p>}
      {isHidden && (
        <button type="button" class="text-button" onClick={() => setRevealed(true)}>
          {t.extras.reveal}
        </button>
      )}
      <ol class="tracks" data-blurred={isHidden} inert={isHidden}>
        {tracks.slice(0, count).map((track, i) => (
          <li key={`${i} ${track.id}`}>
            <TrackLine id={track.id} track={track} isLive />
            {track.orderType && (
              <em class="badge" data-order={track.orderType}>
                {orderLabel(track, t)}
              </em>
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}

function Earlier({ onTrack }: { onTrack: (track: string) => void }) {
  const { radio, locale, t } = useRadio()
  const [count, tool] = useCount('radio_earlier_count')
  const history = useStore(radio.history)
  return (
    <Section id="earlier" title={t.earlier} tool={tool}>
      {history?.length === 0 && <p class="nothing">{t.nothingEarlier}</p>}
      <ol class="tracks">
        {history
          ?.slice(-count)
          .reverse()
          .map((track) => (
            <li key={track.id}>
              <button
                type="button"
                class="song-link"
                aria-haspopup="dialog"
                onClick={() => onTrack(track.trackId)}
              >
                <TrackLine id={track.trackId} track={track} isLive />
              </button>
              <Heart track={{ id: track.trackId, title: track.title, artist: track.artist }} />
              <time dateTime={new Date(track.playedAt).toISOString()}>
                {formatTime(track.playedAt, locale)}
              </time>
            </li>
          ))}
      </ol>
    </Section>
  )
}

function Request({ onOpen }: { onOpen: () => void }) {
  const { t } = useRadio()
  return (
    <Section id="request" title={t.request.title}>
      <div class="request-summary">
        <RequestStatus />
        <button type="button" class="button" aria-haspopup="dialog" onClick={onOpen}>
          {t.request.choose}
        </button>
        <LastNews />
      </div>
    </Section>
  )
}

interface SectionProps {
  id: string
  title: string
  tool?: ComponentChildren
  children: ComponentChildren
}

/** A section that the listener may fold; it stays folded on the next visit. */
function Section({ id, title, tool, children }: SectionProps) {
  const { t } = useRadio()
  const [shown, setShown] = useStoredChoice(`radio_${id}_shown`, ['true', 'false'])
  const isShown = shown === 'true'
  return (
    <section aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {isShown && tool}
        <button
          type="button"
          class="tool"
          aria-expanded={isShown}
          aria-controls={`${id}-body`}
          title={t.showSection(title)}
          onClick={() => setShown(isShown ? 'false' : 'true')}
        >
          <Icon name={isShown ? 'fold' : 'unfold'} size={18} />
          <span class="unseen">{t.showSection(title)}</span>
        </button>
      </div>
      <div id={`${id}-body`} hidden={!isShown}>
        {children}
      </div>
    </section>
  )
}

/** How many tracks a list shows, and the control that changes it. */
function useCount(name: string): [number, ComponentChildren] {
  const { t } = useRadio()
  const [count, setCount] = useStoredChoice(name, ['10', '1'])
  return [
    Number(count),
    <button
      key="count"
      type="button"
      class="text-button"
      onClick={() => setCount(count === '1' ? '10' : '1')}
    >
      {count === '1' ? t.showTen : t.showOne}
    </button>,
  ]
}
