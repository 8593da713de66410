import {
  type Locale,
  listening,
  locales,
  type NowPlaying,
  type PageName,
  type PageView,
  sharing,
} from '@solstice/contracts'
import { type Html, html, jsonElement } from '../http/html.ts'
import { pictureOf, trackLine } from '../links/shared.ts'

/** Facts of a page for other sites and search engines. */
export interface LinkFacts extends Pick<PageView, 'title' | 'description' | 'stationName'> {
  page: PageName
  locale: Locale
  /** The station's public address, such as `https://radio.example`. */
  origin: string
  /** Paths of the page in each language; null for a page that doesn't exist. */
  translations: Record<Locale, string> | null
  nowPlaying: NowPlaying
}

const FOR_LISTENERS: readonly PageName[] = ['player', 'guest']
const regions: Record<Locale, string> = { uk: 'uk_UA', en: 'en_US' }

/** Tags by which a link to a page speaks for itself elsewhere: previews, languages, structured data. */
export function linkTags(facts: LinkFacts): Html {
  const { page, translations } = facts
  if (translations === null || !FOR_LISTENERS.includes(page))
    return html`<meta name="robots" content="noindex">`
  const urls = Object.fromEntries(locales.map((locale) => [locale, facts.origin + translations[locale]]))
  return html`${languageTags(facts.locale, urls as Record<Locale, string>)}
${previewTags(facts, urls[facts.locale]!)}
${page === 'player' ? stationTags(facts, urls[facts.locale]!) : null}`
}

function languageTags(locale: Locale, urls: Record<Locale, string>): Html {
  return html`<link rel="canonical" href="${urls[locale]}">
${locales.map((each) => html`<link rel="alternate" hreflang="${each}" href="${urls[each]}">`)}
<link rel="alternate" hreflang="x-default" href="${urls.uk}">`
}

/** Open Graph, which most services read, and what Twitter wants of its own. */
function previewTags(facts: LinkFacts, url: string): Html {
  const { page, locale, stationName, description, nowPlaying } = facts
  const title = page === 'player' ? trackLine(nowPlaying) || stationName : facts.title
  const picture = pictureOf(nowPlaying, locale)
  const others = locales.filter((other) => other !== locale)
  const [stream] = nowPlaying.streams
  return html`<meta property="og:type" content="${page === 'player' ? 'music.radio_station' : 'website'}">
<meta property="og:site_name" content="${stationName}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
<meta property="og:locale" content="${regions[locale]}">
${others.map((other) => html`<meta property="og:locale:alternate" content="${regions[other]}">`)}
<meta property="og:image" content="${picture.url}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${picture.width}">
<meta property="og:image:height" content="${picture.height}">
<meta property="og:image:alt" content="${[title, stationName].join(' · ')}">
${stream ? html`<meta property="og:audio" content="${stream.url}"><meta property="og:audio:type" content="${stream.format}">` : null}
<meta name="twitter:card" content="summary_large_image">
<meta name="twitter:title" content="${title}">
<meta name="twitter:description" content="${description}">
<meta name="twitter:image" content="${picture.url}">`
}

/** oEmbed, and the station and its track as schema.org has them. */
function stationTags(facts: LinkFacts, url: string): Html {
  const { origin, stationName } = facts
  const description = `${origin}${sharing.getOembed.path}?${new URLSearchParams({ url, format: 'json' })}`
  return html`<link rel="alternate" type="application/json+oembed" title="${stationName}" href="${description}">
${jsonElement({ '@context': 'https://schema.org', '@graph': graphOf(facts, url) }, { type: 'application/ld+json' })}`
}

function graphOf({ origin, locale, stationName, description, nowPlaying }: LinkFacts, url: string): object[] {
  const id = `${origin}/#station`
  const { current } = nowPlaying
  const station = {
    '@type': 'RadioStation',
    '@id': id,
    name: stationName,
    description,
    url,
    logo: `${origin}/icon-512.png`,
    image: pictureOf(nowPlaying, locale).url,
    ...(nowPlaying.streams.length > 0 && {
      potentialAction: { '@type': 'ListenAction', target: origin + listening.getPublicStream.path },
    }),
  }
  if (!current) return [station]
  const { title, artist, startedAt, duration } = current
  const ends = duration !== null && { endDate: new Date(startedAt + duration * 1000).toISOString() }
  return [
    station,
    {
      '@type': 'BroadcastEvent',
      name: trackLine(nowPlaying),
      isLiveBroadcast: true,
      startDate: new Date(startedAt).toISOString(),
      ...ends,
      url,
      publishedOn: { '@type': 'BroadcastService', name: stationName, broadcaster: { '@id': id } },
      workPerformed: {
        '@type': 'MusicRecording',
        name: title,
        ...(artist && { byArtist: { '@type': 'MusicGroup', name: artist } }),
        ...(duration !== null && { duration: `PT${Math.round(duration)}S` }),
      },
    },
  ]
}
