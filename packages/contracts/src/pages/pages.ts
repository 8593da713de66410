import type { Locale } from '../locales.ts'
import type { Status } from '../resources/sites/status.ts'
import type { PublicConfig, RadioState } from '../resources/station.ts'
import type { Look } from './look.ts'

/**
 * The pages of the web client. `embed` is a player for frames on other sites, `status` tells how the station is, `lost` is the page
 * for paths that don't exist, `away` the one that browsers keep for when the station can't be reached.
 */
export type PageName = 'player' | 'guest' | 'embed' | 'adlogin' | 'adpanel' | 'status' | 'lost' | 'away'

/** What a link to the player opens over it. */
export type ListenerPlace =
  | { is: 'song'; track: string }
  /** What was on: `date` is `YYYY-MM-DD` and `time` `HH:MM` by the station's clock; null = not named. */
  | { is: 'history'; date: string | null; time: string | null }

const MAX_TRACK_ID = 512
const HISTORY = /^history(?:\/(\d{4}-\d\d-\d\d)(?:\/((?:[01]\d|2[0-3]):[0-5]\d))?)?$/

/** The place at a path without its language, such as `song/day/Low%20Tide.mp3`; null when it names none. */
export function placeAt(path: string): ListenerPlace | null {
  const history = HISTORY.exec(path)
  if (history) return { is: 'history', date: history[1] ?? null, time: history[2] ?? null }
  const [, encoded] = /^song\/((?:day|night)\/.+)$/.exec(path) ?? []
  try {
    const track = decodeURIComponent(encoded ?? '')
    return track && track.length <= MAX_TRACK_ID ? { is: 'song', track } : null
  } catch {
    return null
  }
}

/** The path of a place, without its language. */
export function pathOfPlace(place: ListenerPlace): string {
  if (place.is === 'song') return `song/${place.track.split('/').map(encodeURIComponent).join('/')}`
  return ['history', place.date, place.date && place.time].filter(Boolean).join('/')
}

/** The station at the moment a page was sent, so that the page needn't ask before it shows something. */
export interface Arrival {
  state: RadioState
  config: PublicConfig
  isHostOnline: boolean
}

/** The id of the element in which a page finds its `Arrival` as JSON. */
export const ARRIVAL_ID = 'arrival'

/** The id of the element in which the page of the status finds it as JSON. */
export const STATUS_ID = 'status'

/** The name of the cookie, and of the entry in a browser's storage, with the language that a listener chose. */
export const LISTENER_LANGUAGE = 'radio_lang'

/** A page as it looks before its scripts run. */
export interface PageView {
  title: string
  description: string
  /** The name of the station in the language of the page and the mode on air. */
  stationName: string
  themeColor: string
  /** CSS that the look needs; '' when it needs none. */
  style: string
  /** Rendered from the page's own components; '' where the scripts draw everything. */
  body: string
}

/** The web client's own renderer, which its build brings along for the API. */
export type RenderPage = (
  page: PageName,
  about: {
    locale: Locale
    state: RadioState
    /** Null where the page is to show nothing of what is on air. */
    arrival: Arrival | null
    /** The song that a link names; absent without one. */
    song?: { title: string; artist: string }
    place?: ListenerPlace
    /** For its page. */
    status?: Status
    look: Look
  },
) => PageView
