import { CLOCK_JUMP_MS, localNowMs, type StationClock } from './station-clock.ts'
import type { StationSocket } from './station-socket.ts'

/** After each connection the exchanges come quickly, then every second, then every few: [exchanges, ms between them]. */
const PACE = [
  [8, 120],
  [8, 1000],
  [Number.POSITIVE_INFINITY, 8000],
] as const
const PING_TIMEOUT_MS = 5000

/** Measures the station's clock: quickly after each connection, then every few seconds. */
export interface ClockSync {
  /** One exchange, now. Never rejects. */
  measure(): Promise<void>
  stop(): void
}

/** @param onJump called when the station's clock was set, with the difference in ms. */
export function startClockSync(
  socket: StationSocket,
  clock: StationClock,
  onJump: (byMs: number) => void,
): ClockSync {
  let timer: ReturnType<typeof setTimeout> | undefined

  async function measure(): Promise<void> {
    const sentMs = localNowMs()
    const answer = await socket.request('stream_ping', sentMs, PING_TIMEOUT_MS).catch(() => null)
    if (!answer) return
    const movedMs = clock.add({ sentMs, serverMs: answer.serverTs, receivedMs: localNowMs() })
    if (Math.abs(movedMs) > CLOCK_JUMP_MS) onJump(movedMs)
  }

  function run(pingsSoFar = 0): void {
    clearTimeout(timer)
    if (socket.link.value !== 'online') return
    void measure()
    timer = setTimeout(() => run(pingsSoFar + 1), intervalAfterMs(pingsSoFar))
  }

  // During a device's sleep the local clock may have stood still, which the first exchange shows.
  const becameVisible = () => document.visibilityState === 'visible' && run()
  socket.onConnect(() => run())
  document.addEventListener('visibilitychange', becameVisible)

  return {
    measure,
    stop() {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', becameVisible)
    },
  }
}

function intervalAfterMs(pings: number): number {
  let left = pings
  for (const [count, intervalMs] of PACE) {
    if (left < count) return intervalMs
    left -= count
  }
  return PACE.at(-1)![1]
}
