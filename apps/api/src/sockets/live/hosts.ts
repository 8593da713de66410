import type { Clip, LiveRole, Mode } from '@solstice/contracts'
import { guestQueue, type LiveCommand, liveRoster, type PlayoutState, pendingGuests } from '@solstice/playout'
import {
  type Audit,
  type Bus,
  type DataStore,
  Failure,
  sendCommand,
  shownClip,
  type WallClock,
} from '@solstice/station'
import type { Handlers, Visitor } from '../dispatch.ts'
import type { MicrophoneRelay } from './microphone-relay.ts'
import type { LiveSockets } from './sockets.ts'

const PAGE = 5
const MAX_PAGE = 50

/** What hosts may do, and everybody on the air with a microphone. @param deps.now the newest state; null before any. */
export function hostHandlers(deps: {
  now: () => PlayoutState | null
  clock: WallClock
  data: Pick<DataStore, 'clips'>
  bus: Pick<Bus, 'send'>
  audit: Audit
  sockets: LiveSockets
  relay: MicrophoneRelay
}): Pick<
  Handlers,
  | 'admin_go_live'
  | 'admin_leave_live'
  | 'host_mic_toggle'
  | 'host_mic_gain'
  | 'host_audio_chunk'
  | 'host_pause_queue'
  | 'host_resume_queue'
  | 'host_get_background_music_list'
  | 'host_set_background_music'
  | 'host_guest_mute'
  | 'host_guest_kick'
  | 'admin_guest_action'
> {
  const { now, clock, data, bus, audit, sockets, relay } = deps
  const change = newestOnly((command: LiveCommand) => bus.send(command))

  const tellPause = (who: Visitor) => who.send('host_queue_pause_state', { paused: now()?.isPaused === true })
  /** All on the air hear of a change; who asked for what is so already hears it alone. */
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
        if (!isNew || !state) return { ok: true }
        return {
          ok: true,
          queuePaused: state.isPaused,
          hosts: liveRoster(state),
          pendingGuests: pendingGuests(state),
          guestRequests: guestQueue(state, clock.aheadMs()),
          backgroundMusicMode: state.clips.background.chosenBy === 'hosts' ? 'hostChoice' : 'random',
          selectedBackgroundMusicId: state.fillerChoice,
        }
      },
    },
    admin_leave_live: {
      answer(who) {
        if (who.liveRole === 'host') sockets.end(who)
        return undefined
      },
    },
    host_mic_toggle: {
      async answer({ socketId }, { on }) {
        await change(`mic ${socketId}`, { type: 'set-mic', socketId, isOn: on })
        return undefined
      },
    },
    host_mic_gain: {
      async answer({ socketId }, { gain }) {
        await change(`gain ${socketId}`, { type: 'set-gain', socketId, gain })
        return undefined
      },
    },
    host_audio_chunk: {
      answer(who, piece) {
        relay.take(who, piece)
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
        await sendCommand(bus, { type: 'choose-filler', socketId, clipId: trackId })
        return { ok: true }
      },
    },
    host_guest_mute: {
      async answer(_, { targetId, muted }) {
        await sendCommand(bus, { type: 'mute', targetId, isMuted: muted, by: 'host' })
        return { ok: true }
      },
    },
    host_guest_kick: {
      async answer({ admin }, { targetId }) {
        const { target } = await sendCommand(bus, { type: 'kick', targetId, by: 'host' })
        await audit.record(admin, ...kicked(target))
        return { ok: true }
      },
    },
    admin_guest_action: {
      async answer(_, { uid, action }) {
        await sendCommand(bus, { type: 'answer-guest', uid, action })
        return { ok: true }
      },
    },
  }
}

/** How the log calls it that somebody was taken off the air. */
export function kicked(target: {
  name: string
  address: string
  role: LiveRole
}): [operation: string, about: Record<string, unknown>] {
  const { name: nickname, address: ip, role } = target
  return role === 'host' ? ['participant_kick', { nickname, role }] : ['guest_kick', { nickname, ip, role }]
}

/** What may be heard under the talk in a mode, newest first. */
async function usableMusic(data: Pick<DataStore, 'clips'>, mode: Mode): Promise<Clip[]> {
  const found = await data.clips.find({ family: 'background-music', mode, used: true })
  return found
    .toReversed()
    .sort((a, b) => b.createdAt - a.createdAt)
    .map(shownClip)
}

/** Sends one after another per key, of those that wait only the last; one that cannot be sent is lost. */
function newestOnly<C>(send: (command: C) => Promise<unknown>) {
  const waiting = new Map<string, C | null>()
  return async (key: string, command: C) => {
    const isBusy = waiting.has(key)
    waiting.set(key, command)
    if (isBusy) return
    for (let next = waiting.get(key); next; next = waiting.get(key)) {
      waiting.set(key, null)
      await send(next).catch(() => {})
    }
    waiting.delete(key)
  }
}
