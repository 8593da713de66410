import { apiUrl } from '../../../api.ts'
import type { RenewingToken } from '../../connection/renewing-token.ts'
import { isElsewhere } from '../elsewhere.ts'
import { clearAudio, startAudio } from '../player.ts'
import { createNextFile } from './next-file.ts'

/** The file of a track in an audio element. */
export interface TrackFile {
  /** The loaded track, also while its file is being opened or retried; null = none. */
  readonly track: string | null
  /**
   * Opens the file of a track. `unavailable`: there are no tokens; `superseded`: something else was done meanwhile.
   *
   * @param lifeS how long the tokens have to be valid.
   * @param onSource called right before the element is started.
   */
  open(
    track: string,
    lifeS: number,
    onSource: () => void,
  ): Promise<'started' | 'blocked' | 'failed' | 'unavailable' | 'superseded'>
  /** Has the file of the next track in memory before its turn. */
  prepare(track: string, lifeS: number): void
  /** Gives up opening; the track still counts as loaded. */
  interrupt(): void
  /** Obtains a new token after a failure. */
  renewToken(): Promise<'renewed' | 'failed' | 'superseded'>
  /** Makes the next `open` necessary, whatever the track. */
  forget(): void
  /** Takes the file out of the element. Returns whether there was one. */
  unload(): boolean
}

export function createTrackFile(
  audio: HTMLAudioElement,
  { artToken, audioToken }: { artToken: RenewingToken; audioToken: RenewingToken },
): TrackFile {
  let track: string | null = null
  /** Counts what is done, so that an outdated step notices. */
  let step = 0
  const next = createNextFile()
  return {
    get track() {
      return track
    },
    async open(wanted, lifeS, onSource) {
      const mine = ++step
      const isSuperseded = () => mine !== step
      track = wanted
      const kept = next.take(wanted)
      // Another device can't reach what is in the memory of this one.
      let address = isElsewhere(audio) ? null : kept
      try {
        // Tokens at hand are used without waiting: some browsers allow sound only within the press itself.
        address ??= addressOf(wanted, {
          artToken: artToken.peek(lifeS) ?? (await artToken.get(lifeS)),
          audioToken: audioToken.peek(lifeS) ?? (await audioToken.get(lifeS)),
        })
      } catch {
        return isSuperseded() ? 'superseded' : 'unavailable'
      }
      if (isSuperseded()) return 'superseded'
      audio.src = address
      onSource()
      const result = await startAudio(audio)
      return isSuperseded() ? 'superseded' : result
    },
    prepare(wanted, lifeS) {
      const tokens = { artToken: artToken.peek(lifeS), audioToken: audioToken.peek(lifeS) }
      if (tokens.artToken && tokens.audioToken && wanted !== track)
        next.prepare(wanted, addressOf(wanted, tokens as { artToken: string; audioToken: string }))
    },
    interrupt() {
      step++
    },
    async renewToken() {
      const mine = step
      const isRenewed = await audioToken.renew().then(
        () => true,
        () => false,
      )
      if (mine !== step) return 'superseded'
      return isRenewed ? 'renewed' : 'failed'
    },
    forget() {
      track = null
    },
    unload() {
      next.clear()
      if (track === null && !audio.hasAttribute('src')) return false
      step++
      track = null
      clearAudio(audio)
      return true
    },
  }
}

const addressOf = (track: string, tokens: { artToken: string; audioToken: string }): string =>
  apiUrl('/api/audio/stream', { track, ...tokens })
