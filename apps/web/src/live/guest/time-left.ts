import type { GuestStatus } from './guest-session.ts'

/** Until the request, the invitation or the time on air ends; 0 when nothing runs out. */
export const leftMsOf = (status: GuestStatus): number =>
  'untilMs' in status ? Math.max(0, status.untilMs - Date.now()) : 0
