import { apiUrl } from '../../../../api.ts'
import type { DatedAudio, SegmentSource } from './source.ts'

/** The browser's own player of HLS. */
export function createNativeSource(audio: DatedAudio): SegmentSource {
  let ended = new AbortController()
  const beganMs = () => audio.getStartDate().getTime()
  const close = () => {
    ended.abort()
    ended = new AbortController()
  }
  return {
    open(playlist, fromMs) {
      close()
      audio.src = apiUrl(playlist)
      if (fromMs === null) return
      const seek = () => {
        const { seekable } = audio
        const atS = (fromMs - beganMs()) / 1000
        const isThere = seekable.length > 0 && seekable.start(0) <= atS && atS <= seekable.end(0)
        if (isThere) audio.currentTime = atS
      }
      audio.addEventListener('loadedmetadata', seek, { once: true, signal: ended.signal })
    },
    heardMs() {
      const ms = beganMs() + audio.currentTime * 1000
      return Number.isNaN(ms) ? null : ms
    },
    // The system rests with the element.
    rest() {},
    close,
  }
}
