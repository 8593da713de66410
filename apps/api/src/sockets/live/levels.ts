import { roomOf } from '@solstice/adapters'
import type { ServerEventName, ServerPayload } from '@solstice/contracts'
import type { PlayoutState } from '@solstice/playout'
import type { MicrophoneLevel, Microphones, Unsubscribe } from '@solstice/station'
import type { Logger } from 'pino'
import type { AirMirror } from '../../stream/mirror.ts'

/** Passes on how loud each person on the air is: to those of them who are on this replica, and to its moderators. */
export function relayLevels(deps: {
  replica: string
  mirror: Pick<AirMirror, 'state' | 'onState'>
  microphones: Pick<Microphones, 'onLevels'>
  emit: <E extends ServerEventName>(rooms: string[] | null, event: E, payload: ServerPayload<E>) => void
  log: Logger
}): Unsubscribe {
  const { replica, mirror, microphones, emit, log } = deps
  const moderators = roomOf({ privilege: 'radio_moderator' })!
  const tell = (levels: readonly MicrophoneLevel[]) => {
    const people = mirror.state?.live.participants ?? []
    // A worker that has just lost the air may still measure people who are gone.
    const heard = levels.filter(({ socketId }) => people.some((person) => person.socketId === socketId))
    const own = people.filter((person) => person.replica === replica).map(({ socketId }) => socketId)
    const shown = heard.map(({ socketId: id, peak, rms }) => ({ id, peak, rms }))
    emit([moderators, ...own], 'live_levels', shown)
  }

  let listening: Promise<Unsubscribe | null> | null = null
  let isClosed = false
  /** Listens from the first person on the air on: a station without hosts has nothing to hear. */
  const listen = ({ live }: PlayoutState) => {
    if (listening || isClosed || live.participants.length === 0) return
    listening = microphones.onLevels(tell).catch((error) => {
      listening = null
      if (!isClosed) log.warn({ err: error }, 'levels of microphones could not be subscribed to')
      return null
    })
  }
  if (mirror.state) listen(mirror.state)
  const unfollow = mirror.onState(listen)
  return () => {
    isClosed = true
    unfollow()
    void listening?.then((unsubscribe) => unsubscribe?.())
  }
}
