import type { Locale, RadioState } from '@solstice/contracts'
import { useEffect, useRef, useState } from 'preact/hooks'
import { withoutDonation } from '../radio/donations.ts'
import type { Radio } from '../radio/radio.ts'
import { isChatting } from '../radio/timeline.ts'
import { type Texts, texts } from '../texts.ts'
import { useStoredChoice } from '../ui/browser-storage.ts'
import { useStore } from '../ui/store.ts'
import { applyTheme } from '../ui/theme.ts'
import { ArtistArt } from './artist-art.tsx'
import { Controls } from './controls.tsx'
import { nowPlayingLine, orderLabel, stationName, titleOf } from './format.ts'
import { Header } from './header.tsx'
import { Horizon, Stars } from './horizon.tsx'
import { Earlier, Next, Request } from './lists.tsx'
import { useMediaSession } from './media-session.ts'
import { DonateLine } from './sheets/donate-line.tsx'
import { DonateSheet, type DonateSubject } from './sheets/donate-sheet.tsx'
import { LyricsSheet } from './sheets/lyrics-sheet.tsx'
import { NewsToast, RequestSheet } from './sheets/request-sheet.tsx'
import { type Trouble, troubleOf } from './trouble.ts'

const VOLUME_STEP = 0.05
/** Titles longer than this are set smaller, those longer than twice this smaller again. */
const LONG_TITLE = 26

interface Props {
  radio: Radio
  locale: Locale
  onLocale: (locale: Locale) => void
}

export function ListenerPage({ radio, locale, onLocale }: Props) {
  const t = texts[locale]
  const heard = useStore(radio.heard)
  const link = useStore(radio.link)
  const sound = useStore(radio.sound)
  const config = useStore(radio.config)
  const isHostOnline = useStore(radio.connection.isHostOnline)
  const [asked, setSheet] = useState<'lyrics' | 'request' | null>(null)
  const [supported, setSupported] = useState<DonateSubject | null>(null)
  const [artHidden, setArtHidden] = useStoredChoice('radio_art_hidden', ['false', 'true'])
  const isArtHidden = artHidden === 'true'
  const [artUrl, setArtUrl] = useState('')
  const state = heard?.state ?? null
  const trouble = troubleOf(link, state, sound)
  const isOff = sound.is === 'off'
  const hasTitle = state !== null && !state.isPreparing
  const isTalk = state !== null && isChatting(state)
  const hasWords = hasTitle && !isTalk
  const sheet = asked === 'lyrics' && !hasWords ? null : asked

  useEffect(() => {
    if (state) applyTheme(state.mode)
  }, [state?.mode])
  useEffect(() => {
    const back = withoutDonation(location.href)
    if (!back) return
    history.replaceState(history.state, '', back.href)
    if (!back.id) return
    radio.donations.returned(back.id)
    setSupported({ orderId: back.id })
  }, [radio])
  const name = stationName(state, locale, t)
  const line = hasTitle ? nowPlayingLine(state, t) : ''
  useEffect(() => {
    document.title = line ? `${line} · ${name}` : name
  }, [line, name])
  useMediaSession(radio, state && line ? { state, title: titleOf(state, t), artUrl, station: name } : null)
  useKeys(radio, {
    // By place and not by letter: L is where it is under a Ukrainian layout too.
    KeyL: () => !supported && setSheet(sheet === 'lyrics' || !hasWords ? null : 'lyrics'),
    KeyR: () => !supported && setSheet(sheet === 'request' ? null : 'request'),
  })

  const act: Record<Trouble, () => void> = {
    connecting: () => radio.connection.retry(),
    offline: () => radio.connection.retry(),
    preparing: () => document.getElementById('earlier')?.scrollIntoView(),
    blocked: () => radio.play(),
    'not-ready': () => radio.play(),
    lost: () => radio.play(),
  }
  const join = () => {
    radio.play()
    // This button is gone then; who works without a pointer is at the one that pauses.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.play')?.focus())
  }
  const closed = () => setSheet(null)

  return (
    <>
      <Header radio={radio} state={state} name={name} locale={locale} t={t} onLocale={onLocale} />
      <main>
        <div class="stage">
          <div class="sky">
            <Stars />
            <ArtistArt radio={radio} isHidden={isArtHidden} onUrl={setArtUrl} />
          </div>
          <div class="rim">
            <Horizon radio={radio} t={t} />
            {isOff && (
              <button
                type="button"
                class="listen"
                aria-label={line ? `${t.listen}. ${t.onAir}: ${line}` : t.listen}
                onClick={join}
              >
                {t.listen}
              </button>
            )}
          </div>
          <section class="song" aria-label={t.radio}>
            {hasTitle ? (
              <Song state={state} t={t} isOff={isOff} isHostOnline={isHostOnline} />
            ) : (
              <h1 class="title" data-size="s">
                {t.states[trouble ?? 'connecting'].says}
              </h1>
            )}
            <div class="notice" role={trouble && trouble !== 'connecting' ? 'alert' : undefined}>
              {!trouble && (
                <DonateLine
                  radio={radio}
                  locale={locale}
                  t={t}
                  onOpen={(orderId) => setSupported({ orderId })}
                />
              )}
              {trouble && (
                <>
                  <span class={hasTitle ? undefined : 'unseen'}>{t.states[trouble].says}</span>
                  <button type="button" class="button" onClick={act[trouble]}>
                    {t.states[trouble].action}
                  </button>
                </>
              )}
            </div>
            <Controls
              radio={radio}
              t={t}
              isStream={config?.streamMode ?? false}
              onLyrics={hasWords ? () => setSheet('lyrics') : null}
              onRequest={() => setSheet('request')}
              isArtHidden={isArtHidden}
              onArt={() => setArtHidden(isArtHidden ? 'false' : 'true')}
            />
          </section>
        </div>
        <div class="lists">
          <Next state={state} t={t} />
          <Earlier radio={radio} locale={locale} t={t} />
          <Request radio={radio} locale={locale} t={t} onOpen={() => setSheet('request')} />
        </div>
      </main>
      <footer class="footer">
        <p>{t.keys}</p>
      </footer>
      <p class="unseen" aria-live="polite">
        {line && !isOff ? (isTalk ? line : t.nowPlaying(line)) : ''}
      </p>
      {!sheet && !supported && <NewsToast radio={radio} t={t} />}
      {sheet === 'lyrics' && state && <LyricsSheet radio={radio} state={state} t={t} onClose={closed} />}
      {sheet === 'request' && (
        <RequestSheet
          radio={radio}
          locale={locale}
          t={t}
          onClose={closed}
          onSupport={(song) => setSupported({ song })}
        />
      )}
      {supported && (
        <DonateSheet
          radio={radio}
          locale={locale}
          t={t}
          about={supported}
          onClose={() => setSupported(null)}
        />
      )}
    </>
  )
}

