import type { Locale } from './localized.ts'
import type { PublicConfig, RadioState } from './resources/station.ts'

/** The pages of the web client. `embed` is a player for frames on other sites, `lost` the page for paths that don't exist. */
export type PageName = 'player' | 'guest' | 'embed' | 'adlogin' | 'adpanel' | 'lost'

/** The station at the moment a page was sent, so that the page needn't ask before it shows something. */
export interface Arrival {
  state: RadioState
  config: PublicConfig
  isHostOnline: boolean
}

/** The id of the element in which a page finds its `Arrival` as JSON. */
export const ARRIVAL_ID = 'arrival'

/** The name of the cookie, and of the entry in a browser's storage, with the language that a listener chose. */
export const LISTENER_LANGUAGE = 'radio_lang'

/** A page as it looks before its scripts run. */
export interface PageView {
  title: string
  description: string
  /** The name of the station in the language of the page and the mode on air. */
  stationName: string
  themeColor: string
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
  },
) => PageView
