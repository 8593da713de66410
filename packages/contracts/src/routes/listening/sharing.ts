import { Type } from 'typebox'
import { bytes, defineRoute } from '../../route.ts'

const Language = Type.Union([Type.Literal('uk'), Type.Literal('en')], { default: 'uk' })
const InLanguage = Type.Object({ lang: Language })

export const getSharePicture = defineRoute({
  method: 'GET',
  path: '/share.png',
  summary: 'Draws the picture of a link to the station: the horizon, the song on air, its artist',
  access: 'public',
  isForAllSites: true,
  query: Type.Object({
    lang: Language,
    v: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'ignored; differs from song to song, so that services fetch the picture again',
      }),
    ),
  }),
  headers: Type.Object({
    'If-None-Match': Type.Optional(Type.String({ description: '`ETag` of the copy' })),
  }),
  reply: bytes('image/png', '1200 × 630 pixels'),
  failures: ['BAD_REQUEST', 'RATE_LIMITED', 'AIR_UNAVAILABLE'],
  example: { query: { lang: 'en' } },
})

export const getOembed = defineRoute({
  method: 'GET',
  path: '/oembed',
  summary: 'Describes a link to the station for other sites, as oEmbed has it',
  access: 'public',
  isForAllSites: true,
  query: Type.Object({
    url: Type.String({ minLength: 1, maxLength: 2_000, description: 'address of the listener page' }),
    format: Type.Optional(Type.String({ maxLength: 20, description: '`json`; nothing else is offered' })),
    maxwidth: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
    maxheight: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  }),
  reply: Type.Object({
    version: Type.Literal('1.0'),
    type: Type.Union([Type.Literal('rich'), Type.Literal('link')], {
      description: '`rich` with a player where other sites may show it and there is room; else `link`',
    }),
    html: Type.Optional(Type.String({ description: 'a frame with the player; with `rich` only' })),
    width: Type.Optional(Type.Integer({ description: 'pixels; with `rich` only' })),
    height: Type.Optional(Type.Integer({ description: 'pixels; with `rich` only' })),
    title: Type.String(),
    author_name: Type.Optional(Type.String()),
    provider_name: Type.String(),
    provider_url: Type.String(),
    cache_age: Type.Integer({ description: 'seconds' }),
    thumbnail_url: Type.Optional(Type.String({ description: 'left out where it would be too large' })),
    thumbnail_width: Type.Optional(Type.Integer()),
    thumbnail_height: Type.Optional(Type.Integer()),
  }),
  failures: ['BAD_REQUEST', 'NOT_FOUND', 'FORMAT_NOT_OFFERED', 'RATE_LIMITED', 'AIR_UNAVAILABLE'],
  example: {
    query: { url: 'https://radio.example/en/' },
    reply: {
      version: '1.0',
      type: 'rich',
      html: '<iframe src="https://radio.example/embed?lang=en" title="Solstice" width="420" height="112" style="border:0" loading="lazy"></iframe>',
      width: 420,
      height: 112,
      title: 'Morning Tide · Hilda',
      author_name: 'Hilda',
      provider_name: 'Solstice',
      provider_url: 'https://radio.example/',
      cache_age: 60,
      thumbnail_url: 'https://radio.example/share.png?lang=en&v=Xy3k0aBc12',
      thumbnail_width: 1200,
      thumbnail_height: 630,
    },
  },
})

export const getManifest = defineRoute({
  method: 'GET',
  path: '/manifest.webmanifest',
  summary: 'Returns the web app manifest, with the name of the station',
  access: 'public',
  query: InLanguage,
  reply: bytes('application/manifest+json', 'The manifest in a language'),
  failures: ['BAD_REQUEST'],
  example: { query: { lang: 'en' } },
})

export const getRobots = defineRoute({
  method: 'GET',
  path: '/robots.txt',
  summary: 'Tells search engines what to leave out',
  access: 'public',
  reply: bytes('text/plain', 'Rules for robots'),
  failures: [],
})

export const getSitemap = defineRoute({
  method: 'GET',
  path: '/sitemap.xml',
  summary: 'Lists the pages for listeners in all languages',
  access: 'public',
  reply: bytes('application/xml', 'A sitemap'),
  failures: [],
})
