import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  ARRIVAL_ID,
  type Arrival,
  LISTENER_LANGUAGE,
  LISTENER_LOOK,
  type Look,
  locales,
  lookOf,
  type NowPlaying,
  ownLook,
  type PageName,
  type PageView,
  type RadioState,
  type RenderPage,
  STATUS_ID,
} from '@solstice/contracts'
import { isHostOnline } from '@solstice/playout'
import { Failure } from '@solstice/station'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { createAudibleAir } from '../air/audible.ts'
import type { StationStatus } from '../air/status.ts'
import type { Covers } from '../background/covers.ts'
import type { UiSettingsMirror } from '../background/ui-settings.ts'
import { builtFolder, serveBuiltFiles } from '../files/web.ts'
import { jsonElement, ownMarkup } from '../http/html.ts'
import type { Origins } from '../limits/client-address.ts'
import { publicConfig, type StationDeps } from '../routes/listening/station.ts'
import { createSyncPayload } from '../sockets/broadcast/sync.ts'
import { type PageAddress, pageAt, pathsOf } from './address.ts'
import { headTags } from './head.ts'
import { policyHeaders } from './policies.ts'
import { createRenderedPages, encodingFor, type RenderedPage } from './rendered.ts'
import { fillTemplate, readTemplate, styleHash } from './template.ts'

export interface PagesDeps extends StationDeps {
  settings: UiSettingsMirror
  covers: Pick<Covers, 'of'>
  status: StationStatus
  origins: Origins
  /** Origin of signed links to music and pictures; null when this server sends them itself. */
  mediaOrigin: string | null
  /** Tells what is on air to callers who reach the station under this origin. */
  nowPlaying: (origin: string) => NowPlaying
  log: Logger
}

/** Paths for programs, whose 404 is never a page. */
const programs = /^\/(?:api|webhooks|socket\.io|healthz|readyz|metrics)(?:\/|$)/

const files: Record<PageName, string> = {
  player: 'index.html',
  guest: 'guest.html',
  embed: 'embed.html',
  adlogin: 'login.html',
  adpanel: 'panel.html',
  status: 'status.html',
  lost: 'lost.html',
  away: 'away.html',
}

/**
 * Serves the built web client: its files, and its pages as they are at this moment. A browser that asks for an unknown path gets
 * the page for that, anything else NOT_FOUND; without a built client everything does.
 */
export async function servePages(app: FastifyInstance, deps: PagesDeps): Promise<void> {
  const { config, origins, mediaOrigin, log } = deps
  const embedders = config.embedOrigins
  const root = await builtFolder(config.webDist)
  if (root) await serveBuiltFiles(app, root)
  else log.warn({ folder: config.webDist }, 'web client not found; `npm run build` builds it')

  const render = await openRenderer(app, deps, root)
  const rendered = createRenderedPages(() => performance.now())

  app.setNotFoundHandler(async (request, reply) => {
    const [path = '', query] = request.url.split('?', 2)
    const asked = languageAsked(path, query) ?? request.cookies[LISTENER_LANGUAGE]
    const address = await existing(deps, pageAt(path, asked))
    if (!root || programs.test(path) || !wantsPage(request, address)) throw new Failure('NOT_FOUND')
    const origin = origins.ownOrigin(request.raw)
    const look = address.page === 'player' ? lookOf(request.cookies[LISTENER_LOOK]) : ownLook
    const key = JSON.stringify([address, origin, look])
    const page = await rendered.get(key, () => render(address, origin, look))
    const encoding = encodingFor(request.headers['accept-encoding'])
    // As set for all answers. It can't name other sites, so where those are allowed the policy alone speaks.
    reply.raw.removeHeader('x-frame-options')
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply
      .code(address.page === 'lost' ? 404 : 200)
      .type('text/html; charset=utf-8')
      .header('vary', 'Accept-Encoding, Cookie')
      .headers(policyHeaders(address.page, { origin, mediaOrigin, styles: page.styles, embedders }))
      .send(await page.encoded(encoding))
  })
}

/** A page, and the track that its address names. */
interface NamedAddress extends PageAddress {
  song?: { title: string; artist: string }
}

