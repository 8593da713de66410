import { once } from 'node:events'
import { Redis } from 'ioredis'
import t from 'tap'
import { startRedis } from '../../../../../tests/harness/processes/processes.ts'
import { inTime } from '../../../../../tests/harness/until.ts'
import { ACCOUNT_CHANNEL, openAnnouncer, roomOf, SOCKET_CHANNEL } from './announcer.ts'

t.test('an audience has a room of its own, everyone has none', async (t) => {
  const audiences = ['admins', 'super-admin', { uid: 'a' }, { privilege: 'stats' }] as const
  t.same(audiences.map(roomOf), ['admins', 'super-admin', 'uid a', 'privilege stats'])
  t.equal(roomOf('everyone'), null)
})

t.test(
  'events go to their rooms, news of accounts to every replica, and nobody waits for them',
  async (t) => {
    const server = await startRedis(t)
    const [redis, replica] = [new Redis(server.url), new Redis(server.url)]
    for (const connection of [redis, replica]) connection.on('error', () => {})
    t.teardown(() => replica.disconnect())
    const announcer = openAnnouncer(redis)
    await replica.psubscribe(`${SOCKET_CHANNEL}*`, ACCOUNT_CHANNEL)
    const heard = async () => {
      const [, channel, message] = await inTime('news', once(replica, 'pmessage'))
      return { channel, message }
    }

    const first = heard()
    announcer.announce('library_updated')
    t.equal((await first).channel, `${SOCKET_CHANNEL}#/#`)
    const second = heard()
    announcer.tell({ privilege: 'stats' }, 'library_updated')
    t.equal((await second).channel, `${SOCKET_CHANNEL}#/#privilege stats#`)
    const third = heard()
    announcer.accountChanged({ adminId: 'a', kind: 'deleted' })
    const { channel, message } = await third
    t.equal(channel, ACCOUNT_CHANNEL)
    t.same(JSON.parse(message), { adminId: 'a', kind: 'deleted' })

    const ended = once(redis, 'end')
    announcer.announce('library_updated')
    redis.disconnect()
    await ended
    announcer.tell('admins', 'library_updated')
    announcer.accountChanged({ adminId: 'a', kind: 'privileges' })
    await replica.ping()
    t.pass('a connection that is gone harms nobody')
  },
)
