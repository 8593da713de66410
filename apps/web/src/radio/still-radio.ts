import type { Arrival } from '@solstice/contracts'
import { createStore } from '../ui/store.ts'
import type { RenewingToken } from './connection/renewing-token.ts'
import type { Radio } from './radio.ts'
import { airingOf, positionAt } from './timeline.ts'
import { DEFAULT_LEVEL } from './volume.ts'

/** The radio at one moment, for rendering the page where nothing sounds or connects. */
export function stillRadio({ state, config, isHostOnline }: Arrival): Radio {
  const heard = airingOf(state)
  const nowMs = state.serverTimeMs
  return {
    config: createStore(config),
    link: createStore('connecting'),
    sound: createStore({ is: 'off' }),
    heard: createStore(heard),
    history: createStore(null),
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
      timeline: createStore([heard]),
      users: createStore([]),
      isHosting: createStore(config.radioHostsMode),
      isHostOnline: createStore(isHostOnline),
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
    position: () => positionAt(heard, nowMs),
    play: nothing,
    pause: nothing,
    toggle: nothing,
    setVolume: nothing,
    fade: nothing,
  }
}

const nothing = (): void => {}
const never = (): Promise<never> => new Promise(() => {})
const noToken: RenewingToken = { peek: () => null, get: never, renew: never, stop: nothing }
