import Hls from 'hls.js/light'
import { apiUrl } from '../../../../api.ts'
import type { SegmentSource } from './source.ts'

/** Sound behind the position. */
const KEPT_S = 30

/** hls.js, for browsers that play segments by Media Source Extensions. */
export function createHlsSource(audio: HTMLAudioElement, onFailed: () => void): SegmentSource {
  let hls: Hls | null = null
  const close = () => {
    hls?.destroy()
    hls = null
  }
  return {
    open(playlist, fromMs) {
      close()
      // Its worker would be a script that no policy can name; taking packed audio apart costs next to nothing.
      const opened = new Hls({ enableWorker: false, autoStartLoad: false, backBufferLength: KEPT_S })
      hls = opened
      opened.once(Hls.Events.LEVEL_LOADED, (_, { details }) =>
        opened.startLoad(positionAt(details.fragments, fromMs) ?? -1),
      )
      opened.on(Hls.Events.ERROR, (_, { fatal }) => fatal && hls === opened && onFailed())
      opened.attachMedia(audio)
      opened.loadSource(apiUrl(playlist))
    },
    heardMs: () => hls?.playingDate?.getTime() ?? null,
    rest: () => hls?.stopLoad(),
    close,
  }
}

interface Fragment {
  /** s */
  start: number
  duration: number
  programDateTime: number | null
}

/** Where a moment lies in a playlist, in seconds; null when it isn't there. */
export function positionAt(fragments: readonly Fragment[], atMs: number | null): number | null {
  if (atMs === null) return null
  for (const { start, duration, programDateTime } of fragments) {
    const inS = programDateTime === null ? -1 : (atMs - programDateTime) / 1000
    if (inS >= 0 && inS < duration) return start + inS
  }
  return null
}
