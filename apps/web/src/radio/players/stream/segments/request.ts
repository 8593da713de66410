import { apiUrl } from '../../../../api.ts'
import { clearAudio, startAudio } from '../../player.ts'
import { RESTS_FOR_MS } from '../../system-pause.ts'
import { type StreamRequest, statusOf } from '../request.ts'
import type { Stream } from '../usual.ts'
import { playlistOf, type SegmentSource } from './source.ts'

/** Between 18 and 24 s: a playlist ends with a whole segment, and new listeners begin with the third from its end. */
const USUAL_LAG_S = 21

interface Dependencies {
  audio: HTMLAudioElement
  /** The source, once its part of the page is here. */
  load(): Promise<SegmentSource>
  /** Which of the station's streams to open now. */
  choose(): Stream
  listener: string
  stationNowMs(): number
}

/** The broadcast in segments, in an audio element. */
export interface SegmentRequest extends StreamRequest {
  /** Station time of what is heard, epoch ms; null while it is unknown. */
  heardMs(): number | null
}

export function createSegmentRequest(deps: Dependencies): SegmentRequest {
  const { audio, load, choose, listener, stationNowMs } = deps
  let source: SegmentSource | null = null
  let isOpen = false
  let generation = 0
  let dropTimer: ReturnType<typeof setTimeout> | undefined
  const playlist = () => playlistOf(choose(), listener)

  function drop(): void {
    clearTimeout(dropTimer)
    generation++
    isOpen = false
    source?.close()
    clearAudio(audio)
  }

  return {
    isOpen: () => isOpen,
    heardMs: () => (isOpen ? (source?.heardMs() ?? null) : null),
    async open(behindS, onSource) {
      clearTimeout(dropTimer)
      const mine = ++generation
      const isSuperseded = () => mine !== generation
      try {
        source ??= await load()
      } catch {
        return isSuperseded() ? 'superseded' : 'unavailable'
      }
      if (isSuperseded()) return 'superseded'
      const lagS = behindS?.() ?? null
      isOpen = true
      onSource(lagS ?? USUAL_LAG_S)
      source.open(playlist(), lagS === null ? null : stationNowMs() - lagS * 1000)
      const result = await startAudio(audio)
      return isSuperseded() ? 'superseded' : result
    },
    drop,
    dropLater() {
      source?.rest()
      dropTimer = setTimeout(drop, RESTS_FOR_MS)
    },
    async diagnose() {
      const mine = generation
      const status = await statusOf(apiUrl(playlist()))
      if (mine !== generation) return 'superseded'
      return status === 503 ? 'not-ready' : 'lost'
    },
  }
}
