import { advance, queuePage, searchQueue } from '@solstice/playout'
import type { StationClock } from '@solstice/station'
import type { AirMirror } from '../stream/air-mirror.ts'
import type { Handlers } from './dispatch.ts'

const PAGE = 10
const LONGEST_PAGE = 100

/** What admins may ask of the queue. */
export function queueHandlers(deps: {
  mirror: AirMirror
  clock: StationClock
}): Pick<Handlers, 'get_queue' | 'search_queue'> {
  const { mirror, clock } = deps
  /** The air of this moment, as `sync` shows it; null before any state came. */
  const airNow = () => mirror.state && advance(mirror.state, clock.nowMs()).state
  const nothing = { items: [], total: 0 }

  return {
    get_queue: {
      answer(_, { offset = 0, limit = PAGE }) {
        const air = airNow()
        return air ? queuePage(air, offset, Math.min(Math.max(1, limit), LONGEST_PAGE)) : nothing
      },
    },
    search_queue: {
      answer(_, { query = '' }) {
        const air = airNow()
        return air ? searchQueue(air, query) : nothing
      },
    },
  }
}
