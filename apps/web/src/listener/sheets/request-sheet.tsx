import type { LibraryItem, Locale } from '@solstice/contracts'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { OrderNews } from '../../radio/donations.ts'
import { findSongs } from '../../radio/library.ts'
import type { Radio } from '../../radio/radio.ts'
import { type BlockedReason, blockedReason, type Cooldown, cooldownSecsLeft } from '../../radio/requests.ts'
import { localNowMs } from '../../radio/station-clock.ts'
import { counted, type Texts } from '../../texts.ts'
import { Icon } from '../../ui/icons.tsx'
import { closeSheet, Sheet } from '../../ui/sheet.tsx'
import { useStore } from '../../ui/store.ts'
import { formatDuration, songLine } from '../format.ts'

const FIRST_SONGS = 5
const MORE_SONGS = 10
const NEWS_SHOWN_MS = 12_000
const TICK_MS = 250

interface Props {
  radio: Radio
  locale: Locale
  t: Texts
}

/** Any song of the programme may be asked for, whenever somebody is there who may say yes. */
export function RequestSheet(props: Props & { onClose: () => void; onSupport: (song: LibraryItem) => void }) {
  const { radio, locale, t, onClose, onSupport } = props
  const shelf = useStore(radio.library.state)
  const { isSending: isAsking } = radio.connection.requests
  const isBusy = useStore(isAsking)
  const config = useStore(radio.config)
  const { hindrance } = useHindrance(radio)
  const [query, setQuery] = useState('')
  const [shown, setShown] = useState(FIRST_SONGS)
  const list = useRef<HTMLOListElement>(null)
  const songs = shelf.is === 'here' ? shelf.songs : null
  const found = useMemo(() => (songs ? findSongs(songs, query) : []), [songs, query])

  useEffect(() => radio.library.open(), [radio])
  // Who works without a pointer goes on with the first of the songs that came.
  useEffect(() => {
    if (shown > FIRST_SONGS) list.current?.children[shown - MORE_SONGS]?.querySelector('button')?.focus()
  }, [shown])

  const search = (words: string) => {
    setQuery(words)
    setShown(FIRST_SONGS)
  }
  const ask = (song: LibraryItem) => {
    if (!hindrance) void radio.connection.requests.send(song)
  }

  return (
    <Sheet class="request" label={t.request.title} onClose={onClose}>
      <div class="sheet-body">
        <div class="sheet-head">
          <h2>{t.request.title}</h2>
          <button type="button" class="tool" onClick={closeSheet}>
            <Icon name="close" />
            <span class="unseen">{t.close}</span>
          </button>
        </div>
        <RequestStatus id="request-standing" radio={radio} locale={locale} t={t} />
        <label class="search">
          <Icon name="search" size={18} />
          <span class="unseen">{t.request.search}</span>
          <input
            type="search"
            autofocus
            autocomplete="off"
            maxLength={300}
            placeholder={t.request.search}
            value={query}
            onInput={(event) => search(event.currentTarget.value)}
          />
        </label>
        <p class="nothing" role="status">
          {shelf.is === 'loading' && t.request.loading}
          {shelf.is === 'failed' && t.request.failed}
          {songs && found.length > 0 && counted(found.length, t.request.found, locale)}
          {songs && found.length === 0 && (songs.length ? t.request.none : t.request.empty)}
        </p>
        {shelf.is === 'failed' && (
          <button type="button" class="button" onClick={radio.library.retry}>
            {t.request.again}
          </button>
        )}
        <ol class="songs" ref={list}>
          {found.slice(0, shown).map(({ song }) => (
            <li key={song.id}>
              <span class="song-text">
                <b>{song.title}</b>
                <span>{song.artist}</span>
              </span>
              <button
                type="button"
                class="button"
                aria-label={t.request.oneOf(songLine(song))}
                // Not taken out of the order of keys: the focus stays where it is while a wait begins.
                aria-disabled={hindrance !== null || isBusy}
                aria-describedby={hindrance ? 'request-standing' : undefined}
                onClick={() => ask(song)}
              >
                {t.request.one}
              </button>
              {config?.donationInfo && (
                <button
                  type="button"
                  class="button"
                  aria-label={t.support.oneOf(songLine(song))}
                  aria-haspopup="dialog"
                  onClick={() => onSupport(song)}
                >
                  {t.support.one}
                </button>
              )}
            </li>
          ))}
        </ol>
        {found.length > shown && (
          <button type="button" class="button more" onClick={() => setShown(shown + MORE_SONGS)}>
            {t.request.more(Math.min(MORE_SONGS, found.length - shown))}
          </button>
        )}
      </div>
      <NewsToast radio={radio} t={t} />
    </Sheet>
  )
}

/** Whether one may ask, else why not and for how long. */
export function RequestStatus({ id, radio, locale, t }: Props & { id?: string }) {
  const { hindrance, secsLeft, wait } = useHindrance(radio)
  return (
    <div class="standing" id={id}>
      <p>
        {t.request[hindrance ?? 'ready']}{' '}
        {hindrance === 'cooldown' && (
          <span role="timer">
            <b aria-hidden="true">{formatDuration(secsLeft)}</b>
            <span class="unseen">{counted(secsLeft, t.request.seconds, locale)}</span>
          </span>
        )}
      </p>
      {hindrance === 'cooldown' && wait && (
        <span class="refill" aria-hidden="true" style={{ '--filled': 1 - secsLeft / wait.ofS }} />
      )}
    </div>
  )
}

/** What became of the last request, for as long as it is known. */
export function LastNews({ radio, t }: Omit<Props, 'locale'>) {
  const news = useStore(radio.connection.requests.news)
  return news && <p class="nothing">{t.news[news.is](songLine(news.song))}</p>
}

/** The same, and what became of a paid order that nobody looks at, said once when it becomes known. A modal sheet needs one of its own: what is behind it is silent. */
export function NewsToast({ radio, t }: Omit<Props, 'locale'>) {
  const asked = useStore(radio.connection.requests.news)
  const paid = useStore(radio.donations.news)
  const isPaid = paid !== null && paid.sinceMs > (asked?.sinceMs ?? 0)
  const news = isPaid ? paid : asked
  const songOf = ({ song }: OrderNews) => (song ? songLine(song) : t.support.news.aSong)
  const [isOver, setOver] = useState(true)
  useEffect(() => {
    const leftMs = news ? news.sinceMs + NEWS_SHOWN_MS - localNowMs() : 0
    setOver(leftMs <= 0)
    if (leftMs <= 0) return
    const timer = setTimeout(() => setOver(true), leftMs)
    return () => clearTimeout(timer)
  }, [news])
  return (
    <p class="toast news" role="status" data-shown={news !== null && !isOver}>
      {isOver
        ? ''
        : isPaid
          ? t.support.news[paid.is](songOf(paid))
          : asked && t.news[asked.is](songLine(asked.song))}
    </p>
  )
}

function useHindrance(radio: Radio): {
  hindrance: BlockedReason | null
  secsLeft: number
  wait: Cooldown | null
} {
  const { requests } = radio.connection
  const isAnswered = useStore(requests.isAdminOnline)
  const wait = useStore(requests.cooldown)
  const [, setTick] = useState(0)
  useEffect(() => {
    if (!wait) return
    const timer = setInterval(() => {
      const left = cooldownSecsLeft(wait, localNowMs())
      setTick(left)
      if (left === 0) clearInterval(timer)
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [wait])
  const secsLeft = cooldownSecsLeft(wait, localNowMs())
  return { hindrance: blockedReason(isAnswered, secsLeft), secsLeft, wait }
}
