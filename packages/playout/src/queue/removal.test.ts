import t from 'tap'
import { pass, refusal, release } from '../../../../tests/harness/air/night-station.ts'
import { assertLegal, NOON, onAir, randomFrom, track } from '../../../../tests/harness/air/programme.ts'
import {
  accepted,
  add,
  free,
  NIGHT,
  queueStation,
  remove,
  SECOND,
  titles,
} from '../../../../tests/harness/air/queue-station.ts'
import { upcoming } from '../model/playlists.ts'
import type { PlayoutState } from '../model/state.ts'
import { readState } from '../saved/state-versions.ts'
import { nextDueMs } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { shownQueue } from './projection.ts'

const restore = (state: PlayoutState, entryId: string, nowMs = NOON) =>
  apply(state, { type: 'restore-entry', entryId }, nowMs)
const idAt = (state: PlayoutState, position: number) => shownQueue(state)[position - 1]!.entryId
const without = (state: PlayoutState, ...positions: number[]) =>
  positions.reduce((left, position) => accepted(left, remove(position)), state)

/** Two donated tracks, three requested ones, then the generated ones. */
function mixed(): PlayoutState {
  let state = free()
  for (const [name, tier] of [
    ['p', 3],
    ['q', 1],
  ] as const)
    state = accepted(state, add(track(name), 'donated', { tier }))
  for (const name of ['x', 'y', 'z']) state = accepted(state, add(track(name)))
  return state
}

t.test('A13a: each entry comes back as it was, to where it was', async (t) => {
  const start = mixed()
  for (const position of [1, 2, 3, 5, 6, 10]) {
    const entry = shownQueue(start)[position - 1]!
    const removed = readState(JSON.stringify(without(start, position)))
    const { state, outcome, effects } = restore(removed, entry.entryId)
    t.same(outcome, { ok: true, track: entry.track, position })
    t.same(effects, [])
    t.same(upcoming(state), upcoming(start), `position ${position}`)
    t.match(refusal(restore(state, entry.entryId).outcome), { reason: 'forgotten' }, 'once')
    assertLegal(t, state, NOON)
  }
})

t.test('A13a: an entry of the prepared playlist comes back too', async (t) => {
  let last = free()
  while (last.playlist.index < last.playlist.entries.length - 4) last = pass(last, nextDueMs(last)!)
  const nowMs = nextDueMs(last)! - 1
  for (const position of [3, 4, 6]) {
    const entryId = idAt(last, position)
    const { state, outcome } = restore(accepted(last, remove(position), nowMs), entryId, nowMs)
    t.match(outcome, { ok: true, position })
    t.same(upcoming(state), upcoming(last))
    assertLegal(t, state, nowMs)
  }
})

t.test('A13b: entries that were removed one after another come back in any order', async (t) => {
  const start = mixed()
  const ids = [6, 7, 8].map((position) => idAt(start, position))
  for (const removal of [
    [6, 6, 6],
    [8, 7, 6],
    [7, 7, 6],
  ])
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const left = without(start, ...removal)
      const back = order.reduce((state, i) => restore(state, ids[i]!).state, left)
      t.same(upcoming(back), upcoming(start), `${removal} ${order}`)
    }
})

t.test('A13c: it stands before the one that followed it, and donated tracks stay ahead', async (t) => {
  const start = mixed()
  const next = onAir(start)!.entryId
  const generated = idAt(start, 6)
  const more = accepted(without(start, 6), add(track('w')))
  t.same(titles(restore(more, generated).state, 7), [...titles(start, 5), 'w', titles(start, 6)[5]])

  const asked = idAt(start, 3)
  const ahead = accepted(without(start, 3), add(track('r'), 'donated', { tier: 1 }))
  t.same(titles(restore(ahead, asked).state, 5), ['p', 'q', 'r', 'x', 'y'])

  const paid = idAt(start, 2)
  const higher = accepted(without(start, 2), add(track('h'), 'donated', { tier: 2 }))
  t.same(titles(restore(higher, paid).state, 4), ['p', 'h', 'q', 'x'], 'its tier counts')
  const lower = accepted(without(start, 1), add(track('l'), 'donated', { tier: 1 }))
  t.same(titles(restore(lower, idAt(start, 1)).state, 4), ['p', 'q', 'l', 'x'])
  t.equal(onAir(start)!.entryId, next)
})

