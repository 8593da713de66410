import type { LiveRole } from '@solstice/contracts'
import type { Hosting, LiveEnd, Participant, Speaker } from '../live-state.ts'

/** A command of people on the air, of guests who want to be, or of moderators. */
export type LiveCommand =
  /** An admin goes on the air. Idempotent. `takeOver`: also in place of another socket of the account. */
  | { type: 'go-live'; speaker: Speaker; adminId: string; login: string; takeOver: boolean }
  /** A socket goes off the air; its guest request and its approval end too. */
  | { type: 'leave-live'; socketId: string }
  /** An API process ended, with all its sockets. */
  | { type: 'replica-gone'; replica: string }
  | { type: 'set-mic'; socketId: string; isOn: boolean }
  | { type: 'set-gain'; socketId: string; gain: number }
  /** `by`: a host may do it to guests only, a moderator to everybody. */
  | { type: 'mute'; targetId: string; isMuted: boolean; by: 'host' | 'moderator' }
  | { type: 'kick'; targetId: string; by: 'host' | 'moderator' }
  /**
   * A household is banned: its ordinary guests go off the air, and their requests and approvals end. Send it after the ban
   * is stored: anyone who got past the check before is found here, and anyone later is refused there.
   */
  | { type: 'ban-uid'; uid: string }
  /** An ordinary guest on the air is banned. Send it before the address is stored. */
  | { type: 'ban-guest'; targetId: string }
  | { type: 'request-guest'; speaker: Speaker; nickname: string }
  | { type: 'answer-guest'; uid: string; action: 'accept' | 'reject' }
  /** An approved guest comes on the air. Idempotent. */
  | { type: 'connect-guest'; socketId: string }
  /** A listener enters with an access code. */
  | { type: 'enter-by-code'; speaker: Speaker; nickname: string; code: string }
  /**
   * `code`: the new one, drawn by the sender; null ends the current one. `isReplacing`: also when there is one. `lifeMs` is
   * kept between 1 h and 168 h.
   */
  | { type: 'set-code'; code: string | null; lifeMs: number; isReplacing: boolean }
  /** All API processes are new: the code from before ends, unless it has been replaced since. */
  | { type: 'forget-code'; code: string }
  /** A host pauses the queue: at once, or when the track is over. */
  | { type: 'pause-queue'; socketId: string; when: 'now' | 'afterTrack' }
  | { type: 'resume-queue'; socketId: string }
  /** A host chooses the background music of the chat; null = none. */
  | { type: 'choose-background'; socketId: string; clipId: string | null }

/** The content of the answer to an accepted command. */
export interface LiveAccepted {
  /** `isNew`: the socket was not on the air before. */
  'go-live': { isNew: boolean }
  'leave-live': object
  'replica-gone': object
  'set-mic': object
  'set-gain': object
  mute: { target: Participant }
  kick: { target: Participant }
  'ban-uid': object
  'ban-guest': { target: Participant }
  'request-guest': object
  'answer-guest': { nickname: string }
  'connect-guest': { role: LiveRole; nickname: string; expiresAtMs: number }
  'enter-by-code': object
  /** null = the code was ended. */
  'set-code': { expiresAtMs: number | null }
  'forget-code': object
  'pause-queue': object
  'resume-queue': object
  'choose-background': object
}

/** The hosting settings; reported when a worker acquires the lease and when they change. */
export type HostingFact = { type: 'hosting'; hosting: Hosting }

/** Effects of a change of who is on the air. The rosters themselves are compared from state to state. */
export type LiveEffect =
  | { type: 'live-started'; participant: Participant }
  /** For the log; the person who went off is told by their replica, from `live.ends`. */
  | { type: 'live-ended'; participant: Participant; reason: LiveEnd; atMs: number }
  /** The answer for a guest who asked or was approved; `auto`: the time is up. */
  | {
      type: 'guest-answered'
      socketId: string
      result:
        | { accepted: true; nickname: string }
        | {
            accepted: false
            auto: boolean
            reason?: 'room_full' | 'no_admin' | 'special_guest_active' | 'replaced'
          }
    }
