import './sheet.css'
import type { RadioState } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { localNowMs } from '../../../radio/connection/station-clock.ts'
import type { Radio } from '../../../radio/radio.ts'
import { useStoredChoice } from '../../../ui/browser-storage.ts'
import { isStill } from '../../../ui/motion/still.ts'
import { closeSheet, Sheet } from '../../../ui/sheet/sheet.tsx'
import { useRadio } from '../../radio-context.ts'
import { CoverImage, useSpread } from '../../stage/cover.tsx'
import { NewsToast } from '../news-toast.tsx'
import { LyricsBar } from './bar.tsx'
import { activeLine, type Lyrics, readLyrics } from './lyrics.ts'
import { FullScreenTool, LINE_SIZES, LyricsTools, Tool, type Typography } from './tools.tsx'

type LyricsState = { is: 'loading' } | { is: 'failed' } | { is: 'none' } | { is: 'loaded'; lyrics: Lyrics }

const FOLLOW_INTERVAL_MS = 150
/** After scrolling, a reader is left alone for this long before the sung line comes back. */
const READING_MS = 5000
const SCROLL_KEYS = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End']

/** The lyrics over the whole page. They follow the sound; a tap does not seek, since nobody seeks a radio. */
export function LyricsSheet({ state, onClose }: { state: RadioState; onClose: () => void }) {
  const { radio, t } = useRadio()
  const view = useRef<HTMLDivElement>(null)
  const readingUntilMs = useRef(0)
  const lyrics = useLyrics(radio, state)
  const cover = useSpread(state.cover ?? null)
  const [size, setSize] = useStoredChoice('radio_lyrics_size', LINE_SIZES)
  const [align, setAlign] = useStoredChoice('radio_lyrics_align', ['start', 'centre'])
  const typography: Typography = { size, setSize, align, setAlign }

  const pressed = (event: MouseEvent) => {
    if (event.target === event.currentTarget && !document.fullscreenElement) closeSheet(event)
  }
  const scrolled = () => {
    readingUntilMs.current = localNowMs() + READING_MS
  }
  return (
    <Sheet class="lyrics" label={t.lyrics} onClose={onClose}>
      <div class="lyrics-view" ref={view}>
        <div class="sheet-head">
          {cover && (
            <span class="lyrics-cover">
              <CoverImage cover={cover} sizes={[96]} width="2.75rem" alt="" />
            </span>
          )}
          <p>
            <b>{state.title}</b>
            <span>{state.artist}</span>
          </p>
          <div class="tools">
            {lyrics.is === 'loaded' && <LyricsTools {...typography} />}
            <FullScreenTool of={() => view.current} />
            <Tool icon="close" label={t.close} isFirst onPress={closeSheet} />
          </div>
        </div>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: it only notices that somebody scrolls */}
        <div
          class="lyrics-scroll"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: long lyrics are scrolled by keyboard
          tabIndex={0}
          onClick={pressed}
          onWheel={scrolled}
          onTouchMove={scrolled}
          // The scroll bar, which is no element of its own.
          onPointerDown={(event) => event.target === event.currentTarget && scrolled()}
          onKeyDown={(event) => SCROLL_KEYS.includes(event.key) && scrolled()}
        >
          {lyrics.is === 'loaded' ? (
            <Lines lyrics={lyrics.lyrics} readingUntilMs={readingUntilMs} size={size} align={align} />
          ) : (
            <p class="lyrics-none" role="status">
              {{ loading: t.lyricsLoading, failed: t.lyricsFailed, none: t.lyricsNone }[lyrics.is]}
            </p>
          )}
        </div>
        <LyricsBar />
      </div>
      <NewsToast />
    </Sheet>
  )
}

function useLyrics(radio: Radio, { title, artist, album }: RadioState): LyricsState {
  const [state, setState] = useState<LyricsState>({ is: 'loading' })
  useEffect(() => {
    let isGone = false
    setState({ is: 'loading' })
    readLyrics(radio.connection.artToken, { title, artist, album }).then(
      (lyrics) => {
        const isEmpty = lyrics.notFound || lyrics.lines.length === 0
        if (!isGone) setState(isEmpty ? { is: 'none' } : { is: 'loaded', lyrics })
      },
      () => !isGone && setState({ is: 'failed' }),
    )
    return () => {
      isGone = true
    }
  }, [radio, title, artist, album])
  return state
}

interface LinesProps extends Pick<Typography, 'size' | 'align'> {
  lyrics: Lyrics
  /** Local clock; until then the lines don't scroll by themselves. */
  readingUntilMs: { current: number }
}

/** The lines; the sung one is kept in the middle of the view. */
function Lines({ lyrics, readingUntilMs, size, align }: LinesProps) {
  const { radio } = useRadio()
  const list = useRef<HTMLOListElement>(null)
  const hasFollowed = useRef(false)
  const [active, setActive] = useState(-1)

  useEffect(() => {
    hasFollowed.current = false
    readingUntilMs.current = 0
    if (!lyrics.synced) return setActive(-1)
    const follow = () => setActive(activeLine(lyrics, radio.position()))
    follow()
    const timer = setInterval(follow, FOLLOW_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [lyrics, radio])

  useEffect(() => {
    const line = list.current?.children[active]
    if (!line || localNowMs() < readingUntilMs.current) return
    const isCut = !hasFollowed.current || isStill()
    hasFollowed.current = true
    line.scrollIntoView({ block: 'center', behavior: isCut ? 'instant' : 'smooth' })
  }, [active, size, align])

  return (
    <ol class="lines" ref={list} data-synced={lyrics.synced} data-size={size} data-align={align}>
      {lyrics.lines.map((line, i) => (
        <li key={`${i} ${line.time}`} data-active={i === active} aria-current={i === active || undefined}>
          {line.text}
        </li>
      ))}
    </ol>
  )
}
