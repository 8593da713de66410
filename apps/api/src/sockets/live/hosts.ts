import { guestQueue, type LiveCommand, liveRoster, type PlayoutState, pendingGuests } from '@solstice/playout'
import { type Bus, Failure, sendCommand, type WallClock } from '@solstice/station'
import type { Handlers, Visitor } from '../dispatch.ts'
import type { LiveSockets } from './sockets.ts'

/** Going on the air as a host, and pausing the queue to talk. @param deps.now the newest state; null before any. */
export function hostHandlers(deps: {
  now: () => PlayoutState | null
  clock: WallClock
  bus: Pick<Bus, 'send'>
  sockets: LiveSockets
}): Pick<Handlers, 'admin_go_live' | 'admin_leave_live' | 'host_pause_queue' | 'host_resume_queue'> {
  const { now, clock, bus, sockets } = deps

  const tellPause = (who: Visitor) => who.send('host_queue_pause_state', { paused: now()?.isPaused === true })
  /** Everybody on the air is told of a change; a request that changes nothing is answered to its sender only. */
  const setPause = async (
    who: Visitor,
    command: Extract<LiveCommand, { type: 'pause-queue' | 'resume-queue' }>,
  ) => {
    const isSo = now()?.isPaused === (command.type === 'pause-queue')
    try {
      await sendCommand(bus, command)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'DONATED_QUEUED') throw error
      who.send('host_queue_pause_state', { paused: false, denied: true, reason: 'donatedInQueue' })
      return
    }
    if (isSo) tellPause(who)
  }

  return {
    admin_go_live: {
      async answer(who, { takeOver = false }) {
        if (!sockets.begin(who, 'host')) return undefined
        const speaker = sockets.speakerOf(who)
        const { adminId, login } = who.admin
        const { isNew } = await sendCommand(bus, { type: 'go-live', speaker, adminId, login, takeOver })
        const state = now()
        return isNew && state ? { ok: true, ...studioOf(state, clock.aheadMs()) } : { ok: true }
      },
    },
    admin_leave_live: {
      answer(who) {
        if (who.liveRole === 'host') sockets.end(who)
        return undefined
      },
    },
    host_pause_queue: {
      async answer(who, { when = 'now' }) {
        await setPause(who, { type: 'pause-queue', socketId: who.socketId, when })
        return undefined
      },
    },
    host_resume_queue: {
      async answer(who) {
        await setPause(who, { type: 'resume-queue', socketId: who.socketId })
        return undefined
      },
    },
  }
}

/** The first view of the studio. */
function studioOf(state: PlayoutState, aheadMs: number) {
  return {
    queuePaused: state.isPaused,
    hosts: liveRoster(state),
    pendingGuests: pendingGuests(state),
    guestRequests: guestQueue(state, aheadMs),
    backgroundMusicMode:
      state.clips.background.chosenBy === 'hosts' ? ('hostChoice' as const) : ('random' as const),
    selectedBackgroundMusicId: state.backgroundChoice,
  }
}
