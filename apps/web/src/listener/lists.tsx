import type { Locale, RadioState } from '@solstice/contracts'
import type { ComponentChildren } from 'preact'
import type { Radio } from '../radio/radio.ts'
import type { Texts } from '../texts.ts'
import { useStoredChoice } from '../ui/browser-storage.ts'
import { Icon } from '../ui/icons.tsx'
import { useStore } from '../ui/store.ts'
import { formatTime, orderLabel } from './format.ts'
import { LastNews, RequestStatus } from './sheets/request-sheet.tsx'

export function Next({ state, t }: { state: RadioState | null; t: Texts }) {
  const [count, tool] = useCount('radio_next_count', t)
  const songs = state?.playlist ?? []
  return (
    <Section id="next" title={t.next} t={t} tool={tool}>
      {songs.length === 0 && <p class="nothing">{t.nothingNext}</p>}
      <ol class="songs">
        {songs.slice(0, count).map((song, i) => (
          <li key={`${i} ${song.id}`}>
            <span class="song-text">
              <b>{song.title}</b>
              <span>{song.artist}</span>
            </span>
            {song.orderType && (
              <em class="badge" data-order={song.orderType}>
                {orderLabel(song, t)}
              </em>
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}

export function Earlier({ radio, locale, t }: { radio: Radio; locale: Locale; t: Texts }) {
  const [count, tool] = useCount('radio_earlier_count', t)
  const history = useStore(radio.history)
  return (
    <Section id="earlier" title={t.earlier} t={t} tool={tool}>
      {history.length === 0 && <p class="nothing">{t.nothingEarlier}</p>}
      <ol class="songs">
        {history
          .toReversed()
          .slice(0, count)
          .map((song) => (
            <li key={song.id}>
              <span class="song-text">
                <b>{song.title}</b>
                <span>{song.artist}</span>
              </span>
              <time dateTime={new Date(song.playedAt).toISOString()}>
                {formatTime(song.playedAt, locale)}
              </time>
            </li>
          ))}
      </ol>
    </Section>
  )
}

export function Request({
  radio,
  locale,
  t,
  onOpen,
}: {
  radio: Radio
  locale: Locale
  t: Texts
  onOpen: () => void
}) {
  return (
    <Section id="request" title={t.request.title} t={t}>
      <div class="request-summary">
        <RequestStatus radio={radio} locale={locale} t={t} />
        <button type="button" class="button" aria-haspopup="dialog" onClick={onOpen}>
          {t.request.choose}
        </button>
        <LastNews radio={radio} t={t} />
      </div>
    </Section>
  )
}

interface SectionProps {
  id: string
  title: string
  t: Texts
  tool?: ComponentChildren
  children: ComponentChildren
}

/** A part below the song that the listener may fold away for good. */
function Section({ id, title, t, tool, children }: SectionProps) {
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

/** How many songs a list shows, and the control that changes it. */
function useCount(name: string, t: Texts): [number, ComponentChildren] {
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
