import t from 'tap'
import { shownAddress } from '../config/servers/addresses.ts'
import { connectTo, hasReplicas } from './address.ts'

const group = {
  sentinels: [
    { host: '10.0.0.1', port: 26_379 },
    { host: '10.0.0.2', port: 26_379 },
  ],
  name: 'radio',
  sentinelPassword: 'known-to-nobody',
  url: 'redis://user:known-to-nobody@redis:6379/3',
}
const lazy = { lazyConnect: true } as const

t.test('where Redis is can be shown: it has no secrets', async (t) => {
  t.equal(shownAddress(group), 'radio at 10.0.0.1:26379, 10.0.0.2:26379')
  t.equal(shownAddress('redis://:known-to-nobody@one:6380/0'), 'one:6380')
})

t.test('the primary of a group is looked for often, unless one attempt is all', async (t) => {
  const redis = connectTo(group, { ...lazy, retryStrategy: (attempt) => attempt * 1_000 })
  t.match(redis.options, { db: 3, username: 'user', name: 'radio', sentinelPassword: 'known-to-nobody' })
  for (const attempt of [1, 100]) t.ok(redis.options.retryStrategy!(attempt)! < 500)
  t.ok(hasReplicas(redis.duplicate()), 'copies do so too')
  const once = connectTo(group, { ...lazy, retryStrategy: () => null })
  t.equal(once.options.retryStrategy!(1), null)
  t.equal(once.options.sentinelRetryStrategy!(1), null)
  t.notOk(hasReplicas(connectTo('redis://one', lazy)))
})
