import type { AddressInfo } from 'node:net'
import { type EventRecord, Failure } from '@solstice/station'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { followEvents } from '../../../../tests/harness/people/event-source.ts'
import { until } from '../../../../tests/harness/until.ts'
import { useContract } from '../http/contract.ts'
import { createEventFollowers, type EventFollowerDeps } from './event-followers.ts'

/** Followers of an account, of a record kept here. */
async function open(t: Test, options: Partial<EventFollowerDeps> = {}) {
  const records: EventRecord[] = []
  const data = { events: { find: async () => [...records] } } as unknown as EventFollowerDeps['data']
  const session = { refusal: null as Failure | null }
  const followers = createEventFollowers({ data, log: { warn() {} } as never, ...options })
  const app = Fastify()
  useContract(app, { knows: () => true, admit: async () => undefined as never })
  app.get('/:account', { config: { contract: 'internal' } }, async (request, reply) => {
    const { account } = request.params as { account: string }
    await followers.follow(account, { request, reply }, async () => {
      if (session.refusal) throw session.refusal
      return () => true
    })
    return reply
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    followers.close()
    await app.close()
  })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  return { session, followers, follow: (account = 'one') => followEvents(t, `${url}/${account}`) }
}

t.test('a silent connection gets a comment now and then', async (t) => {
  const { follow } = await open(t, { heartbeatMs: 0 })
  const client = await follow()
  await until('a comment', () => client.text.includes('\n\n:\n\n'))
})

t.test('an account follows a few times at once; a client that leaves makes room', async (t) => {
  const { follow } = await open(t)
  const clients = []
  for (let i = 0; i < 8; i++) clients.push(await follow())
  t.same(
    clients.map(({ status }) => status),
    Array(8).fill(200),
  )
  t.match(await follow(), { status: 429, headers: { 'retry-after': '30' } })
  t.equal((await follow('another')).status, 200)
  clients[0]!.close()
  await until('there is room', async () => (await follow()).status === 200)
})

t.test('a store that is away ends no connection, the end of the session does', async (t) => {
  const { follow, session } = await open(t, { heartbeatMs: 0 })
  const client = await follow()
  session.refusal = new Failure('DATA_UNAVAILABLE')
  const before = client.text.length
  await until('it goes on', () => client.text.length > before + 10)
  session.refusal = new Failure('UNAUTHORIZED')
  await client.ended
})

t.test('a replica that shuts down ends all connections, and takes no new ones', async (t) => {
  const { follow, followers } = await open(t)
  const client = await follow()
  followers.close()
  await client.ended
  t.match(client.text, /\n\n$/)
  t.equal((await follow()).status, 503)
})
