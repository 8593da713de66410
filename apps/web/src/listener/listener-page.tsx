import './listener-page.css'
import type { Locale } from '@solstice/contracts'
import { useEffect, useState } from 'preact/hooks'
import { withoutDonation } from '../radio/donations/order.ts'
import type { Radio } from '../radio/radio.ts'
import { isChatting } from '../radio/timeline.ts'
import { texts } from '../texts.ts'
import { useStoredChoice } from '../ui/browser-storage.ts'
import { useStore } from '../ui/store.ts'
import { applyTheme } from '../ui/theme.ts'
import { nowPlayingLine, stationName, titleOf } from './format.ts'
import { Header } from './header/header.tsx'
import { useKeys } from './keys.ts'
import { Lists } from './lists.tsx'
import { RadioProvider } from './radio-context.ts'
import { type SheetName, Sheets } from './sheets/sheets.tsx'
import { ArtistArt } from './stage/artist-art.tsx'
import { Controls } from './stage/controls.tsx'
import { CurrentTrack } from './stage/current-track.tsx'
import { Horizon, Stars } from './stage/horizon.tsx'
import { ListenButton } from './stage/listen-button.tsx'
import { useMediaSession } from './stage/media-session.ts'
import { Notice } from './stage/notice.tsx'
import { troubleOf } from './trouble.ts'

interface Props {
  radio: Radio
  locale: Locale
  onLocale: (locale: Locale) => void
}

export function ListenerPage({ radio, locale, onLocale }: Props) {
  const t = texts[locale]
  const state = useStore(radio.heard)?.state ?? null
  const link = useStore(radio.link)
  const sound = useStore(radio.sound)
  const [sheet, setSheet] = useState<SheetName | null>(null)
  const [artHidden, setArtHidden] = useStoredChoice('radio_art_hidden', ['false', 'true'])
  const isArtHidden = artHidden === 'true'
  const [artUrl, setArtUrl] = useState('')
  const trouble = troubleOf(link, state, sound)
  const isOff = sound.is === 'off'
  const hasTitle = state !== null && !state.isPreparing
  const isChat = state !== null && isChatting(state)
  const hasLyrics = hasTitle && !isChat
  const name = stationName(state, locale, t)
  const line = hasTitle ? nowPlayingLine(state, t) : ''
  const show = (next: SheetName | null) => setSheet(next)

  useEffect(() => {
    if (state) applyTheme(state.mode)
  }, [state?.mode])
  useEffect(() => {
    document.title = line ? `${line} · ${name}` : name
  }, [line, name])
  useReturnedOrder(radio, show)
  useMediaSession(radio, state && line ? { state, title: titleOf(state, t), artUrl, station: name } : null)
  const open = sheet?.is === 'lyrics' && !hasLyrics ? null : sheet
  useKeys(radio, {
    // By place and not by letter: L is where it is under a Ukrainian layout too.
    KeyL: () => open?.is !== 'donate' && show(open?.is === 'lyrics' || !hasLyrics ? null : { is: 'lyrics' }),
    KeyR: () => open?.is !== 'donate' && show(open?.is === 'request' ? null : { is: 'request' }),
  })

  return (
    <RadioProvider value={{ radio, locale, t }}>
      <Header state={state} stationName={name} onLocale={onLocale} />
      <main>
        <div class="stage">
          <div class="sky">
            <Stars />
            <ArtistArt isHidden={isArtHidden} onUrl={setArtUrl} />
          </div>
          <div class="rim">
            <Horizon />
            {isOff && <ListenButton nowPlaying={line} />}
          </div>
          <section class="track" aria-label={t.radio}>
            {hasTitle ? (
              <CurrentTrack state={state} isOff={isOff} />
            ) : (
              <h1 class="title" data-size="s">
                {t.states[trouble ?? 'connecting'].says}
              </h1>
            )}
            <Notice
              trouble={trouble}
              isTextShown={hasTitle}
              onOrder={(orderId) => show({ is: 'donate', about: { orderId } })}
            />
            <Controls
              onLyrics={hasLyrics ? () => show({ is: 'lyrics' }) : null}
              onRequest={() => show({ is: 'request' })}
              isArtHidden={isArtHidden}
              onArt={() => setArtHidden(isArtHidden ? 'false' : 'true')}
            />
          </section>
        </div>
        <Lists state={state} onRequest={() => show({ is: 'request' })} />
      </main>
      <footer class="footer">
        <p>{t.keys}</p>
      </footer>
      <p class="unseen" aria-live="polite">
        {line && !isOff ? (isChat ? line : t.nowPlaying(line)) : ''}
      </p>
      <Sheets open={open} state={state} onChange={show} />
    </RadioProvider>
  )
}

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
