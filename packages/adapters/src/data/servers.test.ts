import t from 'tap'
import { addressesOf, shownServers } from '../config/servers/addresses.ts'
import { createServers } from './servers.ts'

const two = 'postgres://radio:s,e@one:5432,[::1]:5433/db?target_session_attrs=read-write'

t.test(
  'an address of several hosts is one for each of them, without its password where it is shown',
  async (t) => {
    t.same(addressesOf(two), [
      'postgres://radio:s,e@one:5432/db?target_session_attrs=read-write',
      'postgres://radio:s,e@[::1]:5433/db?target_session_attrs=read-write',
    ])
    t.same(addressesOf('postgres://db/radio'), ['postgres://db/radio'])
    t.equal(shownServers(two), 'one:5432,[::1]:5433/db')
  },
)

t.test('all who find the same server of no use move on once, and come back to it in the end', async (t) => {
  const servers = createServers(two)
  const [one, other] = addressesOf(two)
  t.equal(servers.current, one)
  servers.leave(one)
  servers.leave(one)
  t.equal(servers.current, other)
  servers.leave(other!)
  t.equal(servers.current, one)
  const alone = createServers('postgres://db/radio')
  alone.leave(alone.current)
  t.equal(alone.current, 'postgres://db/radio')
  t.same([servers.areSeveral, alone.areSeveral], [true, false])
})
