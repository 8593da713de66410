import { apiUrl } from '../../api.ts'
import { createStore } from '../../ui/store.ts'
import type { Connection } from '../connection/connection.ts'
import { localNowMs } from '../connection/station-clock.ts'
import { type Airing, isChatting, positionAt } from '../timeline.ts'
import { correctionOf, leadAfter } from './drift-correction.ts'
import { type Player, retryDelayMs, type Sound, startAudio } from './player.ts'

const CHECK_EVERY_MS = 500
/** A landing is judged when the sound has run for this long after a jump. */
const LANDED_AFTER_MS = 700
/** A file at its end is begun again when the station is this much before it: the same song follows itself. */
const PLAYED_AGAIN_S = 2

/**
 * Sync mode: this listener's own file, held to the station's clock.
 *
 * @param amplify told by how many dB the file of now is to be louder than it is.
 */
export function createSyncPlayer(
  audio: HTMLAudioElement,
  connection: Connection,
  amplify: (gainDb: number) => void,
): Player {
  const sound = createStore<Sound>({ is: 'off' })
  let isWanted = false
  /** The track whose file the element has; null = none. */
  let loaded: string | null = null
  let load = 0
  let attempt = 0
  let jumpedAtMs = Number.NEGATIVE_INFINITY
  let isLandingUnjudged = false
  let leadS = 0
  let retryTimer: ReturnType<typeof setTimeout> | undefined

  const onAir = (): Airing | null => connection.timeline.value.at(-1) ?? null
  const target = (airing: Airing) => positionAt(airing, connection.stationNowMs())
  const hasFile = ({ state }: Airing) => state.track !== null && state.isPlaying && !isChatting(state)

  function follow(): void {
    const airing = onAir()
    if (!isWanted || !airing) return
    if (!hasFile(airing)) unload()
    else if (airing.state.track !== loaded) void open(airing)
    else amplify(airing.state.gainDb ?? 0)
  }

  function unload(): void {
    if (loaded === null && !audio.hasAttribute('src')) return
    load++
    loaded = null
    audio.pause()
    audio.removeAttribute('src')
    audio.load()
    sound.set({ is: 'starting' })
  }

  /** Takes passes that live as long as what is left of the track, and opens its file at the live position. */
  async function open(airing: Airing): Promise<void> {
    const mine = ++load
    const track = airing.state.track!
    loaded = track
    clearTimeout(retryTimer)
    sound.set({ is: 'starting' })
    const lifeS = Math.max(0, airing.state.duration - target(airing)) + 30
    try {
      // Passes at hand are used within the press itself: some browsers allow sound only there.
      const artToken = connection.artToken.peek(lifeS) ?? (await connection.artToken.get(lifeS))
      const audioToken = connection.audioToken.peek(lifeS) ?? (await connection.audioToken.get(lifeS))
      if (mine !== load) return
      audio.src = apiUrl('/api/audio/stream', { track, artToken, audioToken })
      amplify(airing.state.gainDb ?? 0)
      jump()
      const result = await startAudio(audio)
      if (mine === load && result === 'blocked') block()
    } catch {
      if (mine === load) failed()
    }
  }

  function block(): void {
    isWanted = false
    sound.set({ is: 'blocked' })
  }

  function failed(): void {
    if (!isWanted) return
    load++
    sound.set({ is: 'retrying', because: 'lost' })
    clearTimeout(retryTimer)
    // Until then the track counts as loaded: only another one is opened sooner.
    retryTimer = setTimeout(retry, retryDelayMs(attempt++, Math.random()))
  }

  /** The passes are the likeliest reason of a failure; a refused one must not be offered again. */
  async function retry(): Promise<void> {
    const mine = load
    const isRenewed = await connection.audioToken.renew().then(
      () => true,
      () => false,
    )
    if (mine !== load) return
    if (!isRenewed) return failed()
    loaded = null
    follow()
  }

  function jump(): void {
    const airing = onAir()
    if (!airing) return
    audio.currentTime = target(airing) + leadS
    audio.playbackRate = 1
    jumpedAtMs = localNowMs()
    isLandingUnjudged = true
  }

  const isSettling = () => audio.seeking || audio.readyState < HTMLMediaElement.HAVE_FUTURE_DATA

  /** What is heard while it sounds is where the file is, which is not always where it should be. */
  function lagS(): number {
    const airing = onAir()
    const isHeard = sound.value.is === 'playing' && !audio.ended && !isSettling()
    return isHeard && airing && airing.state.track === loaded ? target(airing) - audio.currentTime : 0
  }

  function correct(): void {
    const airing = onAir()
    if (!isWanted || !airing || airing.state.track !== loaded) return
    if (audio.ended && audio.currentTime - target(airing) > PLAYED_AGAIN_S) {
      jump()
      void startAudio(audio)
    }
    if (audio.paused) return
    const sinceJumpMs = localNowMs() - jumpedAtMs
    const driftS = target(airing) - audio.currentTime
    if (isLandingUnjudged && !isSettling() && sinceJumpMs > LANDED_AFTER_MS) {
      isLandingUnjudged = false
      leadS = leadAfter(leadS, driftS)
    }
    const correction = correctionOf(driftS, { isSettling: isSettling(), sinceJumpMs })
    if (correction.do === 'jump') jump()
    else if (correction.do === 'rate') audio.playbackRate = correction.rate
  }

  /** The system or the browser paused, when headphones were pulled out for instance. */
  function pausedOutside(): void {
    if (!isWanted || audio.ended || !audio.paused || !audio.hasAttribute('src')) return
    isWanted = false
    sound.set({ is: 'paused' })
  }

  const events: [string, () => void][] = [
    // What was set before the file was known is set again, now that time has passed.
    ['loadedmetadata', jump],
    [
      'playing',
      () => {
        attempt = 0
        if (isWanted) sound.set({ is: 'playing' })
      },
    ],
    ['pause', pausedOutside],
    ['waiting', () => isWanted && sound.set({ is: 'starting' })],
    ['error', () => audio.hasAttribute('src') && failed()],
  ]
  for (const [name, heard] of events) audio.addEventListener(name, heard)
  const unfollow = connection.timeline.subscribe(follow)
  const timer = setInterval(correct, CHECK_EVERY_MS)

  return {
    sound,
    lagS,
    play() {
      isWanted = true
      const airing = onAir()
      if (!airing || airing.state.track !== loaded || audio.error) {
        loaded = null
        sound.set({ is: 'starting' })
        return follow()
      }
      jump()
      sound.set({ is: 'starting' })
      void startAudio(audio).then((result) => {
        if (result === 'blocked') block()
        else if (isWanted && !audio.paused) sound.set({ is: 'playing' })
      })
    },
    pause() {
      isWanted = false
      clearTimeout(retryTimer)
      audio.pause()
      sound.set({ is: 'paused' })
    },
    close() {
      isWanted = false
      unfollow()
      clearInterval(timer)
      clearTimeout(retryTimer)
      for (const [name, heard] of events) audio.removeEventListener(name, heard)
      unload()
      amplify(0)
    },
  }
}