t.test('A13d: what can not come back is refused with the reason, and changes nothing', async (t) => {
  const start = mixed()
  const third = idAt(start, 3)
  const left = without(start, 3)
  const refused = (state: PlayoutState, entryId: string, reason: string, nowMs = NOON) =>
    t.same(restore(state, entryId, nowMs), {
      state,
      effects: [],
      outcome: { ok: false, code: 'QUEUE_RESTORE_FAILED', details: { reason } },
    })
  refused(start, 'e0', 'forgotten')
  refused(left, 'nothing', 'forgotten')
  refused(accepted(left, release(track('x').id)), third, 'not_found')
  const gone = accepted(left, { type: 'library-changed', settled: [{ trackId: track('x').id, track: null }] })
  refused(gone, third, 'forgotten')
  const plain = free()
  const toNight = { type: 'switch-mode', target: 'night', atMs: null } as const
  refused(accepted(without(plain, 4), toNight), idAt(plain, 4), 'preparing')

  const first = without(start, 1)
  refused(pass(first, nextDueMs(first)!), idAt(start, 1), 'aired', nextDueMs(first)!)

  const stale = without(plain, 4)
  const ids = [3, 5].map((position) => shownQueue(plain)[position - 1]!.track.id)
  const settled = ids.map((trackId) => ({ trackId, track: null }))
  refused(accepted(stale, { type: 'library-changed', settled }), idAt(plain, 4), 'gone')

  const twice = accepted(
    without(accepted(start, add(track('v'))), 3),
    add(track('x'), 'requested', { at: 3 }),
  )
  refused(twice, third, 'duplicate_nearby')
})

t.test('A13d: only a donated track comes back while another mode is due', async (t) => {
  const start = mixed()
  const { onAir: air } = start
  if (air.phase !== 'track') throw new Error('nothing is on air')
  const late = { ...start, onAir: { ...air, startedAtMs: NIGHT - 1 } }
  const state = without(late, 2, 2)
  const nowMs = NIGHT + 1
  t.match(refusal(restore(state, idAt(start, 3), nowMs).outcome), { reason: 'mode_over' })
  t.match(restore(state, idAt(start, 2), nowMs).outcome, { ok: true, position: 2 })
})

t.test('A13e: no cooldown holds it up', async (t) => {
  const start = queueStation()
  const state = without(start, 2)
  const { state: back, outcome } = restore(state, idAt(start, 2), NOON + SECOND)
  t.ok(outcome.ok)
  t.equal(back.lastRemoveMs, NOON)
  t.match(refusal(apply(back, remove(2), NOON + SECOND).outcome), { reason: 'cooldown' })
})

t.test('A13f: a paid order is named, and stays out', async (t) => {
  const start = accepted(mixed(), add(track('order'), 'donated', { tier: 1, orderId: 'o1' }))
  const state = without(start, 3)
  const step = restore(state, idAt(start, 3))
  t.match(step.outcome, { ok: true, orderId: 'o1', position: null, track: { title: 'order' } })
  t.equal(step.state, state)
})

t.test('K4: a changed track comes back as it is now', async (t) => {
  const start = mixed()
  const settled = [{ trackId: track('x').id, track: { ...track('x'), title: 'X, live' } }]
  const state = accepted(without(start, 3), { type: 'library-changed', settled })
  t.equal(titles(restore(state, idAt(start, 3)).state, 3)[2], 'X, live')
})

t.test(
  'A13: whatever is removed and put back, no entry is lost and no rule of the order is broken',
  async (t) => {
    let back = 0
    const refusals = new Set<string>()
    for (let run = 0; run < 300; run++) {
      const random = randomFrom(run * 7_919 + 1)
      let [state, nowMs] = [free(), NOON]
      for (let step = 0; step < 20; step++) {
        const removed = state.removed ?? []
        if (random(6) === 0) {
          nowMs = nextDueMs(state)!
          state = pass(state, nowMs)
        } else if (random(4) === 0) {
          const order = add(track(`order ${step}`), random(2) ? 'donated' : 'requested', {
            tier: 1 + random(3),
          })
          state = apply(state, order, nowMs).state
        } else if (random(2) && removed.length > 0) {
          const { entry } = removed[random(removed.length)]!
          const { state: next, outcome } = restore(state, entry.entryId, nowMs)
          if (!outcome.ok) refusals.add(String(outcome.details?.reason))
          else {
            back++
            const [before, after] = [upcoming(state), upcoming(next)]
            t.same(
              after.filter((other) => other.entryId !== entry.entryId),
              before,
              'all others keep their order',
            )
            const kinds = after.slice(0, next.playlist.entries.length - 1 - next.playlist.index)
            const isOrder = (one: (typeof kinds)[number]) => one.orderType !== null
            const generatedFirst = kinds.findIndex((one) => !isOrder(one))
            if (generatedFirst >= 0 && kinds.slice(generatedFirst).some(isOrder))
              t.fail('an order waits', { run })
          }
          state = next
        } else state = apply(state, remove(1 + random(8)), nowMs).state
        if ((state.removed ?? []).length > 10) t.fail('too much is kept')
      }
      assertLegal(t, state, nowMs)
    }
    t.ok(back > 500, `${back} came back`)
    t.ok(refusals.has('aired'), [...refusals].join())
  },
)
