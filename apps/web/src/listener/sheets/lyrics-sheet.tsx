import type { RadioState } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Radio } from '../../radio/radio.ts'
import { localNowMs } from '../../radio/station-clock.ts'
import type { Texts } from '../../texts.ts'
import { useStoredChoice } from '../../ui/browser-storage.ts'
import { Icon, type IconName } from '../../ui/icons.tsx'
import { closeSheet, Sheet } from '../../ui/sheet.tsx'
import { activeLine, type Lyrics, readLyrics } from './lyrics.ts'
import { NewsToast } from './request-sheet.tsx'

type Found = { is: 'loading' } | { is: 'failed' } | { is: 'here'; lyrics: Lyrics }

interface Props {
  radio: Radio
  state: RadioState
  t: Texts
  onClose: () => void
}

const LOOK_EVERY_MS = 150
/** Whoever turned the pages reads for this long before the sung line is shown again. */
const READING_MS = 5000
const SCROLL_KEYS = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End']
/** The middle one first: it is taken until the listener says otherwise. */
const SIZES = ['m', 's', 'l', 'xl'] as const
const SIZES_IN_ORDER = ['s', 'm', 'l', 'xl'] as const

/** The words over the whole page. They follow what is heard; nobody seeks a radio. */
export function LyricsSheet({ radio, state, t, onClose }: Props) {
  const view = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLOListElement>(null)
  const readingUntilMs = useRef(0)
  const hasFollowed = useRef(false)
  const [found, setFound] = useState<Found>({ is: 'loading' })
  const [active, setActive] = useState(-1)
  const [size, setSize] = useStoredChoice('radio_lyrics_size', SIZES)
  const [align, setAlign] = useStoredChoice('radio_lyrics_align', ['start', 'centre'])
  const { title, artist, album } = state

  useEffect(() => {
    let isGone = false
    setFound({ is: 'loading' })
    readLyrics(radio.connection.artToken, { title, artist, album }).then(
      (lyrics) => !isGone && setFound({ is: 'here', lyrics }),
      () => !isGone && setFound({ is: 'failed' }),
    )
    return () => {
      isGone = true
    }
  }, [radio, title, artist, album])

  useEffect(() => {
    hasFollowed.current = false
    readingUntilMs.current = 0
    if (found.is !== 'here' || !found.lyrics.synced) return setActive(-1)
    const { lyrics } = found
    const follow = () => setActive(activeLine(lyrics, radio.position()))
    follow()
    const timer = setInterval(follow, LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [found, radio])

  useEffect(() => {
    const line = list.current?.children[active]
    if (!line || localNowMs() < readingUntilMs.current) return
    const isStill = !hasFollowed.current || matchMedia('(prefers-reduced-motion: reduce)').matches
    hasFollowed.current = true
    line.scrollIntoView({ block: 'center', behavior: isStill ? 'instant' : 'smooth' })
  }, [active, size, align])

  const pressed = (event: MouseEvent) => {
    if (event.target === event.currentTarget && !document.fullscreenElement) closeSheet(event)
  }
  const reads = () => {
    readingUntilMs.current = localNowMs() + READING_MS
  }
  const step = (by: number) => {
    const next = SIZES_IN_ORDER[SIZES_IN_ORDER.indexOf(size) + by]
    if (next) setSize(next)
  }
  const isFound = found.is === 'here' && !found.lyrics.notFound && found.lyrics.lines.length > 0
  return (
    <Sheet class="lyrics" label={t.lyrics} onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only notices that somebody scrolls */}
      <div
        class="lyrics-view"
        ref={view}
        onClick={pressed}
        onWheel={reads}
        onTouchMove={reads}
        // The bar at the side, which is no part of what stands in the view.
        onPointerDown={(event) => event.target === event.currentTarget && reads()}
        onKeyDown={(event) => SCROLL_KEYS.includes(event.key) && reads()}
      >
        <div class="sheet-head">
          <p>
            <b>{title}</b>
            <span>{artist}</span>
          </p>
          <div class="tools">
            {isFound && (
              <>
                <Tool icon="smaller" label={t.smaller} isOff={size === 's'} onPress={() => step(-1)} />
                <Tool icon="larger" label={t.larger} isOff={size === 'xl'} onPress={() => step(1)} />
                <Tool
                  icon={align === 'start' ? 'centre' : 'start'}
                  label={align === 'start' ? t.alignCentre : t.alignStart}
                  onPress={() => setAlign(align === 'start' ? 'centre' : 'start')}
                />
              </>
            )}
            <FullScreen t={t} of={() => view.current} />
            <Tool icon="close" label={t.close} isFirst onPress={closeSheet} />
          </div>
        </div>
        {isFound ? (
          <ol class="lines" ref={list} data-synced={found.lyrics.synced} data-size={size} data-align={align}>
            {found.lyrics.lines.map((line, i) => (
              <li
                key={`${i} ${line.time}`}
                data-active={i === active}
                aria-current={i === active || undefined}
              >
                {line.text}
              </li>
            ))}
          </ol>
        ) : (
          <p class="lyrics-none" role="status">
            {found.is === 'loading' ? t.lyricsLoading : found.is === 'failed' ? t.lyricsFailed : t.lyricsNone}
          </p>
        )}
      </div>
      <NewsToast radio={radio} t={t} />
    </Sheet>
  )
}

interface ToolProps {
  icon: IconName
  label: string
  isOff?: boolean
  /** Has the focus when the sheet opens. */
  isFirst?: boolean
  onPress: (event: Event) => void
}

function Tool({ icon, label, isOff = false, isFirst = false, onPress }: ToolProps) {
  return (
    <button
      type="button"
      class="tool"
      title={label}
      autofocus={isFirst}
      aria-disabled={isOff}
      onClick={onPress}
    >
      <Icon name={icon} />
      <span class="unseen">{label}</span>
    </button>
  )
}

/** Nothing where the browser does not let a page have the whole screen. */
function FullScreen({ t, of }: { t: Texts; of: () => HTMLElement | null }) {
  const [isFull, setFull] = useState(false)
  useEffect(() => {
    const changed = () => setFull(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', changed)
    return () => document.removeEventListener('fullscreenchange', changed)
  }, [])
  if (!document.fullscreenEnabled) return null
  const toggle = () => {
    const asked = isFull ? document.exitFullscreen() : of()?.requestFullscreen()
    asked?.catch(() => {})
  }
  return (
    <Tool
      icon={isFull ? 'narrow' : 'widen'}
      label={isFull ? t.leaveFullScreen : t.fullScreen}
      onPress={toggle}
    />
  )
}
