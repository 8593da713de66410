import type { openRateLimits, RateLimit } from './turns.ts'

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const LOGIN_WINDOW_S = 15 * MINUTE_S

/** All rate limits of the API, each named after what it protects. */
export interface RequestLimits {
  docs: RateLimit
  /** Covers, and questions which a track has, for one address. */
  covers: RateLimit
  /** Questions of one address about what is on air. */
  nowPlaying: RateLimit
  /** Pictures and descriptions of shared links. */
  sharing: RateLimit
  /** Lyrics for one listener. */
  lyrics: RateLimit
  /** Lyrics of tracks outside the library, for all listeners together. */
  otherLyrics: RateLimit
  /** Tracks that one admin may have looked up in batches. */
  lyricsBatch: RateLimit
  /** Forecasts of the programme for one admin; each makes playlists of the whole library. */
  forecast: RateLimit
  /** Orders of one listener. */
  orders: RateLimit
  /** Wishes of one listener to be told of a track. */
  notifications: RateLimit
  login: LoginLimits
}

/** Password attempts. */
export interface LoginLimits {
  /** By address, or network of an IPv6 address. */
  address: RateLimit
  /** By the IPv6 network that a provider assigns as a whole. */
  provider: RateLimit
  /** By login, from networks where its owner has not logged in before. */
  account: RateLimit
  /** All such attempts together; the short window soon makes room for others. */
  station: RateLimit
  /** By account: for the current password beside a token. */
  own: RateLimit
}

/** @param attempts logins per address in 15 minutes (`LOGIN_ATTEMPTS_PER_15_MIN`); 0 = logins are not limited. */
export function createRequestLimits(
  limit: Awaited<ReturnType<typeof openRateLimits>>,
  attempts: number,
): RequestLimits {
  const login = (name: string, turns: number, windowS = LOGIN_WINDOW_S) => limit({ name, turns, windowS })
  return {
    docs: limit({ name: 'docs', turns: 60, windowS: MINUTE_S }),
    // A campus may share an address, and all its pages ask at once when a track begins. A page that is opened shows twenty.
    covers: limit({ name: 'covers', turns: 6_000, windowS: MINUTE_S }),
    // Twice a second: a household, or a few bots on one machine.
    nowPlaying: limit({ name: 'now-playing', turns: 120, windowS: MINUTE_S }),
    // Services that show links share few addresses.
    sharing: limit({ name: 'sharing', turns: 120, windowS: MINUTE_S }),
    lyrics: limit({ name: 'lyrics', turns: 30, windowS: MINUTE_S }),
    otherLyrics: limit({ name: 'other-lyrics', turns: 60, windowS: MINUTE_S }),
    // Two libraries of the maximum size.
    lyricsBatch: limit({ name: 'lyrics-batch', turns: 40_000, windowS: HOUR_S }),
    forecast: limit({ name: 'forecast', turns: 60, windowS: MINUTE_S }),
    orders: limit({ name: 'donations', turns: 10, windowS: 10 * MINUTE_S }),
    notifications: limit({ name: 'notifications', turns: 60, windowS: 10 * MINUTE_S }),
    login: {
      address: login('login', attempts),
      provider: login('login-provider', 4 * attempts),
      account: login('login-account', attempts && 30),
      // Short, so that whoever was unlucky gets in soon.
      station: login('login-station', attempts && 20, 10),
      own: login('own-password', attempts),
    },
  }
}