/** The page at an address; `lost` when its song is in no library any more. */
async function existing({ data, log }: PagesDeps, address: PageAddress): Promise<NamedAddress> {
  if (address.place?.is !== 'song') return address
  try {
    const track = await data.tracks.get(address.place.track)
    if (!track) return { page: 'lost', locale: address.locale }
    return { ...address, song: { title: track.title, artist: track.artist } }
  } catch (error) {
    log.warn({ err: error }, 'page sent without the song of its address')
    return address
  }
}

/** Renders pages of the build in a folder. */
async function openRenderer(app: FastifyInstance, deps: PagesDeps, root: string | null) {
  const { mirror, clock, log } = deps
  const air = createAudibleAir(mirror, clock)
  app.addHook('onClose', async () => air.close())
  const syncPayload = createSyncPayload({ ...deps, air })
  const renderPage = root ? await loadRenderer(root, log) : drawnByScripts

  const arrivalWith = async (state: RadioState): Promise<Arrival | null> => {
    try {
      const isOnline = mirror.state !== null && isHostOnline(mirror.state)
      return { state, config: await publicConfig(deps), isHostOnline: isOnline }
    } catch (error) {
      // The page asks for the configuration itself, until it can be read.
      log.warn({ err: error }, 'page sent without the configuration')
      return null
    }
  }

  return async (address: NamedAddress, origin: string, look: Look): Promise<RenderedPage> => {
    const { page, locale, place, song, isOffline } = address
    const state = syncPayload()
    const arrival = page === 'player' && !isOffline ? await arrivalWith(state) : null
    const status = page === 'status' ? await deps.status.now() : null
    const { text, styles } = await readTemplate(root!, files[page])
    const named = { ...(place && { place }), ...(song && { song }), ...(status && { status }) }
    const about = { locale, state, arrival, look, ...named }
    const { body, style, ...view } = viewOf(
      () => renderPage(page, about),
      () => drawnByScripts(page, about),
      log,
    )
    const nowPlaying = deps.nowPlaying(origin)
    return {
      text: fillTemplate(text, {
        lang: locale,
        // The copy for when there is no network is for listeners of either language.
        textsIn: isOffline ? locales : [locale],
        mode: look.isDark ? 'night' : state.mode,
        look,
        head: headTags({
          ...{ ...view, page, locale, origin, translations: pathsOf(page, place) },
          // The copy for when there is no network shows no track.
          nowPlaying: isOffline ? { ...nowPlaying, current: null } : nowPlaying,
          style,
        }),
        body: ownMarkup(body),
        data:
          (arrival && jsonElement(arrival, { id: ARRIVAL_ID })) ??
          (status && jsonElement(status, { id: STATUS_ID })),
      }),
      styles: style ? [...styles, styleHash(style)] : styles,
    }
  }
}

/** The renderer of the build in a folder. Without one, as in a client made elsewhere, pages are drawn by their scripts. */
async function loadRenderer(root: string, log: Logger): Promise<RenderPage> {
  try {
    const module = await import(pathToFileURL(join(root, '.server', 'server.js')).href)
    return module.renderPage
  } catch (error) {
    log.warn({ err: error }, 'web client has no renderer; pages appear when their scripts have run')
    return drawnByScripts
  }
}

const drawnByScripts: RenderPage = (_, { locale, state }) => {
  const { dayRadioName, nightRadioName } = state.uiSettings.byLang[locale]
  const stationName = state.mode === 'night' ? nightRadioName : dayRadioName
  return { title: stationName, description: '', stationName, themeColor: '', style: '', body: '' }
}

/** A page that can't be rendered is still sent: its scripts draw it. */
function viewOf(render: () => PageView, asPlain: () => PageView, log: Logger): PageView {
  try {
    return render()
  } catch (error) {
    log.error({ err: error }, 'page could not be rendered')
    return asPlain()
  }
}

/** Frames on other sites say the language of their player, since they have no cookies. */
function languageAsked(path: string, query: string | undefined): string | null {
  return pageAt(path).page === 'embed' ? new URLSearchParams(query).get('lang') : null
}

/** Programs that look at a link accept anything; a missing file is a page only to somebody who asks for one. */
function wantsPage({ method, headers }: FastifyRequest, { page }: PageAddress): boolean {
  const { accept = '*/*' } = headers
  const isAccepted = /\btext\/html\b/.test(accept) || (page !== 'lost' && /\*\/\*|\btext\/\*/.test(accept))
  return isAccepted && (method === 'GET' || method === 'HEAD')
}
