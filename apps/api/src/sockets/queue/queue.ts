import { setImmediate } from 'node:timers/promises'
import { coded, type socketMessages } from '@solstice/contracts'
import { groupInsertCooldownSecsLeft, type PlayoutState, queuePage, searchQueue } from '@solstice/playout'
import {
  type Announcer,
  type Audit,
  addTrack,
  answerSuggestion,
  type Bus,
  cancelJingle,
  type DataStore,
  Failure,
  insertGroup,
  insertJingle,
  type JobQueue,
  moveEntry,
  removeEntry,
  restoreEntry,
  skipTrack,
  type WallClock,
} from '@solstice/station'
import type { AudibleAir } from '../../air/audible.ts'
import type { Handlers, Visitor } from '../dispatch.ts'

const PAGE = 10
const MAX_PAGE = 100

interface QueueDeps {
  air: AudibleAir
  clock: WallClock
  /** The state of this moment, whatever is heard. */
  airNow: () => PlayoutState | null
  data: Pick<DataStore, 'tracks' | 'groups' | 'clips' | 'donations' | 'ledger' | 'audit'>
  bus: Pick<Bus, 'send'>
  jobs: Pick<JobQueue, 'add'>
  announcer: Announcer
  audit: Audit
}

type QueueEvent =
  | 'get_queue'
  | 'search_queue'
  | 'admin_add_song'
  | 'admin_remove_song'
  | 'admin_restore_song'
  | 'admin_move_song'
  | 'admin_insert_jingle'
  | 'admin_cancel_jingle'
  | 'admin_skip_song'
  | 'admin_insert_song_group'
  | 'admin_suggestion_action'

/** Reading the queue, and changing it. */
export function queueHandlers(deps: QueueDeps): Pick<Handlers, QueueEvent> {
  const { air, clock } = deps

  return {
    get_queue: {
      answer(_, { offset = 0, limit = PAGE }) {
        const now = air.now()
        return now ? queuePage(now, offset, Math.min(Math.max(1, limit), MAX_PAGE)) : nothing
      },
    },
    search_queue: {
      answer: (_, { query = '' }) => search(air.now(), query),
    },
    admin_add_song: {
      failsAs: 'QUEUE_ADD_FAILED',
      async answer(who, { id, orderType, tier = null, position }) {
        await addTrack(deps, who.admin, air.now(), clock.nowMs(), id, {
          orderType: orderType === 'lastinline' ? 'requested' : orderType,
          tier,
          ...(position !== undefined && { at: position }),
        })
        return succeed(who, 'QUEUE_SONG_ADDED')
      },
    },
    admin_remove_song: {
      failsAs: 'QUEUE_REMOVE_FAILED',
      async answer(who, which) {
        const entry = await removeEntry(deps, who.admin, air.now(), which)
        return succeed(who, 'QUEUE_SONG_REMOVED', { entry })
      },
    },
    admin_restore_song: {
      failsAs: 'QUEUE_RESTORE_FAILED',
      async answer(who, { entryId }) {
        const is = await restoreEntry(deps, who.admin, { entryId, air: deps.airNow() })
        return succeed(who, is === 'restored' ? 'QUEUE_SONG_RESTORED' : 'QUEUE_ORDER_RESTORED')
      },
    },
    admin_move_song: {
      failsAs: 'QUEUE_MOVE_FAILED',
      async answer(who, move) {
        await moveEntry(deps, who.admin, air.now(), move)
        return succeed(who, 'QUEUE_SONG_MOVED')
      },
    },
    ...jingleHandlers(deps),
    admin_skip_song: {
      failsAs: 'QUEUE_SKIP_FAILED',
      async answer(who) {
        await skipTrack(deps, who.admin)
        return succeed(who, 'QUEUE_SONG_SKIPPED')
      },
    },
    admin_insert_song_group: {
      failsAs: 'QUEUE_GROUP_INSERT_FAILED',
      async answer(who, { groupId }) {
        await insertGroup(deps, who.admin, groupId).catch((error) => {
          if (!(error instanceof Failure && error.code === 'NOT_FOUND')) throw error
          throw groupNotFound(air.now(), clock.nowMs())
        })
        return succeed(who, 'QUEUE_GROUP_INSERTED')
      },
    },
    admin_suggestion_action: {
      failsAs: 'QUEUE_SUGGESTION_INJECT_FAILED',
      async answer(who, { uid, action }) {
        const isWanted = action === 'add'
        await answerSuggestion(deps, who.admin, uid, isWanted ? 'add' : 'reject')
        return isWanted ? succeed(who, 'QUEUE_SUGGESTION_ACCEPTED') : undefined
      },
    },
  }
}

function jingleHandlers(deps: QueueDeps): Pick<Handlers, 'admin_insert_jingle' | 'admin_cancel_jingle'> {
  return {
    admin_insert_jingle: {
      failsAs: 'JINGLE_INSERT_FAILED',
      async answer(who, { id }) {
        await insertJingle(deps, who.admin, id)
        return succeed(who, 'JINGLE_INSERTED')
      },
    },
    admin_cancel_jingle: {
      failsAs: 'JINGLE_CANCEL_FAILED',
      async answer(who, { id }) {
        await cancelJingle(deps, who.admin, id)
        return succeed(who, 'JINGLE_CANCELLED')
      },
    },
  }
}

const nothing = { items: [], total: 0 }

/** Searches in steps, so that a long queue does not hold up the process. */
async function search(state: PlayoutState | null, query: string) {
  if (!state) return nothing
  const steps = searchQueue(state, query)
  let step = steps.next()
  for (; !step.done; step = steps.next()) await setImmediate()
  return step.value
}

/** During the cooldown of inserting groups that reason comes first. */
function groupNotFound(state: PlayoutState | null, nowMs: number): Failure {
  const secsLeft = state ? groupInsertCooldownSecsLeft(state, nowMs) : 0
  return new Failure(
    'QUEUE_GROUP_INSERT_FAILED',
    secsLeft > 0 ? { reason: 'cooldown', secsLeft } : { reason: 'not_found' },
  )
}

function succeed(who: Visitor, code: keyof typeof socketMessages, more?: object): undefined {
  who.send('admin_success', JSON.stringify({ ...coded(code), ...more }))
}
