import { createStore, type Store } from '../../../ui/store.ts'
import type { Connection } from '../../connection/connection.ts'
import { type Airing, hasFile, positionAt } from '../../timeline.ts'
import { canSetVolume } from '../amplifier.ts'
import type { Player, Sound } from '../player.ts'
import { tokenLifeS } from '../token-life.ts'
import { createDecks, type Decks } from './decoding/decks.ts'
import { dueOf, gainOf } from './due.ts'
import type { Output } from './output.ts'
import { createOutputKeeper } from './output-keeper.ts'
import { createPerformance, type Performance } from './performance.ts'
import { createSilence } from './silence.ts'

const CHECK_INTERVAL_MS = 250
/** Until it sounds. */
const FIRST_CHECK_INTERVAL_MS = 50

interface Dependencies {
  /** Plays silence, for the system's sake. */
  audio: HTMLAudioElement
  connection: Connection
  /** What the listener chose: 1 = as loud as the file. */
  loudness: Store<number>
  /** This browser, or this file, can't be played this way. */
  onUnfit: () => void
  /** The sound is to go to another device, which can play files only. */
  onElsewhere: () => void
}

/** False where Web Audio is missing, and on systems that stop it while the screen is locked. */
export const canPlayInStep = (audio: HTMLAudioElement): boolean =>
  typeof AudioContext !== 'undefined' && typeof OfflineAudioContext !== 'undefined' && canSetVolume(audio)

/**
 * Sync mode, in step with all other players: the file is decoded here, and its samples are scheduled on the audio clock for the
 * moment at which the station's clock wants them heard.
 */
export function createInStepPlayer(deps: Dependencies): Player {
  const { audio, connection, loudness, onUnfit, onElsewhere } = deps
  const sound = createStore<Sound>({ is: 'off' })
  let isActive = false

  const unfit = () => isActive && onUnfit()
  const decks = createDecks({
    artToken: connection.artToken,
    audioToken: connection.audioToken,
    onRetry: () => isActive && sound.value.is !== 'playing' && sound.set({ is: 'retrying', because: 'lost' }),
    onUnfit: unfit,
  })
  const performance = createPerformance()
  const output = createOutputKeeper({ level: () => loudness.value, onLost: performance.stop, onUnfit: unfit })
  const silence = createSilence(audio, {
    onPaused: () => stop({ is: 'paused' }),
    onResumed: () => sound.value.is === 'paused' && play(),
  })
  const checks = repeated(() => {
    if (!isActive) return null
    const open = output.check()
    const due = dueOf(connection, decks)
    const is = open && due ? performance.proceed(due, open) : 'starting'
    if (!isActive) return null
    if (is === 'playing' || sound.value.is === 'playing') sound.set({ is })
    if (open && is === 'playing') expectNext(connection, decks, performance, open)
    return is
  }, unfit)

  function follow(): void {
    const airing = connection.timeline.value.at(-1)
    if (!isActive || !airing) return
    const isAnother = putOn(decks, airing, connection.stationNowMs())
    const goesOn = !isAnother || performance.moveOn(decks.sound)
    if (goesOn) {
      performance.setGain(gainOf(airing.state.gainDb))
      return
    }
    performance.stop()
    sound.set({ is: 'starting' })
    checks.run()
  }

  function stop(reason: Sound): void {
    isActive = false
    performance.stop()
    decks.rest()
    silence.stop()
    output.rest()
    sound.set(reason)
  }

  function play(): void {
    isActive = true
    sound.set({ is: 'starting' })
    output.open()
    if (!isActive) return
    decks.resume()
    void silence.start().then((result) => result === 'blocked' && isActive && stop({ is: 'blocked' }))
    follow()
    checks.run()
  }

  const ends = [
    ...[connection.timeline.subscribe(follow), loudness.subscribe(output.setLevel)],
    ...[onConnecting(audio, onElsewhere), checks.stop],
    ...[performance.stop, silence.close, decks.unload, output.close],
  ]
  return {
    sound,
    lagS: () => (sound.value.is === 'playing' ? performance.errorS() : 0),
    play,
    pause: () => stop({ is: 'paused' }),
    close() {
      isActive = false
      for (const end of ends) end()
    },
  }
}

/** Listens for the device of the sound that is about to change. @returns ends it. */
function onConnecting({ remote }: HTMLAudioElement, listener: () => void): () => void {
  remote?.addEventListener('connecting', listener)
  return () => remote?.removeEventListener('connecting', listener)
}

/** Takes a step again and again, more often until it sounds; null is the last. */
function repeated(step: () => 'starting' | 'playing' | null, onBroken: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  function run(): void {
    clearTimeout(timer)
    const is = attempt()
    if (is !== null) timer = setTimeout(run, is === 'playing' ? CHECK_INTERVAL_MS : FIRST_CHECK_INTERVAL_MS)
  }
  function attempt() {
    try {
      return step()
    } catch (error) {
      // Web Audio that refuses a node or a buffer once does so again.
      console.error(error)
      onBroken()
      return null
    }
  }
  return { run, stop: () => clearTimeout(timer) }
}

/** Loads the track on air. Returns whether it is another one. */
function putOn(decks: Decks, airing: Airing, nowMs: number): boolean {
  const wanted = hasFile(airing) ? airing.state.track : null
  if (wanted === decks.track) return false
  if (wanted === null) decks.unload()
  else decks.load(wanted, tokenLifeS(leftS(airing)), positionAt(airing, nowMs))
  return true
}

/** Fetches the beginning of the track that comes next, and has it begin in time. */
function expectNext(connection: Connection, decks: Decks, performance: Performance, output: Output): void {
  const airing = connection.timeline.value.at(-1)
  if (airing) decks.prepare(airing.state.playlist[0]?.id ?? null, tokenLifeS(leftS(airing)))
  performance.expect(dueOf(connection, decks.next), output)
}

const leftS = ({ state }: Airing): number => state.duration - state.seek
