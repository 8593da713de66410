import type { Ack, GuestRequest, Participant, PendingGuest, ServerPayload } from '@solstice/contracts'
import type { LiveConnection } from '../live/live-connection.ts'
import type { Microphone } from '../live/microphone.ts'
import { createStore, type Store } from '../ui/store.ts'

type Went = Extract<Ack<'admin_go_live'>, { queuePaused: boolean }>
type Filler = Ack<'host_get_background_music_list'>['items'][number]

/** What the host is told: a reason, or a text of the station in its own words. */
export type HostNotice =
  | { is: ServerPayload<'host_force_disconnect'>['reason'] | 'cut-off' }
  | { is: 'denied' | 'unanswered' | 'live-elsewhere' }
  | { is: 'said'; text: unknown }

/** What a host has before them. */
export interface HostState {
  phase: 'off' | 'going' | 'live'
  isMicOn: boolean
  gain: number
  isQueuePaused: boolean
  people: Participant[]
  requests: GuestRequest[]
  pending: PendingGuest[]
  code: ServerPayload<'guest_code_updated'>
  filler: {
    mode: Went['backgroundMusicMode']
    chosenId: string | null
    /** What is heard now. */
    playing: string | null
    choices: Filler[]
    total: number
  }
  notice: HostNotice | null
}

export interface HostSession {
  readonly state: Store<HostState>
  /** @param takeOver also when the account is on the air in another window, which then loses it. */
  goLive(takeOver?: boolean): Promise<void>
  leave(): void
  toggleMic(): void
  setGain(gain: number): void
  pauseQueue(when: 'now' | 'afterTrack'): void
  resumeQueue(): void
  answerGuest(uid: string, action: 'accept' | 'reject'): Promise<void>
  muteGuest(targetId: string, muted: boolean): Promise<void>
  kickGuest(targetId: string): Promise<void>
  chooseFiller(trackId: string | null): Promise<void>
  moreFillers(): Promise<void>
  makeCode(ttlHours: number): Promise<void>
  endCode(): Promise<void>
}

const FILLERS_PER_PAGE = 5
const DEFAULT_GAIN = 5

const empty: HostState = {
  phase: 'off',
  isMicOn: false,
  gain: DEFAULT_GAIN,
  isQueuePaused: false,
  people: [],
  requests: [],
  pending: [],
  code: { code: null },
  filler: { mode: 'random', chosenId: null, playing: null, choices: [], total: 0 },
  notice: null,
}

