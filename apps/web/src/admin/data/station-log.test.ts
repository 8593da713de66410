import t from 'tap'
import { cooldownIn } from './station-log.ts'

const limits = {
  queueAddCooldownS: 20,
  queueRemoveCooldownS: 30,
  queueSkipCooldownS: 40,
  groupInsertCooldownS: 600,
  suggestExpiryS: 300,
}

t.test('a change that is done begins the cooldown that the station is configured with', async (t) => {
  t.same(cooldownIn({ code: 'QUEUE_SONG_ADDED' }, true, limits), { name: 'add', secsLeft: 20 })
  t.same(cooldownIn({ code: 'QUEUE_SUGGESTION_ACCEPTED' }, true, limits), { name: 'add', secsLeft: 20 })
  t.same(cooldownIn({ code: 'QUEUE_GROUP_INSERTED' }, true, limits), { name: 'group', secsLeft: 600 })
})

t.test('a refusal because of a cooldown tells what is left of it', async (t) => {
  const refusal = { code: 'QUEUE_REMOVE_FAILED', reason: 'cooldown', secsLeft: 7 }
  t.same(cooldownIn(refusal, false, limits), { name: 'remove', secsLeft: 7 })
})

t.test('A11c: moving and removing share a cooldown', async (t) => {
  t.same(cooldownIn({ code: 'QUEUE_SONG_MOVED' }, true, limits), { name: 'remove', secsLeft: 30 })
  const refusal = { code: 'QUEUE_MOVE_FAILED', reason: 'cooldown', secsLeft: 7 }
  t.same(cooldownIn(refusal, false, limits), { name: 'remove', secsLeft: 7 })
})

t.test('other refusals, and answers about something else, begin none', async (t) => {
  t.equal(cooldownIn({ code: 'QUEUE_ADD_FAILED', reason: 'wrong_mode' }, false, limits), null)
  t.equal(cooldownIn({ code: 'JINGLE_INSERTED' }, true, limits), null)
  t.equal(cooldownIn({}, true, limits), null)
})
