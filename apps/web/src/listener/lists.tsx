import type { Locale, RadioState } from '@solstice/contracts'
import type { Radio } from '../radio/radio.ts'
import { useStore } from '../store.ts'
import type { Texts } from '../texts.ts'
import { orderOf } from './words.ts'

export function Next({ state, t }: { state: RadioState | null; t: Texts }) {
  const songs = state?.playlist ?? []
  return (
    <section aria-labelledby="next">
      <h2 id="next" tabIndex={-1}>
        {t.next}
      </h2>
      {songs.length === 0 && <p class="nothing">{t.nothingNext}</p>}
      <ol class="songs">
        {songs.map((song, i) => (
          <li key={`${i} ${song.id}`}>
            <span class="song-text">
              <b>{song.title}</b>
              <span>{song.artist}</span>
            </span>
            {song.orderType && <em class="badge">{orderOf(song, t)}</em>}
          </li>
        ))}
      </ol>
    </section>
  )
}

export function Earlier({ radio, locale, t }: { radio: Radio; locale: Locale; t: Texts }) {
  const history = useStore(radio.history)
  const hour = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return (
    <section aria-labelledby="earlier">
      <h2 id="earlier">{t.earlier}</h2>
      {history.length === 0 && <p class="nothing">{t.nothingEarlier}</p>}
      <ol class="songs">
        {history.toReversed().map((song) => (
          <li key={song.id}>
            <span class="song-text">
              <b>{song.title}</b>
              <span>{song.artist}</span>
            </span>
            <time dateTime={new Date(song.playedAt).toISOString()}>{hour.format(song.playedAt)}</time>
          </li>
        ))}
      </ol>
    </section>
  )
}
