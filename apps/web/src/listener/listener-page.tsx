import './listener-page.css'
import type { Locale, RadioState } from '@solstice/contracts'
import { useEffect, useErrorBoundary, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { withoutDonation } from '../radio/donations/order.ts'
import type { Radio } from '../radio/radio.ts'
import { isChatting } from '../radio/timeline.ts'
import { turnTo } from '../ui/motion/turn.ts'
import { useStore } from '../ui/store.ts'
import { BrokenPage } from './broken-page.tsx'
import { nowPlayingLine, stationName, titleOf } from './format.ts'
import { Header } from './header/header.tsx'
import { followRequests } from './kept/follow-requests.ts'
import { useKeys } from './keys.ts'
import { Lists } from './lists.tsx'
import { followPreferences, preferences } from './preferences/preferences.ts'
import { RadioProvider, useRadio } from './radio-context.ts'
import { leavePlace, useAddressedSheet } from './sheets/addressed.ts'
import { type SheetName, Sheets } from './sheets/sheets.tsx'
import { sleepTimerOf } from './sleep/radio-sleep.ts'
import { SleepMark } from './sleep/sleep-mark.tsx'
import { ArtistArt } from './stage/artist-art.tsx'
import { Controls } from './stage/controls/controls.tsx'
import { CurrentTrack, Headline } from './stage/current-track.tsx'
import { Horizon, Stars } from './stage/horizon.tsx'
import { ListenButton } from './stage/listen-button.tsx'
import { useMediaSession } from './stage/media-session.ts'
import { Notice } from './stage/notice.tsx'
import type { Texts } from './texts/texts.ts'
import { type Trouble, troubleOf } from './trouble.ts'

interface Props {
  radio: Radio
  locale: Locale
  /** In that language. */
  texts: Texts
  onLocale: (locale: Locale) => void
}

/** The page; when it fails, what is left of it. */
export function ListenerPage(props: Props) {
  const [failure] = useErrorBoundary((error) => console.error(error))
  const isStream = useStore(props.radio.config)?.streamMode ?? false
  return failure ? <BrokenPage t={props.texts} isStream={isStream} /> : <WholePage {...props} />
}

function WholePage({ radio, locale, texts: t, onLocale }: Props) {
  const state = useStore(radio.heard)?.state ?? null
  const link = useStore(radio.link)
  const sound = useStore(radio.sound)
  const [sheet, setSheet] = useState<SheetName | null>(null)
  const areLyricsShown = useStore(preferences.lyrics) === 'show'
  const isDark = useStore(preferences.sky) === 'dark'
  const timer = useMemo(() => sleepTimerOf(radio), [radio])
  const trouble = troubleOf(link, state, sound)
  const isOff = sound.is === 'off'
  const hasTitle = state !== null && !state.isPreparing
  const isChat = state !== null && isChatting(state)
  const hasLyrics = hasTitle && !isChat && areLyricsShown
  const name = stationName(state, locale)
  const line = hasTitle ? nowPlayingLine(state, t) : ''
  const isLost = trouble === 'offline' ? sound.is !== 'playing' : sound.is === 'retrying'
  const show = (next: SheetName | null) => {
    if (!next) leavePlace()
    setSheet(next)
  }

  useLayoutEffect(() => followPreferences(radio.heard), [radio])
  useEffect(() => {
    if (state) turnTo(isDark ? 'night' : state.mode)
  }, [state?.mode, isDark])
  useEffect(() => followRequests(radio), [radio])
  useAddressedSheet(show)
  useEffect(() => {
    document.title = line ? `${line} · ${name}` : name
  }, [line, name])
  useReturnedOrder(radio, show)
  useMediaSession(radio, state && line ? { state, title: titleOf(state, t), station: name } : null)
  const open = sheet?.is === 'lyrics' && !hasLyrics ? null : sheet
  useKeys(radio, {
    // By place and not by letter: L is where it is under a Ukrainian layout too.
    KeyL: () => isOverPage(open) && show(open?.is === 'lyrics' || !hasLyrics ? null : { is: 'lyrics' }),
    KeyR: () => isOverPage(open) && show(open?.is === 'request' ? null : { is: 'request' }),
  })

  return (
    <RadioProvider value={{ radio, locale, t }}>
      <Header state={state} stationName={name} onLocale={onLocale} onSheet={show} />
      <main class="page">
        <Stage
          {...{ state, trouble, line, isOff, isLost, hasLyrics }}
          kicker={isLost ? '' : isOff ? t.onAir : state?.mode === 'night' ? t.night : t.day}
          onSheet={show}
        />
        <Lists
          state={state}
          onRequest={() => show({ is: 'request' })}
          onTrack={(track) => show({ is: 'song', track })}
        />
      </main>
      <Footer t={t} />
      <p class="unseen" aria-live="polite">
        {line && !isOff ? (isChat ? line : t.nowPlaying(line)) : ''}
      </p>
      <SleepMark timer={timer} onOpen={() => show({ is: 'sleep' })} />
      <Sheets open={open} state={state} timer={timer} onChange={show} />
    </RadioProvider>
  )
}

interface StageProps {
  state: RadioState | null
  trouble: Trouble | null
  /** What plays, in a line; empty when nothing has a title. */
  line: string
  /** Above the title. */
  kicker: string
  isOff: boolean
  isLost: boolean
  hasLyrics: boolean
  onSheet: (next: SheetName) => void
}

/** The sky, the horizon, and the track with its controls. */
function Stage({ state, trouble, line, kicker, isOff, isLost, hasLyrics, onSheet }: StageProps) {
  const { t } = useRadio()
  const isArtHidden = useStore(preferences.isArtHidden) === 'true'
  const hasTitle = state !== null && !state.isPreparing
  return (
    <div class="stage">
      <div class="sky">
        <Stars />
        <ArtistArt isHidden={isArtHidden} />
      </div>
      <div class="rim">
        <Horizon isLost={isLost} />
        {isOff && <ListenButton nowPlaying={line} />}
      </div>
      <section class="track" aria-label={t.radio}>
        {hasTitle ? (
          <CurrentTrack
            state={state}
            kicker={kicker}
            onCover={() => onSheet({ is: 'cover', track: state })}
          />
        ) : (
          <Untitled text={t.states[trouble ?? 'connecting'].says} />
        )}
        <Notice
          trouble={trouble}
          isTextShown={hasTitle}
          onOrder={(orderId) => onSheet({ is: 'donate', about: { orderId } })}
        />
        <Controls
          onLyrics={hasLyrics ? () => onSheet({ is: 'lyrics' }) : null}
          onRequest={() => onSheet({ is: 'request' })}
        />
      </section>
    </div>
  )
}

function Footer({ t }: { t: Texts }) {
  const hasLetterKeys = useStore(preferences.letterKeys) === 'on'
  const keys = t.keys.filter(({ isLetter }) => hasLetterKeys || !isLetter)
  return (
    <footer class="footer">
      <p>{keys.map(({ key, does }) => `${key} — ${does}`).join(', ')}</p>
    </footer>
  )
}

/** What stands in the place of a track: as high, so that nothing moves when one comes. */
function Untitled({ text }: { text: string }) {
  return (
    <>
      <p class="kicker" />
      <Headline text={text} />
      <div class="record" />
    </>
  )
}

/** Letters change between these; other sheets stay until they are closed. */
const isOverPage = (open: SheetName | null) => open === null || open.is === 'lyrics' || open.is === 'request'

/** After a checkout the address names the order: it is taken out of the address, and shown. */
function useReturnedOrder(radio: Radio, show: (sheet: SheetName) => void): void {
  useEffect(() => {
    const back = withoutDonation(location.href)
    if (!back) return
    history.replaceState(history.state, '', back.href)
    if (!back.id) return
    radio.donations.returned(back.id)
    show({ is: 'donate', about: { orderId: back.id } })
  }, [radio])
}