function Song(props: { state: RadioState; t: Texts; isOff: boolean; isHostOnline: boolean }) {
  const { state, t, isOff, isHostOnline } = props
  const title = titleOf(state, t)
  const size = title.length > 2 * LONG_TITLE ? 's' : title.length > LONG_TITLE ? 'm' : 'l'
  const record = [state.album, state.year].filter(Boolean).join(', ')
  return (
    <>
      <p class="kicker">
        {isOff ? t.onAir : state.mode === 'night' ? t.night : t.day}
        {isHostOnline && <em class="on-air">{t.hosts.online}</em>}
        {state.orderType && <em class="badge">{orderLabel(state, t)}</em>}
      </p>
      <h1 class="title" data-size={size}>
        {title}
      </h1>
      <p class="byline">
        {state.artist && <b>{state.artist}</b>}
        {record && <span>{record}</span>}
      </p>
    </>
  )
}

/** Keys that work anywhere on the page, except where something with the focus needs them itself. */
function useKeys(radio: Radio, toggles: Record<string, () => void>): void {
  const act = useRef(toggles)
  act.current = toggles
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      const on = event.target as HTMLElement
      const isTyping = on.matches('input:not([type=range]), textarea, select')
      const isControl = on.matches('button, a, input[type=range]')
      const { level } = radio.volume.value
      if (isTyping) return
      const toggle = act.current[event.code]
      if (toggle) toggle()
      else if (event.key === '/' || event.code === 'Slash') document.getElementById('next')?.focus()
      else if (event.key === ' ' && !isControl) radio.toggle()
      else if (event.key === 'ArrowUp' && !isControl)
        radio.setVolume({ level: level + VOLUME_STEP, isMuted: false })
      else if (event.key === 'ArrowDown' && !isControl) radio.setVolume({ level: level - VOLUME_STEP })
      else return
      event.preventDefault()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [radio])
}
