import type { Redis } from 'ioredis'
import { pino } from 'pino'
import t from 'tap'
import { createReplicationWait } from './replication.ts'

/** A connection to a primary whose replicas confirm as many writes as it is told. */
function primary(about: string, sentinels: object[] = [{}]) {
  const waits: number[] = []
  const said: string[] = []
  const servers = { confirm: 1, breaks: false }
  const redis = {
    options: { sentinels },
    stream: {},
    async wait(_: number, ms: number) {
      waits.push(ms)
      if (servers.breaks) redis.stream = {}
      return servers.confirm
    },
    info: async () => about,
  }
  const replicated = createReplicationWait(pino({}, { write: (line) => void said.push(line) }))
  return { servers, waits, said, wait: () => replicated(redis as unknown as Redis) }
}

t.test('a primary that wants replicas and has none confirms nothing', async (t) => {
  const { servers, wait, said } = primary('role:master\nmin_slaves_good_slaves:0')
  await wait()
  servers.confirm = 0
  await t.rejects(wait(), /NOREPLICAS/)
  await t.rejects(wait(), /NOREPLICAS/)
  t.same(said, [])
})

t.test('a primary that lost its only replica goes on, says so once, and hardly waits any more', async (t) => {
  const { servers, wait, waits, said } = primary('role:master')
  servers.confirm = 0
  await wait()
  await wait()
  t.match(said, [/no replica of Redis confirms writes/])
  t.same(waits, [500, 20])
  servers.confirm = 1
  await wait()
  await wait()
  t.match(said[1], /writes reach a replica of Redis again/)
  t.same(waits, [500, 20, 20, 500])
})

t.test('what another connection says of its own writes confirms nothing', async (t) => {
  const { servers, wait } = primary('role:master')
  servers.breaks = true
  await t.rejects(wait(), /Connection broke/)
  servers.breaks = false
  await wait()
})

t.test('a Redis of its own is not asked', async (t) => {
  const { wait, waits } = primary('role:master', [])
  await wait()
  t.same(waits, [])
})
