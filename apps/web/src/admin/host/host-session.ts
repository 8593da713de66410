import type { Ack, GuestRequest, Participant, PendingGuest, ServerPayload } from '@solstice/contracts'
import type { LiveConnection } from '../../live/live-connection.ts'
import { createMicSwitch } from '../../live/mic-switch.ts'
import type { Microphone } from '../../live/microphone.ts'
import { followSpeakers, type Speakers } from '../../live/speakers/speakers.ts'
import { createStore, type Store } from '../../ui/store.ts'

type WentLive = Extract<Ack<'admin_go_live'>, { queuePaused: boolean }>
type BackgroundTrack = Ack<'host_get_background_music_list'>['items'][number]

/** A message to the host: a known reason, or a message of the station as it came. */
export type HostNotice =
  | { is: ServerPayload<'host_force_disconnect'>['reason'] | 'cut-off' }
  | { is: 'denied' | 'unanswered' | 'live-elsewhere' }
  | { is: 'message'; text: unknown }

/** Everything the host's panel shows. */
export interface HostState {
  phase: 'off' | 'going' | 'live'
  /** When this window went on air, by its own clock. */
  liveSinceMs: number
  gain: number
  isQueuePaused: boolean
  people: Participant[]
  requests: GuestRequest[]
  pending: PendingGuest[]
  code: ServerPayload<'guest_code_updated'>
  background: {
    mode: WentLive['backgroundMusicMode']
    chosenId: string | null
    /** The file that plays now. */
    playing: string | null
    choices: BackgroundTrack[]
    total: number
  }
  notice: HostNotice | null
}

export interface HostSession {
  readonly state: Store<HostState>
  readonly isMicOn: Store<boolean>
  readonly speakers: Speakers
  /** @param takeOver even if the account is on air in another window, which then goes off. */
  goLive(takeOver?: boolean): Promise<void>
  leave(): void
  toggleMic(): void
  setGain(gain: number): void
  pauseQueue(when: 'now' | 'afterTrack'): void
  resumeQueue(): void
  answerGuest(uid: string, action: 'accept' | 'reject'): Promise<void>
  muteGuest(targetId: string, muted: boolean): Promise<void>
  kickGuest(targetId: string): Promise<void>
  chooseBackground(trackId: string | null): Promise<void>
  loadMoreBackground(): Promise<void>
  makeCode(ttlHours: number): Promise<void>
  /** Another code instead of the present one. */
  renewCode(ttlHours: number): Promise<void>
  endCode(): Promise<void>
}

/** The state of one session, and how its parts change. */
interface HostStore {
  readonly state: Store<HostState>
  change(part: Partial<HostState>): void
  changeBackground(part: Partial<HostState['background']>): void
}

const BACKGROUND_PAGE = 5
const DEFAULT_GAIN = 5

const initial: HostState = {
  phase: 'off',
  liveSinceMs: 0,
  gain: DEFAULT_GAIN,
  isQueuePaused: false,
  people: [],
  requests: [],
  pending: [],
  code: { code: null },
  background: { mode: 'random', chosenId: null, playing: null, choices: [], total: 0 },
  notice: null,
}

/** @param connection of an admin with the privilege `radio_host`, opened before `admin_active` is sent. */
export function createHostSession(connection: LiveConnection, microphone: Microphone): HostSession {
  const state = createStore(initial)
  const change = (part: Partial<HostState>) => state.set({ ...state.value, ...part })
  const changeBackground = (part: Partial<HostState['background']>) =>
    change({ background: { ...state.value.background, ...part } })
  const store = { state, change, changeBackground }
  const mic = createMicSwitch(connection, microphone)

  function goOff(notice: HostNotice | null): void {
    mic.set(false)
    microphone.close()
    const { requests, code } = state.value
    state.set({ ...initial, requests, code, notice })
  }

  /** Sends a command and shows the station's message when it refuses. Resolves with whether it was done. */
  async function perform(command: Promise<object>): Promise<boolean> {
    change({ notice: null })
    try {
      const answer = await command
      if (!('error' in answer)) return true
      change({ notice: { is: 'message', text: answer.error } })
    } catch {
      change({ notice: { is: 'unanswered' } })
    }
    return false
  }

  followStation(connection, store, goOff)

  return {
    state,
    isMicOn: mic.isOn,
    speakers: followSpeakers(connection),
    async goLive(takeOver = false) {
      change({ phase: 'going', notice: null })
      // Asked for within the press, as browsers demand; without a microphone a host can still lead the programme.
      await microphone.open()
      try {
        const answer = await connection.request('admin_go_live', { takeOver })
        if ('error' in answer) {
          const isElsewhere = answer.error.code === 'LIVE_ELSEWHERE'
          return goOff(isElsewhere ? { is: 'live-elsewhere' } : { is: 'message', text: answer.error })
        }
        change({ phase: 'live', liveSinceMs: Date.now() })
        if ('queuePaused' in answer) await showSession(connection, store, answer)
      } catch {
        goOff({ is: 'unanswered' })
      }
    },
    leave() {
      connection.send('admin_leave_live')
      goOff(null)
    },
    toggleMic: () => mic.toggle(() => state.value.phase === 'live'),
    setGain(gain) {
      change({ gain })
      connection.send('host_mic_gain', { gain })
    },
    pauseQueue(when) {
      change({ notice: null })
      connection.send('host_pause_queue', { when })
    },
    resumeQueue: () => connection.send('host_resume_queue'),
    ...hostCommands(connection, store, perform),
  }
}