/** @param line of an admin with the privilege `radio_host`, from before the station knows that it is one. */
export function createHostSession(line: LiveConnection, microphone: Microphone): HostSession {
  const desk = createStore<HostState>(empty)
  const change = (part: Partial<HostState>) => desk.set({ ...desk.value, ...part })
  const changeFiller = (part: Partial<HostState['filler']>) =>
    change({ filler: { ...desk.value.filler, ...part } })

  function setMic(isMicOn: boolean): void {
    if (isMicOn === desk.value.isMicOn) return
    change({ isMicOn })
    line.send('host_mic_toggle', { on: isMicOn })
    if (isMicOn) microphone.record((piece) => line.send('host_audio_chunk', piece))
    else microphone.pause()
  }

  function goOff(notice: HostNotice | null): void {
    setMic(false)
    microphone.close()
    const { requests, code } = desk.value
    desk.set({ ...empty, requests, code, notice })
  }

  /** What the station refused is shown as it said it. */
  async function ask(asking: Promise<object>): Promise<boolean> {
    change({ notice: null })
    try {
      const answer = await asking
      if (!('error' in answer)) return true
      change({ notice: { is: 'said', text: answer.error } })
    } catch {
      change({ notice: { is: 'unanswered' } })
    }
    return false
  }

  async function readFillers(offset: number): Promise<void> {
    const page = { offset, limit: FILLERS_PER_PAGE }
    const answer = await line.request('host_get_background_music_list', page).catch(() => null)
    if (!answer || desk.value.phase !== 'live') return
    const before = offset === 0 ? [] : desk.value.filler.choices
    changeFiller({ choices: [...before, ...answer.items], total: answer.total })
  }

  line.on('live_hosts_roster', (people) => change({ people }))
  line.on('guest_queue_update', (requests) => change({ requests }))
  line.on('guest_pending_status', (pending) => change({ pending }))
  line.on('guest_code_updated', (code) => change({ code }))
  line.on('host_queue_pause_state', ({ paused, denied }) =>
    change({ isQueuePaused: paused, notice: denied ? { is: 'denied' } : desk.value.notice }),
  )
  line.on('background_music_now_playing', ({ filename }) => changeFiller({ playing: filename }))
  line.on('background_music_selection_changed', ({ trackId }) => {
    changeFiller({ chosenId: trackId })
    // The choice is forgotten with the mode, and so are its pieces.
    if (trackId === null) void readFillers(0)
  })
  line.on('background_music_updated', () => void readFillers(0))
  line.on('host_force_disconnect', ({ reason }) => goOff({ is: reason }))
  line.on('host_mic_restart', () => microphone.restart())
  line.on('admin_confirmed', () => {
    line.request('moderator_get_guest_code').then(
      (code) => 'code' in code && change({ code }),
      () => {},
    )
  })
  line.isConnected.subscribe((isConnected) => {
    // A host is on the air with one connection: the station has given the place up by now.
    if (!isConnected && desk.value.phase !== 'off') goOff({ is: 'cut-off' })
  })
  microphone.state.subscribe((state) => {
    if (state !== 'open') setMic(false)
  })

  return {
    state: desk,
    async goLive(takeOver = false) {
      change({ phase: 'going', notice: null })
      // Asked for while a press is fresh; without it a host can still lead the programme.
      await microphone.open()
      try {
        const answer = await line.request('admin_go_live', { takeOver })
        if ('error' in answer) {
          const isElsewhere = answer.error.code === 'LIVE_ELSEWHERE'
          return goOff(isElsewhere ? { is: 'live-elsewhere' } : { is: 'said', text: answer.error })
        }
        change({ phase: 'live' })
        if (!('queuePaused' in answer)) return
        change({
          isQueuePaused: answer.queuePaused,
          people: answer.hosts,
          requests: answer.guestRequests,
          pending: answer.pendingGuests,
        })
        changeFiller({ mode: answer.backgroundMusicMode, chosenId: answer.selectedBackgroundMusicId })
        await readFillers(0)
      } catch {
        goOff({ is: 'unanswered' })
      }
    },
    leave() {
      line.send('admin_leave_live')
      goOff(null)
    },
    toggleMic() {
      if (desk.value.isMicOn) setMic(false)
      // It may have been unplugged meanwhile.
      else void microphone.open().then((isOpen) => setMic(isOpen && desk.value.phase === 'live'))
    },
    setGain(gain) {
      change({ gain })
      line.send('host_mic_gain', { gain })
    },
    pauseQueue(when) {
      change({ notice: null })
      line.send('host_pause_queue', { when })
    },
    resumeQueue: () => line.send('host_resume_queue'),
    async answerGuest(uid, action) {
      await ask(line.request('admin_guest_action', { uid, action }))
    },
    async muteGuest(targetId, muted) {
      await ask(line.request('host_guest_mute', { targetId, muted }))
    },
    async kickGuest(targetId) {
      await ask(line.request('host_guest_kick', { targetId }))
    },
    async chooseFiller(trackId) {
      const { chosenId } = desk.value.filler
      changeFiller({ chosenId: trackId })
      const isDone = await ask(line.request('host_set_background_music', { trackId }))
      if (!isDone) changeFiller({ chosenId })
    },
    moreFillers: () => readFillers(desk.value.filler.choices.length),
    async makeCode(ttlHours) {
      await ask(line.request('moderator_generate_guest_code', { ttlHours }))
    },
    async endCode() {
      await ask(line.request('moderator_deactivate_guest_code'))
    },
  }
}
