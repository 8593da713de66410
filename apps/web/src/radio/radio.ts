import type { Arrival, HistoryItem, PublicConfig, User } from '@solstice/contracts'
import { get } from '../api.ts'
import { createStore, type Store } from '../ui/store.ts'
import { type Connection, connect } from './connection/connection.ts'
import type { LinkState } from './connection/station-socket.ts'
import { createDonations, type Donations } from './donations/donations.ts'
import { createHeard } from './heard.ts'
import { createHistory, onNewTrack } from './history.ts'
import { createLibrary, type TrackLibrary } from './library.ts'
import { isElsewhere } from './players/elsewhere.ts'
import { canPlayInStep, createInStepPlayer } from './players/in-step/player.ts'
import type { Sound } from './players/player.ts'
import { createPlayerSwitch } from './players/player-switch.ts'
import { createRetry } from './players/retry.ts'
import type { StreamDeps } from './players/stream/open.ts'
import type { Quality } from './players/stream/quality.ts'
import { createSyncPlayer } from './players/sync/player.ts'
import { type Airing, positionAt } from './timeline.ts'
import { createVolume, type Volume, type VolumeControl } from './volume.ts'

/** The station as this listener sees and hears it. */
export interface Radio {
  readonly config: Store<PublicConfig | null>
  readonly link: Store<LinkState>
  readonly sound: Store<Sound>
  /** The airing the listener hears now, or would hear. */
  readonly heard: Store<Airing | null>
  /** Oldest first; null until it has been read. */
  readonly history: Store<HistoryItem[] | null>
  readonly users: Store<User[]>
  /** The tracks that listeners may request. */
  readonly library: TrackLibrary
  readonly donations: Donations
  readonly volume: Store<Volume>
  readonly connection: Connection
  /** Seconds into the track that is heard. */
  position(): number
  /** Starts the sound at the live position. Call it from a press. */
  play(): void
  pause(): void
  toggle(): void
  setVolume(change: Partial<Volume>): void
  /** Plays softer for a while, without a change of the volume; 1 = as loud as chosen. */
  fade(factor: number): void
}

const HEARD_INTERVAL_MS = 250

/**
 * Connects to the station. Nothing sounds before `play`.
 *
 * @param arrival the station as it was when the page was sent; null when the page knows nothing of it yet.
 * @param listener.isOld the page was sent some time ago: its configuration is read again. Its state is replaced by the socket anyway.
 */
export function createRadio(
  audio: HTMLAudioElement,
  arrival: Arrival | null,
  { isOld, quality }: { isOld: boolean; quality: Store<Quality> },
): Radio {
  const connection = connect(arrival)
  const config = createStore<PublicConfig | null>(arrival?.config ?? null)
  const mayRedirect = () => config.value?.musicSource === 'cloud'
  const volume = createVolume(audio, mayRedirect)
  const player = createPlayerSwitch()
  const heard = createStore<Airing | null>(null)
  const library = createLibrary(() => get('/api/library'))
  const donations = createDonations({
    link: connection.link,
    nowMs: connection.stationNowMs,
    onResult: connection.onDonationResult,
  })
  const heardMs = () => connection.stationNowMs() - player.lagS() * 1000
  const heardNow = createHeard()
  const updateHeard = () => heard.set(heardNow(connection.timeline.value, heardMs(), player.title()))

  const choice = choosePlayers({ audio, connection, config, quality, player }, volume, mayRedirect)
  connection.timeline.subscribe(updateHeard)
  setInterval(updateHeard, HEARD_INTERVAL_MS)
  connection.onLibraryChange(library.invalidate)
  connection.requests.news.subscribe((news) => news?.is === 'not_found' && library.invalidate())
  const history = createHistory(heard)
  onNewTrack(heard, donations.refresh)
  if (arrival) choice.choose(arrival.config.streamMode)
  followConfig(connection, config, choice.choose, isOld)
  updateHeard()

  const radio: Radio = {
    config,
    link: connection.link,
    sound: player.sound,
    heard,
    history,
    users: connection.users,
    library,
    donations,
    volume: volume.volume,
    connection,
    position: () => (heard.value ? positionAt(heard.value, heardMs()) : 0),
    play() {
      choice.takeBack()
      player.play()
    },
    pause: player.pause,
    toggle() {
      if (['playing', 'starting', 'retrying'].includes(player.sound.value.is)) radio.pause()
      else radio.play()
    },
    setVolume: volume.set,
    fade: volume.fade,
  }
  return radio
}

/** Chooses the player that fits the station, the browser and the device that plays. */
function choosePlayers(deps: StreamDeps, volume: VolumeControl, mayRedirect: () => boolean) {
  const { audio, connection, player } = deps
  /** What is scheduled on the audio clock can't go to another device, so an element plays for that. */
  let isLent = false
  const syncPlayer = () =>
    createSyncPlayer(audio, connection, { amplify: volume.amplify, mayRead: () => !mayRedirect() })
  const inStepPlayer = () =>
    createInStepPlayer({
      audio,
      connection,
      loudness: volume.loudness,
      onUnfit: () => player.replace(syncPlayer),
      onElsewhere() {
        isLent = true
        player.replace(syncPlayer)
      },
    })
  function choose(isStream: boolean): void {
    isLent = false
    if (isStream) void loadStream(deps)
    else if (!isElsewhere(audio) && canPlayInStep(audio) && !mayRedirect()) player.replace(inStepPlayer)
    else player.replace(syncPlayer)
    // Obtained beforehand, so that a press starts the sound without waiting.
    if (!isStream) connection.audioToken.get().catch(() => {})
  }
  return {
    choose,
    /** The sound is on this device again: a press, which this is part of, may start the audio clock. */
    takeBack: () => isLent && !isElsewhere(audio) && choose(false),
  }
}

/** Plays the stream once that part of the page is here, which other stations don't need. */
async function loadStream(deps: StreamDeps, retry = createRetry()): Promise<void> {
  try {
    const { openStream } = await import('./players/stream/open.ts')
    if (deps.config.value?.streamMode) openStream(deps)
  } catch {
    retry.schedule(() => void loadStream(deps, retry))
  }
}

/** Reads the configuration, unless it is there, and again after each reconnection; tells when the way of broadcasting changed. */
function followConfig(
  { link }: Connection,
  config: Store<PublicConfig | null>,
  onStreamMode: (isStream: boolean) => void,
  isOld: boolean,
): void {
  const retry = createRetry()
  async function read(): Promise<void> {
    try {
      const fresh = await get('/api/public/config')
      retry.reset()
      const isChanged = fresh.streamMode !== config.value?.streamMode
      config.set(fresh)
      if (isChanged) onStreamMode(fresh.streamMode)
    } catch {
      retry.schedule(read)
    }
  }
  let wasOnline = false
  link.subscribe((state) => {
    if (state !== 'online') return
    if (wasOnline) void read()
    wasOnline = true
  })
  if (!config.value || isOld) void read()
}
