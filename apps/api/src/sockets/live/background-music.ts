import type { Clip, Mode } from '@solstice/contracts'
import type { PlayoutState } from '@solstice/playout'
import { type Bus, type DataStore, sendCommand, shownClip } from '@solstice/station'
import type { Handlers } from '../dispatch.ts'

const PAGE = 5
const MAX_PAGE = 50

/** The music under the hosts' talk. @param deps.now the newest state; null before any. */
export function backgroundMusicHandlers(deps: {
  now: () => PlayoutState | null
  data: Pick<DataStore, 'clips'>
  bus: Pick<Bus, 'send'>
}): Pick<Handlers, 'host_get_background_music_list' | 'host_set_background_music'> {
  const { now, data, bus } = deps
  return {
    host_get_background_music_list: {
      async answer(who, { offset = 0, limit = PAGE }) {
        const mode = now()?.mode
        if (who.liveRole !== 'host' || !mode) return { items: [], total: 0 }
        const found = await usableMusic(data, mode)
        const from = Math.max(0, offset)
        const items = found.slice(from, from + Math.min(Math.max(1, limit), MAX_PAGE))
        return { items, total: found.length, mode }
      },
    },
    host_set_background_music: {
      async answer({ socketId }, { trackId }) {
        await sendCommand(bus, { type: 'choose-background', socketId, clipId: trackId })
        return { ok: true }
      },
    },
  }
}

/** Background music in use in a mode, newest first. */
async function usableMusic(data: Pick<DataStore, 'clips'>, mode: Mode): Promise<Clip[]> {
  const found = await data.clips.find({ family: 'background-music', mode, used: true })
  return found
    .toReversed()
    .sort((a, b) => b.createdAt - a.createdAt)
    .map(shownClip)
}
