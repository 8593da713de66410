import type { Participant, ServerPayload } from '@solstice/contracts'
import { createStore, type Store } from '../ui/store.ts'
import type { LiveConnection } from './live-connection.ts'
import type { Microphone } from './microphone.ts'

type Rejection = Extract<ServerPayload<'guest_request_result'>, { accepted: false }>

/** Why the guest is outside, as far as there is something to say. `text`: what the station said, in its own words. */
export type GuestNotice =
  | { is: 'rejected' | 'expired' | 'missed' | 'left' | 'cut-off' | 'unanswered' }
  | { is: NonNullable<Rejection['reason']> }
  | { is: ServerPayload<'guest_force_disconnect'>['reason'] }
  | { is: 'cooldown'; untilMs: number }
  | { is: 'said'; text: unknown }

/** Where a guest is on the way to the air. */
export type GuestStatus =
  | { is: 'checking' }
  | { is: 'banned' }
  | { is: 'outside'; notice: GuestNotice | null; isBusy: boolean }
  /** Asked, and nobody has decided; nobody will after `untilMs`, by this browser's clock. */
  | { is: 'waiting'; untilMs: number }
  /** May come on the air, until then by this browser's clock. */
  | { is: 'invited'; untilMs: number; notice: GuestNotice | null; isBusy: boolean }
  /** `untilMs`: when the time is up, by this browser's clock. */
  | { is: 'live'; nickname: string; untilMs: number }

export interface GuestSession {
  readonly status: Store<GuestStatus>
  /** Everybody on the air, the guest too. */
  readonly people: Store<Participant[]>
  readonly isMicOn: Store<boolean>
  /** Asks the hosts to be let on the air. */
  request(nickname: string): Promise<void>
  /** Shows an access code. */
  enter(code: string, nickname: string): Promise<void>
  /** Comes on the air. */
  connect(): Promise<void>
  toggleMic(): void
  /** Goes off the air, or no longer wants to come. */
  leave(): void
}

/** How long hosts have to decide, and then the guest to come; the station itself says when it is over. */
const PATIENCE_MS = 60_000
const INVITATION_MS = 120_000

export function createGuestSession(line: LiveConnection, microphone: Microphone): GuestSession {
  const seat = createStore<GuestStatus>({ is: 'checking' })
  const people = createStore<Participant[]>([])
  const isMicOn = createStore(false)

  const goOutside = (notice: GuestNotice | null) => {
    setMic(false)
    microphone.close()
    people.set([])
    seat.set({ is: 'outside', notice, isBusy: false })
  }

  const invite = () =>
    seat.set({ is: 'invited', untilMs: Date.now() + INVITATION_MS, notice: null, isBusy: false })

  const checkBan = async () => {
    const answer = await line.request('guest_check_ban').catch(() => null)
    if (answer?.banned) return seat.set({ is: 'banned' })
    if (seat.value.is === 'checking') goOutside(null)
  }

  function setMic(isOn: boolean): void {
    if (isOn === isMicOn.value) return
    isMicOn.set(isOn)
    line.send('host_mic_toggle', { on: isOn })
    if (isOn) microphone.record((piece) => line.send('host_audio_chunk', piece))
    else microphone.pause()
  }

  line.onConnect(() => void checkBan())
  line.isConnected.subscribe((isConnected) => {
    // A seat is bound to its connection: the station has given it up by now.
    if (!isConnected && !['checking', 'banned', 'outside'].includes(seat.value.is))
      goOutside({ is: 'cut-off' })
  })
  line.on('guest_request_result', (result) => {
    const { is } = seat.value
    if (is !== 'waiting' && is !== 'invited') return
    if (result.accepted) return invite()
    const late = is === 'invited' ? 'missed' : 'expired'
    goOutside({ is: result.reason ?? (result.auto ? late : 'rejected') })
  })
  line.on('guest_force_disconnect', ({ reason }) => {
    if (reason === 'ban') {
      goOutside(null)
      seat.set({ is: 'banned' })
    } else goOutside({ is: reason })
  })
  line.on('live_hosts_roster', (roster) => people.set(roster))
  line.on('host_mic_restart', () => microphone.restart())
  microphone.state.subscribe((state) => {
    if (state !== 'open') setMic(false)
  })

  /** What a refusal means to the guest. */
  const noticeOf = (answer: { error: unknown; secsLeft?: number }): GuestNotice => {
    const { error, secsLeft = 0 } = answer
    switch (error) {
      case 'cooldown':
        return { is: 'cooldown', untilMs: Date.now() + secsLeft * 1000 }
      case 'special_guest_active':
      case 'no_admin':
      case 'room_full':
        return { is: error }
      default:
        return { is: 'said', text: error }
    }
  }

  return {
    status: seat,
    people,
    isMicOn,
    async request(nickname) {
      seat.set({ is: 'outside', notice: null, isBusy: true })
      try {
        const answer = await line.request('guest_request', { nickname })
        if ('error' in answer) goOutside(noticeOf(answer))
        else seat.set({ is: 'waiting', untilMs: Date.now() + PATIENCE_MS })
      } catch {
        goOutside({ is: 'unanswered' })
      }
    },
    async enter(code, nickname) {
      seat.set({ is: 'outside', notice: null, isBusy: true })
      try {
        const answer = await line.request('special_guest_connect', { code, nickname })
        if ('error' in answer) goOutside(noticeOf(answer))
        else invite()
      } catch {
        goOutside({ is: 'unanswered' })
      }
    },
    async connect() {
      const invited = seat.value
      if (invited.is !== 'invited' || invited.isBusy) return
      seat.set({ ...invited, notice: null, isBusy: true })
      const isOpen = await microphone.open()
      // It may be over before the browser's question is answered.
      if (seat.value.is !== 'invited') return
      if (!isOpen) return seat.set({ ...invited, notice: null })
      try {
        const answer = await line.request('guest_connect')
        if (seat.value.is !== 'invited') return
        if ('error' in answer) return goOutside(noticeOf(answer))
        // The station's clock may be set meanwhile.
        const untilMs = Date.now() + answer.expiresAt - line.stationNowMs()
        seat.set({ is: 'live', nickname: answer.nickname, untilMs })
      } catch {
        if (seat.value.is === 'invited') seat.set({ ...invited, notice: { is: 'unanswered' } })
      }
    },
    toggleMic() {
      if (isMicOn.value) setMic(false)
      // It may have been unplugged meanwhile.
      else void microphone.open().then((isOpen) => setMic(isOpen && seat.value.is === 'live'))
    },
    leave() {
      const isLive = seat.value.is === 'live'
      goOutside(isLive ? { is: 'left' } : null)
      if (isLive) line.send('guest_leave_live')
      else line.reconnect()
    },
  }
}