/** The commands that the station answers. */
function hostCommands(
  connection: LiveConnection,
  { state, changeBackground }: HostStore,
  perform: (command: Promise<object>) => Promise<boolean>,
) {
  const { request } = connection
  const done = (command: Promise<object>) => perform(command).then(() => {})
  return {
    answerGuest: (uid: string, action: 'accept' | 'reject') =>
      done(request('admin_guest_action', { uid, action })),
    muteGuest: (targetId: string, muted: boolean) => done(request('host_guest_mute', { targetId, muted })),
    kickGuest: (targetId: string) => done(request('host_guest_kick', { targetId })),
    makeCode: (ttlHours: number) => done(request('moderator_generate_guest_code', { ttlHours })),
    renewCode: (ttlHours: number) => done(request('moderator_regenerate_guest_code', { ttlHours })),
    endCode: () => done(request('moderator_deactivate_guest_code')),
    async chooseBackground(trackId: string | null) {
      const { chosenId } = state.value.background
      changeBackground({ chosenId: trackId })
      const isDone = await perform(request('host_set_background_music', { trackId }))
      if (!isDone) changeBackground({ chosenId })
    },
    loadMoreBackground: () =>
      readBackground(connection, { state, changeBackground }, state.value.background.choices.length),
  }
}

/** Keeps the state up to date with the station's events. */
function followStation(
  connection: LiveConnection,
  store: HostStore,
  goOff: (notice: HostNotice | null) => void,
): void {
  const { state, change, changeBackground } = store
  connection.on('live_hosts_roster', (people) => change({ people }))
  connection.on('guest_queue_update', (requests) => change({ requests }))
  connection.on('guest_pending_status', (pending) => change({ pending }))
  connection.on('guest_code_updated', (code) => change({ code }))
  connection.on('host_queue_pause_state', ({ paused, denied }) =>
    change({ isQueuePaused: paused, notice: denied ? { is: 'denied' } : state.value.notice }),
  )
  connection.on('background_music_now_playing', ({ filename }) => changeBackground({ playing: filename }))
  connection.on('background_music_selection_changed', ({ trackId }) => {
    changeBackground({ chosenId: trackId })
    // A change of the mode clears the choice, and brings other tracks.
    if (trackId === null) void readBackground(connection, store, 0)
  })
  connection.on('background_music_updated', () => void readBackground(connection, store, 0))
  connection.on('host_force_disconnect', ({ reason }) => goOff({ is: reason }))
  connection.on('admin_confirmed', () => {
    connection.request('moderator_get_guest_code').then(
      (code) => 'code' in code && change({ code }),
      () => {},
    )
  })
  connection.link.subscribe((link) => {
    // A host's place belongs to the socket: the station has freed it by now.
    if (link !== 'online' && state.value.phase !== 'off') goOff({ is: 'cut-off' })
  })
}

async function showSession(connection: LiveConnection, store: HostStore, session: WentLive): Promise<void> {
  store.change({
    isQueuePaused: session.queuePaused,
    people: session.hosts,
    requests: session.guestRequests,
    pending: session.pendingGuests,
  })
  store.changeBackground({
    mode: session.backgroundMusicMode,
    chosenId: session.selectedBackgroundMusicId,
  })
  await readBackground(connection, store, 0)
}

async function readBackground(
  connection: LiveConnection,
  { state, changeBackground }: Pick<HostStore, 'state' | 'changeBackground'>,
  offset: number,
): Promise<void> {
  const page = { offset, limit: BACKGROUND_PAGE }
  const answer = await connection.request('host_get_background_music_list', page).catch(() => null)
  if (!answer || state.value.phase !== 'live') return
  const before = offset === 0 ? [] : state.value.background.choices
  changeBackground({ choices: [...before, ...answer.items], total: answer.total })
}
