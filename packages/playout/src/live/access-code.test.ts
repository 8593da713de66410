import t from 'tap'
import {
  after,
  ask,
  asking,
  connect,
  enter,
  expected,
  goLive,
  hostingStation,
  leave,
  MINUTE,
  names,
  refusal,
  refusalOf,
  setCode,
  told,
} from '../../../../tests/harness/air/live-station.ts'
import { HOUR, NOON } from '../../../../tests/harness/air/programme.ts'
import { advance } from '../step/advance.ts'
import { apply } from '../step/apply.ts'
import { shownCode } from './roster.ts'

/** A host is on the air, and there is a code. */
const withCode = () => after(hostingStation(), [goLive('ann'), setCode('abcdefghijkl')])

t.test('H10c: a new code ends all guest requests', async (t) => {
  const asked = after(hostingStation(), [goLive('ann'), ask('gus'), ask('hal')])
  const made = apply(asked, setCode('abcdefghijkl'), NOON)
  t.same(told(made), ['socket of gus: special_guest_active', 'socket of hal: special_guest_active'])
  t.same([asking(made.state), made.outcome], [[], { ok: true, expiresAtMs: NOON + 8 * HOUR }])
})

t.test('H10a: there is one code, which is replaced on purpose only', async (t) => {
  const state = withCode()
  t.equal(refusalOf(state, setCode('other')), 'GUEST_CODE_REFUSED exists')
  const replaced = after(state, [setCode('other', { isReplacing: true })])
  t.equal(refusalOf(replaced, enter('sue', 'abcdefghijkl')), 'GUEST_CODE_REFUSED wrong_code')
  t.equal(
    refusalOf(after(state, [setCode(null), setCode(null)]), enter('sue', '')),
    'GUEST_CODE_REFUSED no_code',
  )
})

t.test('H10a: a code is valid for 1 h to 168 h', async (t) => {
  const state = withCode()
  const before = after(hostingStation(), [goLive('ann')])
  for (const [lifeMs, keptMs] of [
    [0, HOUR],
    [2 * HOUR, 2 * HOUR],
    [1e15, 168 * HOUR],
  ] as const)
    t.match(apply(before, setCode('c', { lifeMs }), NOON).outcome, { expiresAtMs: NOON + keptMs })
  t.same(shownCode(state, NOON + 8 * HOUR - 1), { code: 'abcdefghijkl', expiresAt: NOON + 8 * HOUR })
  t.same(shownCode(state, NOON + 8 * HOUR), { code: null }, 'also before time has passed')
  t.equal(advance(state, NOON + 8 * HOUR).state.live.code, null)
})

t.test('H10b, H10d: the code approves special guests, and is not used up', async (t) => {
  const state = withCode()
  const entered = after(state, [enter('sue', 'abcdefghijkl'), enter('sue', 'abcdefghijkl')])
  t.same(expected(entered), ['sue'], 'twice is once')
  const special = after(entered, [connect('sue')])
  t.same(after(special, [enter('sue', 'abcdefghijkl')]), special)
  t.same(names(after(special, [leave('sue'), enter('tom', 'abcdefghijkl'), connect('tom')])), ['ann', 'tom'])
  t.equal(refusalOf(special, enter('ann', 'abcdefghijkl')), 'ALREADY_LIVE')
  t.same(told(advance(entered, NOON + 2 * MINUTE)), ['socket of sue: late'])
})

t.test('H10e: after three wrong codes within an hour an address has to wait', async (t) => {
  const state = withCode()
  let guessed = state
  for (const [code, afterMs] of [
    ['abcdefghijkk', 0],
    ['bbcdefghijkl', MINUTE],
    ['abcdefghijklm', 2 * MINUTE],
  ] as const) {
    const step = apply(guessed, enter('eve', code, 'one household'), NOON + afterMs)
    t.equal(refusal(step), 'GUEST_CODE_REFUSED wrong_code')
    guessed = step.state
  }
  const tried = (name: string, uid: string | undefined, afterMs: number) =>
    refusalOf(guessed, enter(name, 'abcdefghijkl', uid), NOON + afterMs)
  t.equal(
    tried('sue', 'one household', 2 * MINUTE),
    'GUEST_CODE_REFUSED too_many_attempts 3480',
    'the right one, too',
  )
  t.equal(tried('sue', undefined, 2 * MINUTE), null, 'from elsewhere it is let in')
  t.equal(tried('sue', 'one household', HOUR - 1), 'GUEST_CODE_REFUSED too_many_attempts 1')
  t.equal(tried('sue', 'one household', HOUR), null)
  const fourth = apply(guessed, enter('eve', 'no', 'one household'), NOON + HOUR)
  t.equal(
    refusalOf(fourth.state, enter('eve', 'no', 'one household'), NOON + HOUR),
    'GUEST_CODE_REFUSED too_many_attempts 60',
    'after the first of them is forgotten there is one more try',
  )
  t.equal(
    refusalOf(after(guessed, [setCode(null)]), enter('eve', '', 'one household'))?.split(' ')[1],
    'too_many_attempts',
  )
})

t.test('H10d: only the code itself is right', async (t) => {
  const state = withCode()
  for (const code of ['', 'a', 'abcdefghijk', 'abcdefghijkl\0', 'ABCDEFGHIJKL'])
    t.equal(refusalOf(state, enter('sue', code)), 'GUEST_CODE_REFUSED wrong_code', code)
})

t.test('H10e: of wrong codes the last thousand addresses are remembered, for an hour', async (t) => {
  let state = after(hostingStation(), [goLive('ann'), setCode('c0de')])
  for (let i = 0; i < 1_100; i++) state = apply(state, enter(`g${i}`, 'no'), NOON + i).state
  t.equal(state.live.codeFailures.length, 1_000)
  t.equal(state.live.codeFailures[0]!.uid, 'uid of g100', 'the oldest go first')
  const later = apply(state, enter('eve', 'no'), NOON + 2 * HOUR).state
  t.equal(later.live.codeFailures.length, 1)
})
