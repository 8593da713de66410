import type { Participant } from '@solstice/playout'

/** A host on the air, with an open microphone. */
export const participant = (socketId: string, change: Partial<Participant> = {}): Participant => ({
  socketId,
  replica: 'r',
  uid: socketId,
  address: '127.0.0.1',
  role: 'host',
  adminId: 'super',
  name: socketId,
  isMicOn: true,
  gain: 2,
  isMuted: false,
  sinceMs: 0,
  endsAtMs: null,
  ...change,
})
