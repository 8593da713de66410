import type { Participant, ServerPayload } from '@solstice/contracts'
import { createStore, type Store } from '../../ui/store.ts'
import type { LiveConnection } from '../live-connection.ts'
import { createMicSwitch } from '../mic-switch.ts'
import type { Microphone } from '../microphone.ts'
import { followSpeakers, type Speakers } from '../speakers/speakers.ts'

type Rejection = Extract<ServerPayload<'guest_request_result'>, { accepted: false }>

/** Why the guest is off air, where there is a reason to show. `text`: a message of the station as it came. */
export type GuestNotice =
  | { is: 'rejected' | 'expired' | 'missed' | 'left' | 'cut-off' | 'unanswered' }
  | { is: NonNullable<Rejection['reason']> }
  | { is: ServerPayload<'guest_force_disconnect'>['reason'] }
  | { is: 'cooldown'; untilMs: number }
  | { is: 'message'; text: unknown }

/** How far a guest is on the way to the air. Times are of this browser's clock. */
export type GuestStatus =
  | { is: 'checking' }
  | { is: 'banned' }
  | { is: 'outside'; notice: GuestNotice | null; isBusy: boolean }
  /** Asked to speak; the request expires at `untilMs`. */
  | { is: 'waiting'; untilMs: number }
  /** May go on air until `untilMs`. */
  | { is: 'invited'; untilMs: number; notice: GuestNotice | null; isBusy: boolean }
  /** `untilMs`: the end of the guest's time. */
  | { is: 'live'; nickname: string; untilMs: number }

export interface GuestSession {
  readonly status: Store<GuestStatus>
  /** Everybody on air, the guest included. */
  readonly people: Store<Participant[]>
  readonly isMicOn: Store<boolean>
  readonly speakers: Speakers
  /** Asks the hosts to be let on air. */
  request(nickname: string): Promise<void>
  /** Uses an access code instead of asking. */
  enter(code: string, nickname: string): Promise<void>
  /** Accepts the invitation and goes on air. */
  connect(): Promise<void>
  toggleMic(): void
  /** Goes off air, or withdraws the request. */
  leave(): void
}

/** The station's limits, for the countdowns; the station itself ends the wait and the invitation. */
const REQUEST_TIMEOUT_MS = 60_000
const INVITATION_MS = 120_000

export function createGuestSession(connection: LiveConnection, microphone: Microphone): GuestSession {
  const status = createStore<GuestStatus>({ is: 'checking' })
  const people = createStore<Participant[]>([])
  const mic = createMicSwitch(connection, microphone)

  function goOutside(notice: GuestNotice | null): void {
    mic.set(false)
    microphone.close()
    people.set([])
    status.set({ is: 'outside', notice, isBusy: false })
  }
  const invite = () =>
    status.set({ is: 'invited', untilMs: Date.now() + INVITATION_MS, notice: null, isBusy: false })

  followStation(connection, status, people, { goOutside, invite })

  /** Asks the station from outside, and shows why it refuses. */
  async function ask(asking: Promise<object>, accepted: () => void): Promise<void> {
    status.set({ is: 'outside', notice: null, isBusy: true })
    try {
      const answer = await asking
      if ('error' in answer) goOutside(noticeOf(answer))
      else accepted()
    } catch {
      goOutside({ is: 'unanswered' })
    }
  }

  return {
    status,
    people,
    isMicOn: mic.isOn,
    speakers: followSpeakers(connection),
    request: (nickname) =>
      ask(connection.request('guest_request', { nickname }), () =>
        status.set({ is: 'waiting', untilMs: Date.now() + REQUEST_TIMEOUT_MS }),
      ),
    enter: (code, nickname) => ask(connection.request('special_guest_connect', { code, nickname }), invite),
    async connect() {
      const invited = status.value
      if (invited.is !== 'invited' || invited.isBusy) return
      status.set({ ...invited, notice: null, isBusy: true })
      const isOpen = await microphone.open()
      // The invitation may expire while the browser asks for permission.
      if (status.value.is !== 'invited') return
      if (!isOpen) return status.set({ ...invited, notice: null })
      try {
        const answer = await connection.request('guest_connect')
        if (status.value.is !== 'invited') return
        if ('error' in answer) return goOutside(noticeOf(answer))
        // A remaining time, so that a later correction of the station's clock doesn't change it.
        const untilMs = Date.now() + answer.expiresAt - connection.stationNowMs()
        status.set({ is: 'live', nickname: answer.nickname, untilMs })
      } catch {
        if (status.value.is === 'invited') status.set({ ...invited, notice: { is: 'unanswered' } })
      }
    },
    toggleMic: () => mic.toggle(() => status.value.is === 'live'),
    leave() {
      const isLive = status.value.is === 'live'
      goOutside(isLive ? { is: 'left' } : null)
      if (isLive) connection.send('guest_leave_live')
      else connection.reconnect()
    },
  }
}

/** Follows what the station decides about the guest. */
function followStation(
  connection: LiveConnection,
  status: Store<GuestStatus>,
  people: Store<Participant[]>,
  { goOutside, invite }: { goOutside: (notice: GuestNotice | null) => void; invite: () => void },
): void {
  connection.onConnect(async () => {
    const answer = await connection.request('guest_check_ban').catch(() => null)
    if (answer?.banned) status.set({ is: 'banned' })
    else if (status.value.is === 'checking') goOutside(null)
  })
  connection.link.subscribe((link) => {
    // A session belongs to its socket: the station has ended it by now.
    if (link !== 'online' && !['checking', 'banned', 'outside'].includes(status.value.is))
      goOutside({ is: 'cut-off' })
  })
  connection.on('guest_request_result', (result) => {
    const { is } = status.value
    if (is !== 'waiting' && is !== 'invited') return
    if (result.accepted) return invite()
    const late = is === 'invited' ? 'missed' : 'expired'
    goOutside({ is: result.reason ?? (result.auto ? late : 'rejected') })
  })
  connection.on('guest_force_disconnect', ({ reason }) => {
    if (reason === 'ban') {
      goOutside(null)
      status.set({ is: 'banned' })
    } else goOutside({ is: reason })
  })
  connection.on('live_hosts_roster', people.set)
}

function noticeOf({ error, secsLeft = 0 }: { error: unknown; secsLeft?: number }): GuestNotice {
  switch (error) {
    case 'cooldown':
      return { is: 'cooldown', untilMs: Date.now() + secsLeft * 1000 }
    case 'special_guest_active':
    case 'no_admin':
    case 'room_full':
      return { is: error }
    default:
      return { is: 'message', text: error }
  }
}
