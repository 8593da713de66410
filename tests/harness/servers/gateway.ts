import cookie from '@fastify/cookie'
import jwt from '@fastify/jwt'
import {
  openAnnouncer,
  openJsonData,
  openMicrophones,
  openRedis,
  openRedisBus,
  openReplicaLink,
  openReplicas,
} from '@solstice/adapters'
import { createAudit, createSessions, defaultSettings } from '@solstice/station'
import Fastify from 'fastify'
import { pino } from 'pino'
import t from 'tap'
import { createAdminTokens } from '../../../apps/api/src/auth/admin-tokens.ts'
import { createTokens } from '../../../apps/api/src/auth/tokens.ts'
import { mirrorCovers } from '../../../apps/api/src/background/covers.ts'
import { clientAddress, createOrigins } from '../../../apps/api/src/limits/client-address.ts'
import { attachGateway } from '../../../apps/api/src/sockets/gateway.ts'
import { aliases } from '../../../apps/api/src/sockets/presence/aliases.ts'
import { createAirMirror } from '../../../apps/api/src/stream/mirror.ts'
import { handMadeAir } from '../air/hand-made-air.ts'
import { openSocket, type SocketClient } from '../people/socket-client.ts'
import { startRedis, type Teardown, temporaryFolder } from '../processes/processes.ts'
import { until } from '../until.ts'

const redisServer = await startRedis(t)

/** One Redis for all replicas of a test file. */
export const redis = await openRedis(redisServer.url, pino({ level: 'silent' }), true)
t.teardown(() => redis.disconnect())

export const replicas = openReplicas(redis, { onSet: () => () => {} })

const replicaConfig = {
  trustProxyHops: 1,
  streamMode: true,
  radioHostsMode: false,
  rosterLimit: 100,
  timeZone: 'Europe/Kyiv',
  nightMode: false,
  dayStartHour: 6,
  nightStartHour: 0,
  publicServerUrl: '',
  clientOrigins: ['http://page.example'],
  artTokenSecret: 'a secret of the test',
  artTokenTtlS: 3600,
  audioTokenTtlS: 900,
  suggestCooldownS: 300,
}

/** A replica's socket gateway, on an air made by hand. */
export async function replica(
  t: Teardown,
  overrides: { streamMode?: boolean; rosterLimit?: number } = {},
  mostPerAddress?: number,
) {
  const air = handMadeAir()
  const log = pino({ level: 'silent' })
  const mirror = createAirMirror({ bus: air.bus, config: { otherMounts: [] }, log })
  const config = { ...replicaConfig, ...overrides }
  const { directory, ...names } = defaultSettings.branding
  const uiSettings = { ...names, artistArts: defaultSettings.artistArts }
  const tokens = createTokens(config)
  const data = await openJsonData(await temporaryFolder(t))
  const bus = openRedisBus(redis, { ...air.clock, aheadMs: () => 0 }, log)
  const announcer = openAnnouncer(redis)
  const microphones = openMicrophones(redis)
  const link = await openReplicaLink(redis, log)
  const app = Fastify()
  await app.register(cookie)
  await app.register(jwt, { secret: 'a secret of the test' })
  const gateway = await attachGateway(app, {
    config,
    mirror,
    clock: air.clock,
    data,
    bus,
    jobs: { add: async () => 'job' },
    audit: createAudit({ data, announcer, clock: air.clock, isOn: true }),
    microphones,
    replicas,
    capabilities: { ipModeration: true },
    link,
    tokens,
    origins: createOrigins(config),
    adminTokens: createAdminTokens(app.jwt, 'a secret of the test', air.clock),
    sessions: createSessions({ data, announcer, clock: air.clock, log }),
    findAdmin: async () => null,
    announcer,
    settings: { now: () => uiSettings, directory: () => directory, onChange: () => () => {}, close() {} },
    covers: mirrorCovers({ data, log }),
    aliases,
    log,
    maxPerAddress: mostPerAddress,
  })
  app.get('/uid', (request) =>
    tokens.uidOf(clientAddress(request.ip, request.headers['x-forwarded-for']?.toString(), 1)),
  )
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const clients: SocketClient[] = []
  t.teardown(async () => {
    for (const { socket } of clients) socket.disconnect()
    await until('all sockets are gone', () => gateway.sockets === 0)
    await app.close()
    await link.close()
    await mirror.close()
    microphones.close()
    await Promise.all([bus.close(), data.close()])
  })
  const join = async (options: Parameters<typeof openSocket>[2] = {}) => {
    const client = openSocket(t, url, options)
    clients.push(client)
    await client.first('radio_hosts_mode')
    return client
  }
  return { air, url, gateway, tokens, join, clients, data }
}
