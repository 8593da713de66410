import type { Arrival } from '@solstice/contracts'
import { createStore } from '../ui/store.ts'
import type { RenewingToken } from './connection/renewing-token.ts'
import type { Radio } from './radio.ts'
import { airingOf, positionAt } from './timeline.ts'
import { DEFAULT_LEVEL } from './volume.ts'

/** The radio at one moment, for rendering the page where nothing sounds or connects. */
export function stillRadio(arrival: Arrival | null): Radio {
  const heard = arrival && airingOf(arrival.state)
  const nowMs = arrival?.state.serverTimeMs ?? 0
  return {
    config: createStore(arrival?.config ?? null),
    link: createStore('connecting'),
    sound: createStore({ is: 'off' }),
    heard: createStore(heard),
    history: createStore([]),
    users: createStore([]),
    library: {
      state: createStore({ is: 'loading' }),
      open: () => nothing,
      invalidate: nothing,
      retry: nothing,
    },
    donations: {
      orders: createStore([]),
      news: createStore(null),
      offer: never,
      order: never,
      returned: nothing,
      watch: () => nothing,
      checkNow: nothing,
      refresh: nothing,
      forget: nothing,
    },
    volume: createStore({ level: DEFAULT_LEVEL, isMuted: false }),
    connection: {
      link: createStore('connecting'),
      timeline: createStore(heard ? [heard] : []),
      users: createStore([]),
      isHosting: createStore(arrival?.config.radioHostsMode ?? false),
      isHostOnline: createStore(arrival?.isHostOnline ?? false),
      artToken: noToken,
      audioToken: noToken,
      requests: {
        isAdminOnline: createStore(null),
        cooldown: createStore(null),
        news: createStore(null),
        isSending: createStore(false),
        send: never,
      },
      stationNowMs: () => nowMs,
      roundTripMs: () => 0,
      measurePosition: never,
      onLibraryChange: nothing,
      onDonationResult: nothing,
      retry: nothing,
      close: nothing,
    },
    position: () => (heard ? positionAt(heard, nowMs) : 0),
    play: nothing,
    pause: nothing,
    toggle: nothing,
    setVolume: nothing,
  }
}

const nothing = (): void => {}
const never = (): Promise<never> => new Promise(() => {})
const noToken: RenewingToken = { peek: () => null, get: never, renew: never, stop: nothing }
