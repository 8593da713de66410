import type { HistoryItem, PublicConfig, User } from '@solstice/contracts'
import { get } from '../api.ts'
import { readStored, writeStored } from '../ui/browser-storage.ts'
import { createStore, type Store } from '../ui/store.ts'
import { type Connection, connect } from './connection/connection.ts'
import type { LinkState } from './connection/station-socket.ts'
import { createDonations, type Donations } from './donations/donations.ts'
import { createLibrary, type SongLibrary } from './library.ts'
import { createAmplifier } from './players/amplifier.ts'
import { type Player, retryDelayMs, type Sound } from './players/player.ts'
import { createStreamPlayer } from './players/stream-player.ts'
import { createSyncPlayer } from './players/sync-player.ts'
import { type Airing, heardAt, positionAt } from './timeline.ts'

export interface Volume {
  /** 0 to 1. */
  level: number
  isMuted: boolean
}

/** The station as this listener sees and hears it. */
export interface Radio {
  readonly config: Store<PublicConfig | null>
  readonly link: Store<LinkState>
  readonly sound: Store<Sound>
  /** What is in the listener's ear now, or would be. */
  readonly heard: Store<Airing | null>
  /** Played before, oldest first. */
  readonly history: Store<HistoryItem[]>
  readonly users: Store<User[]>
  /** What listeners may ask for. */
  readonly library: SongLibrary
  readonly donations: Donations
  readonly volume: Store<Volume>
  readonly connection: Connection
  /** Seconds into the song that is heard. */
  position(): number
  /** Starts the sound at the live position. Call it from a press. */
  play(): void
  pause(): void
  toggle(): void
  setVolume(volume: Partial<Volume>): void
}

const VOLUME = 'radio_volume'
const MUTED = 'radio_muted'
const LOOK_EVERY_MS = 250
const CROWD_SPREAD_MS = 3000

/** Connects to the station. Nothing sounds before `play`. */
export function createRadio(audio: HTMLAudioElement): Radio {
  const connection = connect()
  const config = createStore<PublicConfig | null>(null)
  const sound = createStore<Sound>({ is: 'off' })
  const heard = createStore<Airing | null>(null)
  const history = createStore<HistoryItem[]>([])
  const library = createLibrary(() => get('/api/library'))
  const donations = createDonations({
    link: connection.link,
    nowMs: connection.stationNowMs,
    onResult: connection.onDonationResult,
  })
  const volume = createStore<Volume>(rememberedVolume())
  let player: Player | null = null
  /** Pressed before the station said how it plays. */
  let isAskedEarly = false

  async function readConfig(attempt = 0): Promise<void> {
    try {
      const fresh = await get('/api/public/config')
      const isChanged = fresh.streamMode !== config.value?.streamMode
      config.set(fresh)
      if (isChanged) choosePlayer(fresh.streamMode)
    } catch {
      setTimeout(() => void readConfig(attempt + 1), retryDelayMs(attempt, Math.random()))
    }
  }

  function choosePlayer(isStream: boolean): void {
    const goesOn = player ? !['off', 'paused'].includes(player.sound.value.is) : isAskedEarly
    player?.close()
    player = isStream ? createStreamPlayer(audio, connection) : createSyncPlayer(audio, connection, amplify)
    // The key is asked for beforehand, so that the press alone starts the sound.
    if (!isStream) connection.audioToken.get().catch(() => {})
    player.sound.subscribe(sound.set)
    if (goesOn) player.play()
  }

  const earMs = () => connection.stationNowMs() - (player?.lagS() ?? 0) * 1000
  const look = () => heard.set(heardAt(connection.timeline.value, earMs()))
  connection.timeline.subscribe(look)
  setInterval(look, LOOK_EVERY_MS)

  connection.onLibraryChange(library.invalidate)
  connection.requests.news.subscribe((news) => news?.is === 'not_found' && library.invalidate())

  let track: string | null | undefined
  let historyTimer: ReturnType<typeof setTimeout> | undefined
  heard.subscribe((airing) => {
    if (!airing || airing.state.track === track) return
    track = airing.state.track
    clearTimeout(historyTimer)
    // Everybody hears the new song at once; that everybody asks at once is not needed.
    const delayMs = history.value.length ? 500 + Math.random() * CROWD_SPREAD_MS : 0
    historyTimer = setTimeout(() => get('/api/history').then(history.set, () => {}), delayMs)
    donations.refresh()
  })
  connection.link.subscribe((link) => {
    if (link === 'online' && config.value) void readConfig()
  })
  void readConfig()

  const setLoudness = createAmplifier(audio, () => config.value?.musicSource === 'cloud')
  let gainDb = 0
  const amplify = (nextDb: number) => {
    if (nextDb === gainDb) return
    gainDb = nextDb
    applyVolume(volume.value)
  }
  const applyVolume = ({ level, isMuted }: Volume) => {
    // Loudness is heard in proportions: half way on the control shall be half as loud.
    setLoudness(level ** 2 * 10 ** (gainDb / 20))
    audio.muted = isMuted
  }
  applyVolume(volume.value)

  const radio: Radio = {
    config,
    link: connection.link,
    sound,
    heard,
    history,
    users: connection.users,
    library,
    donations,
    volume,
    connection,
    position: () => (heard.value ? positionAt(heard.value, earMs()) : 0),
    play() {
      if (player) player.play()
      else {
        isAskedEarly = true
        sound.set({ is: 'starting' })
      }
    },
    pause() {
      isAskedEarly = false
      if (player) player.pause()
      else sound.set({ is: 'paused' })
    },
    toggle() {
      if (['playing', 'starting', 'retrying'].includes(sound.value.is)) radio.pause()
      else radio.play()
    },
    setVolume(change) {
      const next = { ...volume.value, ...change }
      next.level = Math.max(0, Math.min(1, next.level))
      volume.set(next)
      applyVolume(next)
      writeStored(VOLUME, String(next.level))
      writeStored(MUTED, String(next.isMuted))
    },
  }
  return radio
}

function rememberedVolume(): Volume {
  const level = Number(readStored(VOLUME) ?? '0.8')
  return { level: level >= 0 && level <= 1 ? level : 0.8, isMuted: readStored(MUTED) === 'true' }
}
