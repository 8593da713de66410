import type { Mode } from '@solstice/contracts'
import t from 'tap'
import { MINUTE, songs } from '../../../../tests/harness/air/night-station.ts'
import {
  assertLegal,
  HOUR,
  isSame,
  library,
  NOON,
  onAir,
  randomFrom,
  stationFact,
  track,
} from '../../../../tests/harness/air/programme.ts'
import { add, ask, decide, remove, skip } from '../../../../tests/harness/air/queue-station.ts'
import { inForm } from '../../../../tests/harness/long-form.ts'
import type { Command, Effect } from '../model/commands/commands.ts'
import { initialState } from '../model/initial-state.ts'
import { upcoming, wantedPlaylists } from '../model/playlists.ts'
import type { Pace, Schedule } from '../model/state.ts'
import type { Step } from '../model/steps.ts'
import { projectSync } from '../project/sync.ts'
import { orderEffects } from '../queue/orders.ts'
import { isOrderKnown } from '../queue/queue.ts'
import { readState } from '../saved/state-versions.ts'
import { advance } from './advance.ts'
import { apply } from './apply.ts'
import { learn } from './learn.ts'
import { resume } from './resume.ts'

const HISTORIES = inForm({ short: 400, long: 10_000 })

t.test('whatever anybody asks, and whenever a worker dies: each command once, each order once', async (t) => {
  const seen = {
    added: 0,
    refused: 0,
    removed: 0,
    skipped: 0,
    asked: 0,
    answered: 0,
    expired: 0,
    replayed: 0,
    orders: 0,
    cleared: 0,
    over: 0,
    dropped: 0,
  }
  for (let run = 0; run < HISTORIES; run++) {
    const random = randomFrom(run * 104_729 + 1)
    const schedule: Schedule = {
      natural: 'day',
      changes: Array.from({ length: 10 }, (_, i) => ({
        atMs: NOON + (i + 1) * 20 * MINUTE + random(3) * MINUTE,
        mode: i % 2 ? ('day' as const) : ('night' as const),
      })),
    }
    const pace: Pace = random(2) ? 'clock' : 'sound'
    const fact = stationFact(
      schedule,
      {
        queueAddCooldownMs: random(2) * 20_000,
        queueRemoveCooldownMs: random(2) * 20_000,
        queueSkipCooldownMs: random(2) * 20_000,
        trackRequestCooldownMs: random(2) * MINUTE,
        trackRequestExpiryMs: random(3) * MINUTE,
        preparingMinMs: random(2) * 3_000,
      },
      pace,
    )
    let nowMs = NOON
    let state = learn(initialState(run, pace, schedule, NOON), fact, NOON).state
    /** All that a worker reads after a crash: the state, and the commands behind `appliedThrough`. */
    let saved = JSON.stringify(state)
    let text = saved
    const log: Command[] = []
    const starts = new Map<string, number>()
    /** Of each order that was ever queued. */
    let fates = new Map<string, 'waiting' | 'airing' | 'over' | 'dropped'>()
    let savedFates = new Map(fates)
    const take = (step: Step) => {
      const news = orderEffects(state, step)
      state = step.state
      for (const effect of step.effects) check(effect)
      for (const { type, orderId } of news) {
        const [from, to] = (
          {
            'order-aired': ['waiting', 'airing'],
            'order-ended': ['airing', 'over'],
            'order-dropped': ['waiting', 'dropped'],
          } as const
        )[type]
        if (fates.get(orderId) !== from) t.fail('A9: an order that was not there', { run, type, orderId })
        fates.set(orderId, to)
        if (to !== 'airing') seen[to]++
      }
      const { playlist, onAir: air } = state
      const waiting = playlist.entries.slice(playlist.index + 1).flatMap(({ orderId }) => orderId ?? [])
      const airing = air.phase === 'track' ? air.entry.orderId : undefined
      for (const [orderId, fate] of fates) {
        const isWaiting = waiting.includes(orderId)
        if (isWaiting !== (fate === 'waiting') || (orderId === airing) !== (fate === 'airing'))
          t.fail('A9: nobody said what became of an order', { run, orderId, fate })
      }
    }
    const check = (effect: Effect) => {
      if (effect.type === 'track-request-answered') seen[effect.auto ? 'expired' : 'answered']++
      if (effect.type === 'track-requests-changed' && effect.trackRequests.length === 0) seen.cleared++
      if (effect.type !== 'played') return
      if (!effect.track.id.startsWith(effect.mode)) t.fail('a track of the other mode was started', { run })
      if (effect.track.title.startsWith('order ')) starts.set(effect.track.title, effect.startedAtMs)
    }
    const obey = () => {
      for (let at = Number(state.appliedThrough.split('-')[0]); at < log.length; at++) {
        take(advance(state, nowMs))
        const before = state
        const step = apply(state, log[at]!, nowMs)
        const { outcome } = step
        const command = log[at]!
        if (
          command.type === 'add-song' &&
          command.orderId !== undefined &&
          outcome.ok &&
          !isOrderKnown(before, command.orderId)
        )
          fates.set(command.orderId, 'waiting')
        const isReturned = !outcome.ok && outcome.code === 'QUEUE_SUGGESTION_INJECT_FAILED'
        if (!outcome.ok && !isReturned && step.state !== before)
          t.fail('a refusal changed something', { run })
        if (!outcome.ok) seen.refused++
        else if (log[at]!.type === 'skip') seen.skipped++
        else if (log[at]!.type === 'remove-entry') seen.removed++
        else if (log[at]!.type === 'request-track') seen.asked++
        else if (log[at]!.type === 'add-song') seen.added++
        take({ ...step, state: { ...step.state, appliedThrough: `${at + 1}-0` } })
      }
    }
    for (let i = 0; i < 14; i++) {
      const [before, beforeMs] = [state, nowMs]
      nowMs += random(5) === 0 ? random(8 * MINUTE) : random(20_000)
      const later = projectSync(JSON.parse(text), nowMs)
      const halfMs = beforeMs + random(nowMs - beforeMs + 1)
      const inTwo = advance(advance(before, halfMs).state, nowMs).state
      take(advance(state, nowMs))
      if (!isSame(inTwo, state)) t.fail('looking changed the air', { run })
      if (!isSame(later, projectSync(state, nowMs))) t.fail('a copy projects another air', { run })

      const mode: Mode = random(8) ? state.mode : random(2) ? 'day' : 'night'
      const song = track(`order ${run} ${i}`, `artist ${random(5)}`, 20_000 + random(120_000), mode)
      const queued = upcoming(state)[random(12)]?.track ?? song
      const uid = `listener ${random(3)}`
      const asked = state.trackRequests[random(state.trackRequests.length || 1)]?.uid ?? uid
      switch (random(9)) {
        case 0:
        case 1: {
          const orderId = `order ${random(6)}`
          const order = { ...song, id: `${mode}/${orderId}.mp3`, title: orderId }
          log.push(add(order, 'donated', { tier: random(4), orderId, mode }))
          break
        }
        case 2:
          log.push(add(random(3) ? song : { ...queued }, 'requested', { mode }))
          break
        case 3:
          log.push(remove(random(random(2) ? 3 : 12)))
          break
        case 4:
          log.push(skip)
          break
        case 5:
        case 6:
          log.push(ask(uid, song, mode))
          break
        case 7:
          log.push(decide(asked, random(3) ? 'add' : 'reject'))
          break
        default:
          log.push(
            random(3)
              ? {
                  type: 'library-changed',
                  settled: [
                    { trackId: queued.id, track: random(2) ? { ...queued, title: queued.title } : null },
                  ],
                }
              : {
                  type: 'switch-mode',
                  target: random(2) ? 'day' : 'night',
                  atMs: random(2) ? null : nowMs + random(MINUTE),
                },
          )
      }
      obey()
      take(
        learn(
          state,
          { type: 'sound-ended', entryId: random(3) ? 'none' : (onAir(state)?.entryId ?? '') },
          nowMs,
        ),
      )
      if (random(5))
        for (const wanted of wantedPlaylists(state)) take(learn(state, library(songs(wanted), wanted), nowMs))
      take(advance(state, nowMs))
      assertLegal(t, state, nowMs)

      const uids = state.trackRequests.map(({ uid }) => uid)
      if (new Set(uids).size !== uids.length) t.fail('two requests of one listener', { run })
      const rest = state.playlist.entries.slice(state.playlist.index + 1)
      const ranks = rest.map(({ orderType, tier }) =>
        orderType === 'donated' ? 10 + (tier ?? 1) : orderType ? 1 : 0,
      )
      if (ranks.some((rank, i) => i > 0 && rank > ranks[i - 1]!)) t.fail('A1: not in order', { run, ranks })
      const ids = [...state.playlist.entries].flatMap((entry) => entry.orderId ?? [])
      if (new Set(ids).size !== ids.length) t.fail('A5: an order stands twice in a list', { run })
      if (rest.some(({ orderId, track }) => orderId && starts.has(track.title)))
        t.fail('A5: played already', { run })
      seen.orders += ids.length

      // A crash comes before or after the save; what was not saved is done anew, later.
      const crash = random(6)
      text = JSON.stringify(state)
      if (crash > 0) {
        saved = text
        savedFates = new Map(fates)
      }
      if (crash > 1) continue
      if (saved !== text) {
        seen.replayed++
        starts.clear()
      }
      nowMs += random(20_000)
      state = readState(saved)
      fates = new Map(savedFates)
      const { state: restored, effects } = resume(state, random(4) ? nowMs - 5_000 : nowMs - HOUR, nowMs)
      take({ state: restored, effects: [...effects] })
      take(learn(state, fact, nowMs))
      obey()
      take(advance(state, nowMs))
      assertLegal(t, state, nowMs)
      saved = text = JSON.stringify(state)
      savedFates = new Map(fates)
    }
  }
  t.ok(Math.min(...Object.values(seen)) > HISTORIES / 50, 'all of it happened', { seen })
})
