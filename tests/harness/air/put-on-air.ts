import { initialState, type PlayoutState } from '@solstice/playout'
import type { OpenApp } from '../stations/app.ts'

let states = 0

/** Publishes a state as a worker does, and waits until the API has it. */
export async function putOnAir({ ports }: OpenApp, change: Partial<PlayoutState>): Promise<void> {
  const lease = await ports.bus.acquireLease(new AbortController().signal)
  const schedule = { natural: 'day', changes: [] } as const
  const serial = ++states
  const state = { ...initialState(1, 'clock', { ...schedule, changes: [] }, 0), serial, ...change }
  let isThere = () => {}
  const arrived = new Promise<void>((resolve) => {
    isThere = resolve
  })
  const unfollow = await ports.bus.follow((seen) => seen.serial === serial && isThere())
  await lease.save(state)
  await arrived
  unfollow()
  await lease.release()
}
