import type { Locale, UiSettings } from '@solstice/contracts'
import { listenerPaths } from './shared.ts'

const PRIVATE = ['/api/', '/adlogin', '/adpanel', '/en/adlogin', '/en/adpanel', '/socket.io/', '/webhooks/']

export function robotsText(origin: string): string {
  const rules = [
    'User-agent: *',
    ...PRIVATE.map((path) => `Disallow: ${path}`),
    'Allow: /api/docs/',
    'Allow: /api/covers/',
  ]
  return `${rules.join('\n')}\n\nSitemap: ${origin}/sitemap.xml\n`
}

/** @param hasGuests whether the station has a page for guests. */
export function sitemapText(origin: string, { hasGuests }: { hasGuests: boolean }): string {
  const pages = [listenerPaths, ...(hasGuests ? [{ uk: '/guest', en: '/en/guest' }] : [])]
  const entries = pages.flatMap((paths) => {
    const alternate = (lang: string, path: string) =>
      `<xhtml:link rel="alternate" hreflang="${lang}" href="${xml(origin + path)}"/>`
    const alternates = [
      ...Object.entries(paths).map(([lang, path]) => alternate(lang, path)),
      alternate('x-default', paths.uk),
    ].join('')
    return Object.values(paths).map((path) => `<url><loc>${xml(origin + path)}</loc>${alternates}</url>`)
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n${entries.join('\n')}\n</urlset>\n`
}

/** Home screens show about this many characters. */
const SHORT_NAME = 12

const texts = {
  uk: {
    description: 'Одна трансляція для всіх',
    request: 'Замовити пісню',
    guest: 'Вийти в ефір',
    panel: 'Пульт',
    day: 'Денна програма',
    night: 'Нічна програма',
    phone: 'На телефоні',
  },
  en: {
    description: 'One broadcast for everybody',
    request: 'Request a song',
    guest: 'Go on air',
    panel: 'Control room',
    day: 'The day programme',
    night: 'The night programme',
    phone: 'On a phone',
  },
} as const satisfies Record<Locale, unknown>

/**
 * The web app manifest. Its id is the same in both languages, and its name by day and night: it is one app, and browsers
 * ask before they rename it.
 *
 * @param has what the station has beside the day: a page for guests, and a night.
 */
export function manifest(
  lang: Locale,
  { byLang }: Pick<UiSettings, 'byLang'>,
  { hasGuests, hasNight }: { hasGuests: boolean; hasNight: boolean },
): object {
  const t = texts[lang]
  const name = byLang[lang].dayRadioName.trim() || 'Solstice'
  const prefix = lang === 'uk' ? '' : `/${lang}`
  const icons = [{ src: '/icon-192.png', sizes: '192x192', type: 'image/png' }]
  const shortcut = (title: string, path: string) => ({ name: title, url: prefix + path, icons })
  const picture = (name: string, sizes: string, form: 'wide' | 'narrow', label: string) => ({
    src: `/${name}.png`,
    sizes,
    type: 'image/png',
    form_factor: form,
    label,
  })
  return {
    id: '/',
    lang,
    dir: 'ltr',
    name,
    short_name: shortName(name),
    description: t.description,
    start_url: listenerPaths[lang],
    scope: '/',
    display: 'standalone',
    background_color: '#f6efe2',
    theme_color: '#f6efe2',
    categories: ['music', 'entertainment'],
    icons: [
      ...icons.map((icon) => ({ ...icon, purpose: 'any' })),
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
    shortcuts: [
      shortcut(t.request, '/#request'),
      ...(hasGuests ? [shortcut(t.guest, '/guest')] : []),
      shortcut(t.panel, '/adpanel'),
    ],
    screenshots: [
      picture('screenshot-wide', '1440x900', 'wide', t.day),
      ...(hasNight ? [picture('screenshot-wide-night', '1440x900', 'wide', t.night)] : []),
      picture('screenshot-narrow', '780x1688', 'narrow', t.phone),
    ],
  }
}

/** The words of a name that fit, or as much as fits of the first. */
function shortName(name: string): string {
  if ([...name].length <= SHORT_NAME) return name
  const words = name.split(/\s+/)
  let short = ''
  for (const word of words) {
    const longer = short ? `${short} ${word}` : word
    if ([...longer].length > SHORT_NAME) break
    short = longer
  }
  return short || [...name].slice(0, SHORT_NAME).join('')
}

function xml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;')
}
