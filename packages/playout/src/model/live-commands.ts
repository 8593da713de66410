import type { LiveRole } from '@solstice/contracts'
import type { Hosting, LiveEnd, Participant, Speaker } from './live-state.ts'

/** What people on microphone, and those who look after them, may ask of the air. */
export type LiveCommand =
  /** An admin goes on the air. Twice is once. `takeOver`: also in place of another socket of the account. */
  | { type: 'go-live'; speaker: Speaker; adminId: string; login: string; takeOver: boolean }
  /** A socket goes off the air, and takes back what it asked for: its request and its approval end, too. */
  | { type: 'leave-live'; socketId: string }
  /** An API process is gone with all its sockets. */
  | { type: 'replica-gone'; replica: string }
  | { type: 'set-mic'; socketId: string; isOn: boolean }
  | { type: 'set-gain'; socketId: string; gain: number }
  /** `by`: a host may do it to guests only, a moderator to everybody. */
  | { type: 'mute'; targetId: string; isMuted: boolean; by: 'host' | 'moderator' }
  | { type: 'kick'; targetId: string; by: 'host' | 'moderator' }
  /**
   * A household is banned: its ordinary guests go off the air, and what they asked for ends. To be sent when the ban is
   * written down: then whoever was not refused for it before is found here, or comes too late.
   */
  | { type: 'ban-uid'; uid: string }
  /** An ordinary guest on the air is banned: to be sent before the address is written down. */
  | { type: 'ban-guest'; targetId: string }
  | { type: 'request-guest'; speaker: Speaker; nickname: string }
  | { type: 'answer-guest'; uid: string; action: 'accept' | 'reject' }
  /** Whoever was allowed to comes on the air. Twice is once. */
  | { type: 'connect-guest'; socketId: string }
  /** Somebody shows an access code. */
  | { type: 'enter-by-code'; speaker: Speaker; nickname: string; code: string }
  /**
   * `code`: the new one, drawn by whoever asks; null ends the one there is. `isReplacing`: also when there is one. `lifeMs`
   * is kept between 1 h and 168 h.
   */
  | { type: 'set-code'; code: string | null; lifeMs: number; isReplacing: boolean }
  /** All API processes are new: a code of before ends; it may be another one by now. */
  | { type: 'forget-code'; code: string }
  /** A host wants to talk: at once, or when the song is over. */
  | { type: 'pause-queue'; socketId: string; when: 'now' | 'afterTrack' }
  | { type: 'resume-queue'; socketId: string }
  /** What is heard under the talk where hosts choose; null = nothing. */
  | { type: 'choose-background'; socketId: string; clipId: string | null }

/** What the answer to an accepted command says. */
export interface LiveAccepted {
  /** `isNew`: it was not on the air before. */
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
  /** null = there is none any more. */
  'set-code': { expiresAtMs: number | null }
  'forget-code': object
  'pause-queue': object
  'resume-queue': object
  'choose-background': object
}

/** How people are let on the air; said when a worker acquires the lease and when the settings change. */
export type HostingFact = { type: 'hosting'; hosting: Hosting }

/** What follows from a change of who is on the air. The lists themselves are told from state to state. */
export type LiveEffect =
  | { type: 'live-started'; participant: Participant }
  /** It is logged; whoever was taken off is told by its replica, from `live.ends`. */
  | { type: 'live-ended'; participant: Participant; reason: LiveEnd; atMs: number }
  /** Whoever asked, or may come, is told; `auto`: the time is up. */
  | {
      type: 'guest-answered'
      socketId: string
      result:
        | { accepted: true; nickname: string }
        | {
            accepted: false
            auto: boolean
            reason?: 'room_full' | 'no_admin' | 'special_guest_active'
          }
    }
