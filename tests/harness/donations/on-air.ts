import {
  advance,
  apply,
  initialState,
  learn,
  nobodyLive,
  type PlayoutState,
  resume,
  type Step,
  wantedPlaylists,
} from '@solstice/playout'
import { type Asker, type OutboxEntry, queueDonation } from '@solstice/station'
import { sweepDonations } from '../../../apps/jobs/src/processors/sweep-donations.ts'
import { createOutbox } from '../../../apps/stream-worker/src/air/outbox.ts'
import { createSaveLoop } from '../../../apps/stream-worker/src/air/save-loop.ts'
import { alwaysDay, host, stationFact, track, tracks, library as tracksFact } from '../air/programme.ts'
import type { Process } from './process.ts'
import { MINUTE, type Station } from './station.ts'

const songs = tracks(12)

export const songOf = (donationId: string) => track(`wish of ${donationId}`, 'Hilda', 3 * MINUTE)

const library = [...songs, ...tracks(12, 12, 'night')]

/** Records how much of the orders' songs this saved air plays; between two workers there is silence. */
function listen(station: Station, worker: object, state: PlayoutState, due: readonly OutboxEntry[]) {
  const { starts, sounding, heardMs, nowMs } = station
  const hear = (orderId: string, untilMs: number) => {
    const fromMs = sounding.get(orderId)
    if (fromMs === undefined) return
    heardMs.set(orderId, (heardMs.get(orderId) ?? 0) + Math.max(0, untilMs - fromMs))
    sounding.delete(orderId)
  }
  const isBack = station.worker !== worker
  if (isBack) for (const orderId of [...sounding.keys()]) hear(orderId, station.saved?.aliveAtMs ?? nowMs)
  station.worker = worker
  for (const one of due) {
    if (one.type !== 'played' || one.orderId === undefined) continue
    const times = starts.get(one.orderId) ?? new Set()
    if (times.size === 0) sounding.set(one.orderId, one.startedAtMs)
    starts.set(one.orderId, times.add(one.startedAtMs))
  }
  const { onAir } = state
  const orderId = onAir.phase === 'track' ? onAir.entry.orderId : undefined
  if (isBack && orderId !== undefined && !sounding.has(orderId)) sounding.set(orderId, nowMs)
  for (const one of due) if (one.type === 'order-ended') hear(one.orderId, one.atMs)
}

/** A worker on air: the real part that saves, replies and acts, without a clock of its own. */
export async function goOnAir(station: Station, process: Process, schedule = alwaysDay) {
  const { saved } = station
  const lease = {
    lost: process.life,
    async answer({ token }: Asker, outcome: unknown) {
      station.answers.get(token)?.(outcome)
    },
    save: (state: PlayoutState, due: readonly OutboxEntry[] = []) =>
      process.step(() => {
        listen(station, process, state, due)
        station.saved = { state, outbox: [...due], aliveAtMs: station.nowMs }
      }),
  }
  const outbox = createOutbox(process, lease, () => null)
  for (const entry of saved?.outbox ?? []) outbox.add(entry)
  const air = createSaveLoop(lease, outbox, process.clock)
  let state: PlayoutState
  let turn: Promise<unknown> = Promise.resolve()
  const take = async (before: PlayoutState, step: Step, answers: OutboxEntry[] = []) => {
    air.add(before, step, answers)
    state = step.state
    // Each list that it asks for is a step of its own, as in the shell.
    for (let [mode] = wantedPlaylists(state); mode; [mode] = wantedPlaylists(state)) {
      const ofMode = library.filter(({ id }) => id.startsWith(mode))
      const made = learn(state, tracksFact(ofMode, mode), station.nowMs)
      air.add(state, made)
      state = made.state
    }
    await air.save()
  }
  const passTime = () => take(state, advance(state, station.nowMs))
  /** One command at a time, as in the shell. */
  const inTurn = <R>(work: () => Promise<R>): Promise<R> => {
    const done = turn.then(work)
    turn = done.catch(() => {})
    return done
  }

  const fresh = {
    ...initialState(7, 'sound', schedule, station.nowMs),
    live: { ...nobodyLive, participants: [host('h')] },
  }
  const start = saved ? resume(saved.state, saved.aliveAtMs, station.nowMs) : { state: fresh, effects: [] }
  const informed = learn(start.state, stationFact(schedule, {}, 'sound'), station.nowMs)
  state = start.state
  await take(saved?.state ?? fresh, {
    state: informed.state,
    effects: [...start.effects, ...informed.effects],
  })
  await passTime()

  const obey = () =>
    inTurn(async () => {
      for (let id = Number(state.appliedThrough.split('-')[0]); id < station.commands.length; id++) {
        const { asker, command } = station.commands[id]!
        await passTime()
        const { outcome, ...step } = apply(state, command, station.nowMs)
        const { onAir } = state
        if (command.type === 'skip' && onAir.phase === 'track') station.cut.add(onAir.entry.orderId ?? '')
        const applied = { ...step, state: { ...step.state, appliedThrough: `${id + 1}-0` } }
        await take(state, applied, [{ type: 'answer', asker, outcome }])
      }
    }).catch(() => {})
  station.obey = obey
  process.life.addEventListener('abort', () => {
    if (station.obey === obey) station.obey = null
  })
  if (!saved) station.jobs.set('sweep-donations', { name: 'sweep-donations' })
  await obey()
  return {
    passTime: () => inTurn(passTime),
    done: () => outbox.drained(),
    get state() {
      return state
    },
  }
}

/** Runs all pending jobs, one after the other. */
export async function doJobs(station: Station, process: Process): Promise<void> {
  for (const [id, { name, donationId }] of [...station.jobs]) {
    try {
      if (name === 'sweep-donations') {
        station.jobs.delete(id)
        await sweepDonations(process as never)
      } else await queueDonation(process as never, donationId!, new AbortController().signal)
    } catch (error) {
      if (process.life.aborted) throw error
      continue // it is tried again
    }
    station.jobs.delete(id)
  }
}
