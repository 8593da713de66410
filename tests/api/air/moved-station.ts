import type { HistoryItem } from '@solstice/contracts'
import type { PlayoutState, QueueEntry } from '@solstice/playout'
import type { Test } from 'tap'
import { type Moment, moveClock } from '../../harness/air/moved-clock.ts'
import { type Ask, asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket, type SocketClient } from '../../harness/people/socket-client.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'
import { type Air, startAir } from '../../harness/stations/workers.ts'

interface Station extends OpenApp {
  ask: Ask
  admin: SocketClient
  listener: SocketClient
  /** The air as reported by the most recently started worker. */
  readonly air: Air
  startWorker(): Promise<void>
  stopWorker(): Promise<void>
  /** Moves the clock forward, and waits until the worker, if any, has noticed. */
  goTo(moment: Moment): Promise<void>
  /** The public history. */
  history(): Promise<HistoryItem[]>
}

/** A station in sync mode whose clock is set to a moment; a worker goes on air on request. */
export async function openStation(t: Test, moment: Moment, env: Record<string, string>): Promise<Station> {
  const open = await openApp(t, { ...SUPER_ADMIN, TIME_ZONE: 'Europe/Kyiv', PREPARING_MIN_S: '1', ...env })
  const { app, ports } = open
  const setClock = moveClock(ports.clock, moment)
  let { token, ask } = await asAdmin(open)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const [admin, listener] = [openSocket(t, url), openSocket(t, url)]
  admin.socket.emit('admin_active', token)
  await Promise.all([
    admin.first('suggestions_update'),
    listener.first<boolean>('admin_online', (isOnline) => isOnline),
  ])
  let sessionMs = ports.clock.nowMs()
  /** The session from before would have expired. */
  const logInAgain = async () => {
    ;({ token, ask } = await asAdmin(open))
    sessionMs = ports.clock.nowMs()
    const times = admin.all('admin_confirmed').length
    admin.socket.emit('admin_active', token)
    await admin.first('admin_confirmed', () => admin.all('admin_confirmed').length > times)
  }
  let air: Air | null = null
  const ends: (() => unknown)[] = []
  const stopWorker = async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  t.teardown(stopWorker)
  return {
    ...open,
    ask: (...question) => ask(...question),
    admin,
    listener,
    get air() {
      return air!
    },
    async startWorker() {
      air = await startAir({ teardown: (end) => void ends.push(end) }, ports)
    },
    stopWorker,
    async goTo(moment) {
      setClock(moment)
      if (ports.clock.nowMs() > sessionMs + 6 * 60 * MINUTE) await logInAgain()
      if (ends.length > 0) await ports.bus.send({ type: 'cue-points-changed' })
    },
    history: async () => (await app.inject(`/api/history?artToken=${open.passes().artToken}`)).json(),
  }
}

export const MINUTE = 60_000

export const at = (moment: string) => Date.parse(moment)

export const onAir = ({ onAir }: PlayoutState): QueueEntry | null =>
  onAir.phase === 'track' ? onAir.entry : null

export const startedAtMs = ({ onAir }: PlayoutState) => (onAir.phase === 'track' ? onAir.startedAtMs : null)
