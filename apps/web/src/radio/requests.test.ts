import t from 'tap'
import { NOON } from '../../../../tests/harness/air/radio-state.ts'
import { blockedReason, cooldownSecsLeft, updatedCooldown } from './requests.ts'

t.test('a cooldown counts whole seconds; the first reason against a request is shown', async (t) => {
  const cooldown = updatedCooldown(null, 300, NOON)!
  t.same(
    [0, 1, 1000, 299_001, 300_000, 400_000].map((afterMs) => cooldownSecsLeft(cooldown, NOON + afterMs)),
    [300, 300, 299, 1, 0, 0],
  )
  t.equal(updatedCooldown(cooldown, 200, NOON + 100_000)?.totalS, 300, 'the same cooldown, announced again')
  t.equal(updatedCooldown(cooldown, 300, NOON + 299_000)?.totalS, 300, 'a new one after it')
  t.equal(updatedCooldown(cooldown, 0, NOON), null)
  t.same(
    [blockedReason(null, 9), blockedReason(false, 9), blockedReason(false, 0), blockedReason(true, 0)],
    ['unknown', 'cooldown', 'no_admin', null],
  )
})
