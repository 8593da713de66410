import type { PageName, RenderPage } from '@solstice/contracts'
import { type ComponentChild, options } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { adminTexts } from './admin/texts.ts'
import { nowPlayingLine, stationName, trackLine } from './listener/format.ts'
import { ListenerPage } from './listener/listener-page.tsx'
import { accentStyle } from './listener/preferences/accent.ts'
import { en } from './listener/texts/en.ts'
import { type Texts, uk } from './listener/texts/uk.ts'
import { guestTexts } from './live/guest/texts.ts'
import { stillRadio } from './radio/still-radio.ts'
import { AwayPage, awayTexts } from './sky/away-page.tsx'
import { lostTexts, NotFoundPage } from './sky/not-found-page.tsx'
import { StatusPage } from './status/status-page.tsx'
import { statusTexts } from './status/texts.ts'
import { themes } from './ui/theme.ts'

// The security policy of the pages forbids `style` attributes. Scripts may set styles, and do so when they start.
options.vnode = ({ type, props }) => {
  if (typeof type === 'string') delete (props as { style?: unknown }).style
}

const texts = { uk, en }

/** What was on, on a day or at a moment of it. */
const historyTitle = (t: Texts, { date, time }: { date: string | null; time: string | null }) =>
  [t.extras.history, date, date && time].filter(Boolean).join(' ')

/** The first look of a page, made of the components that its scripts draw it with. For the API. */
export const renderPage: RenderPage = (page, { locale, state, arrival, song, place, status, look }) => {
  const t = texts[locale]
  const name = stationName(state, locale)
  const line = arrival && !state.isPreparing ? nowPlayingLine(state, t) : ''
  const headlines: Record<PageName, string> = {
    player: song ? trackLine(song) : place?.is === 'history' ? historyTitle(t, place) : line,
    guest: guestTexts[locale].title,
    embed: '',
    adlogin: adminTexts[locale].login.title,
    adpanel: adminTexts[locale].panel,
    status: statusTexts[locale].title,
    lost: lostTexts[locale].title,
    away: awayTexts[locale].title,
  }
  const bodies: Partial<Record<PageName, ComponentChild>> = {
    player: arrival && (
      <ListenerPage radio={stillRadio(arrival)} locale={locale} texts={t} onLocale={() => {}} />
    ),
    status: status && <StatusPage locale={locale} onLocale={() => {}} first={status} />,
    lost: <NotFoundPage locale={locale} onLocale={() => {}} />,
    away: <AwayPage locale={locale} onLocale={() => {}} />,
  }
  return {
    title: [headlines[page], name].filter(Boolean).join(' · '),
    description: t.description,
    stationName: name,
    themeColor: themes[look.isDark ? 'night' : state.mode].sky,
    style: accentStyle(look.accent),
    body: bodies[page] ? renderToString(bodies[page] as never) : '',
  }
}
