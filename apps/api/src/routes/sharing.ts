import { type Locale, type NowPlaying, sharing } from '@solstice/contracts'
import { Failure } from '@solstice/station'
import type { FastifyInstance } from 'fastify'
import type { Tokens } from '../auth/tokens.ts'
import type { UiSettingsMirror } from '../background/ui-settings.ts'
import { isUnchanged } from '../http/conditional.ts'
import { html } from '../http/html.ts'
import { implement } from '../http/implement.ts'
import type { Origins } from '../limits/client-address.ts'
import { perAddress } from '../limits/per-address.ts'
import type { RequestLimits } from '../limits/request-limits.ts'
import type { SharePictures } from '../links/pictures.ts'
import { cardOf, languageOf, pictureOf, trackLine } from '../links/shared.ts'
import { manifest, robotsText, sitemapText } from '../links/site-files.ts'
import type { Snapshots } from '../now-playing/snapshots.ts'

/** Services keep previews for longer anyway. */
const PREVIEW_AGE_S = 60
const SITE_FILE_AGE_S = 3_600

export interface SharingDeps {
  config: {
    trustProxyHops: number
    radioHostsMode: boolean
    nightMode: boolean
    embedOrigins: readonly string[]
  }
  snapshots: Snapshots
  pictures: SharePictures
  settings: Pick<UiSettingsMirror, 'now'>
  origins: Pick<Origins, 'ownOrigin'>
  tokens: Pick<Tokens, 'uidOf'>
  limits: Pick<RequestLimits, 'sharing'>
}

/** Serves previews of links to the station, and files for robots and home screens. */
export function sharingRoutes(app: FastifyInstance, deps: SharingDeps): void {
  previewRoutes(app, deps)
  siteFileRoutes(app, deps)
}

function previewRoutes(app: FastifyInstance, deps: SharingDeps): void {
  const { config, snapshots, pictures, origins } = deps
  const options: Parameters<typeof implement>[3] = {
    limit: perAddress(deps, deps.limits.sharing),
  }

  implement(
    app,
    sharing.getSharePicture,
    async ({ query, request, reply }) => {
      const card = cardOf(snapshots.now().replyFor(origins.ownOrigin(request.raw)), query.lang)
      const etag = pictures.etagOf(card)
      reply.header('etag', etag).header('cache-control', `public, max-age=${PREVIEW_AGE_S}`)
      if (isUnchanged(request, etag)) return reply.code(304).send()
      return reply.type('image/png').send(await pictures.draw(card))
    },
    options,
  )

  implement(
    app,
    sharing.getOembed,
    ({ query, request, reply }) => {
      if (query.format !== undefined && query.format !== 'json') throw new Failure('FORMAT_NOT_OFFERED')
      const origin = origins.ownOrigin(request.raw)
      const lang = languageOf(query.url, origin)
      if (lang === null) throw new Failure('NOT_FOUND')
      reply.header('cache-control', `public, max-age=${PREVIEW_AGE_S}`)
      const now = snapshots.now().replyFor(origin)
      const player =
        config.embedOrigins.length > 0 ? playerFrame(now, lang, query) : { type: 'link' as const }
      return { ...describe(now, lang, query), ...player }
    },
    options,
  )
}

interface Room {
  maxwidth?: number
  maxheight?: number
}

/** Size of the compact player, pixels. */
const FRAME = { width: 420, minWidth: 260, height: 112 }

/** The player in a frame; the link alone where it has no room. */
function playerFrame(
  { station }: NowPlaying,
  lang: Locale,
  { maxwidth = FRAME.width, maxheight = FRAME.height }: Room,
) {
  const { height } = FRAME
  const width = Math.min(FRAME.width, maxwidth)
  if (width < FRAME.minWidth || maxheight < height) return { type: 'link' as const }
  const src = new URL(`/embed?lang=${lang}`, station.url).href
  const title = station.name[lang]
  const frame = html`<iframe src="${src}" title="${title}" width="${width}" height="${height}" style="border:0" loading="lazy"></iframe>`
  return { type: 'rich' as const, html: frame.text, width, height }
}

function describe(
  now: NowPlaying,
  lang: Locale,
  { maxwidth = Number.POSITIVE_INFINITY, maxheight = Number.POSITIVE_INFINITY }: Room,
) {
  const name = now.station.name[lang]
  const { url, width, height } = pictureOf(now, lang)
  const thumbnail = { thumbnail_url: url, thumbnail_width: width, thumbnail_height: height }
  return {
    version: '1.0' as const,
    title: trackLine(now) || name,
    ...(now.current?.artist && { author_name: now.current.artist }),
    provider_name: name,
    provider_url: now.station.url,
    cache_age: PREVIEW_AGE_S,
    ...(width <= maxwidth && height <= maxheight && thumbnail),
  }
}

function siteFileRoutes(app: FastifyInstance, deps: SharingDeps): void {
  const { config, settings, origins } = deps
  const hasGuests = config.radioHostsMode
  const has = { hasGuests, hasNight: config.nightMode }

  implement(app, sharing.getRobots, ({ request, reply }) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', `public, max-age=${SITE_FILE_AGE_S}`)
      .send(robotsText(origins.ownOrigin(request.raw))),
  )

  implement(app, sharing.getSitemap, ({ request, reply }) =>
    reply
      .type('application/xml; charset=utf-8')
      .header('cache-control', `public, max-age=${SITE_FILE_AGE_S}`)
      .send(sitemapText(origins.ownOrigin(request.raw), { hasGuests })),
  )

  implement(app, sharing.getManifest, ({ query, reply }) =>
    reply
      .type('application/manifest+json; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(JSON.stringify(manifest(query.lang, settings.now(), has))),
  )
}
