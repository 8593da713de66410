import type { RadioState } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Radio } from '../radio/radio.ts'
import type { Texts } from '../texts.ts'
import { Icon } from './icons.tsx'
import { activeLine, type Lyrics, readLyrics } from './lyrics.ts'

type Found = { is: 'loading' } | { is: 'failed' } | { is: 'here'; lyrics: Lyrics }

interface Props {
  radio: Radio
  state: RadioState
  t: Texts
  onClose: () => void
}

/** The words over the whole page. They follow the song; nobody seeks a radio. */
export function LyricsSheet({ radio, state, t, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const list = useRef<HTMLOListElement>(null)
  const [found, setFound] = useState<Found>({ is: 'loading' })
  const [active, setActive] = useState(-1)
  const { title, artist, album } = state

  useEffect(() => dialog.current?.showModal(), [])

  useEffect(() => {
    let isGone = false
    setFound({ is: 'loading' })
    readLyrics(radio.connection.artPass, { title, artist, album }).then(
      (lyrics) => !isGone && setFound({ is: 'here', lyrics }),
      () => !isGone && setFound({ is: 'failed' }),
    )
    return () => {
      isGone = true
    }
  }, [radio, title, artist, album])

  useEffect(() => {
    if (found.is !== 'here' || !found.lyrics.synced) return setActive(-1)
    const { lyrics } = found
    const follow = () => setActive(activeLine(lyrics, radio.position()))
    follow()
    const timer = setInterval(follow, 150)
    return () => clearInterval(timer)
  }, [found, radio])

  useEffect(() => {
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    list.current?.children[active]?.scrollIntoView({ block: 'center', behavior: isStill ? 'auto' : 'smooth' })
  }, [active])

  const isFound = found.is === 'here' && !found.lyrics.notFound && found.lyrics.lines.length > 0
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a press outside closes; the keyboard has Escape and the button
    <dialog
      ref={dialog}
      class="lyrics"
      aria-label={t.lyrics}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
    >
      <div class="lyrics-head">
        <p>
          <b>{title}</b>
          <span>{artist}</span>
        </p>
        <button type="button" class="tool" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
          <span class="unseen">{t.close}</span>
        </button>
      </div>
      {isFound ? (
        <ol class="lines" ref={list} data-synced={found.lyrics.synced}>
          {found.lyrics.lines.map((line, i) => (
            <li key={`${i} ${line.time}`} data-active={i === active} aria-current={i === active || undefined}>
              {line.text}
            </li>
          ))}
        </ol>
      ) : (
        <p class="lyrics-none" role="status">
          {found.is === 'loading' ? t.lyricsLoading : found.is === 'failed' ? t.lyricsFailed : t.lyricsNone}
        </p>
      )}
    </dialog>
  )
}
