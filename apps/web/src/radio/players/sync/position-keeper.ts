import { localNowMs } from '../../connection/station-clock.ts'
import { isElsewhere } from '../elsewhere.ts'
import { startAudio } from '../player.ts'
import { correctionOf, leadAfter } from './drift-correction.ts'

/** Holds a playing element to the station's position. */
export interface PositionKeeper {
  /** Seeks to the target, plus the time that a seek takes on this device. */
  jump(): void
  /** Corrects the drift: a small one by the playback rate, a large one by a jump. Replays a file that has ended too early. */
  correct(): void
  /** A seek or a load is under way, so the element's position means nothing. */
  isSettling(): boolean
}

/** A jump is judged once the sound has run for this long. */
const LANDED_AFTER_MS = 700
/** A file at its end is replayed when the target is this much before it: the same track follows itself. */
const REPLAY_BEFORE_END_S = 2

/** @param targetS where the sound should be now; null while nothing is on air. */
export function createPositionKeeper(audio: HTMLAudioElement, targetS: () => number | null): PositionKeeper {
  let jumpedAtMs = Number.NEGATIVE_INFINITY
  let isLandingUnjudged = false
  let leadS = 0

  const isSettling = () => audio.seeking || audio.readyState < HTMLMediaElement.HAVE_FUTURE_DATA

  function jump(): void {
    const target = targetS()
    if (target === null) return
    audio.currentTime = target + leadS
    audio.playbackRate = 1
    jumpedAtMs = localNowMs()
    isLandingUnjudged = true
  }

  return {
    jump,
    isSettling,
    correct() {
      const target = targetS()
      if (target === null) return
      if (audio.ended && audio.currentTime - target > REPLAY_BEFORE_END_S) {
        jump()
        void startAudio(audio)
      }
      if (audio.paused) return
      const sinceJumpMs = localNowMs() - jumpedAtMs
      const driftS = target - audio.currentTime
      if (isLandingUnjudged && !isSettling() && sinceJumpMs > LANDED_AFTER_MS) {
        isLandingUnjudged = false
        if (!isElsewhere(audio)) leadS = leadAfter(leadS, driftS)
      }
      const playing = { isSettling: isSettling(), sinceJumpMs, isElsewhere: isElsewhere(audio) }
      const correction = correctionOf(driftS, playing)
      if (correction.do === 'jump') jump()
      else if (correction.do === 'rate') audio.playbackRate = correction.rate
    },
  }
}
