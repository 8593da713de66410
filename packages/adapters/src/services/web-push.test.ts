import { createPublicKey, verify } from 'node:crypto'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { openPushService } from '../../../../tests/harness/servers/services/push-service.ts'
import { openJsonData } from '../data/json/store.ts'
import { isPushService, openPushServices } from './web-push.ts'

const config = {
  vapidKeys: null,
  vapidSubject: 'mailto:operator@radio.example',
  pushServiceHosts: ['127.0.0.1'],
}
const message = { text: '{"title":"Вода"}', topic: 'song', lifeS: 60 }
const deviceOf = ({
  subscription: { endpoint, keys },
}: {
  subscription: { endpoint: string; keys: object }
}) => ({ endpoint, ...keys }) as { endpoint: string; p256dh: string; auth: string }

async function openStore(t: Test) {
  const data = await openJsonData(join(await temporaryFolder(t), 'data'))
  t.teardown(() => data.close())
  return data
}

t.test(
  'a message is encrypted for its device, and signed with the key that the device subscribed with',
  async (t) => {
    const service = await openPushService(t)
    const push = openPushServices(config, await openStore(t))
    const device = service.subscribe('phone')
    t.equal(await push.send(deviceOf(device), message), 'sent')
    t.same(device.messages(), [{ title: 'Вода' }])
    const { headers } = service.taken[0]!
    t.match(headers, { ttl: '60', urgency: 'high', topic: 'song', 'content-encoding': 'aes128gcm' })

    const publicKey = await push.publicKey()
    const [, token = '', key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization!) ?? []
    t.equal(key, publicKey)
    const [head, claims, signature] = token.split('.')
    t.match(JSON.parse(Buffer.from(claims!, 'base64url').toString()), {
      aud: service.url,
      sub: config.vapidSubject,
    })
    const point = Buffer.from(publicKey, 'base64url')
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
    const signer = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: x!, y: y! } })
    const bytes = Buffer.from(signature!, 'base64url')
    t.ok(
      verify('sha256', Buffer.from(`${head}.${claims}`), { key: signer, dsaEncoding: 'ieee-p1363' }, bytes),
    )
  },
)

t.test('the answer of the service decides whether a message is tried again', async (t) => {
  const service = await openPushService(t)
  const push = openPushServices(config, await openStore(t))
  const device = deviceOf(service.subscribe('phone'))
  for (const [status, outcome] of [
    [404, 'gone'],
    [410, 'gone'],
    [400, 'refused'],
    [403, 'refused'],
    [413, 'refused'],
  ] as const) {
    service.status = status
    t.equal(await push.send(device, message), outcome, String(status))
  }
  for (const status of [429, 500, 503, 302]) {
    service.status = status
    await t.rejects(push.send(device, message), String(status))
  }
})

t.test('the keys of a station are made once, also by two processes at once', async (t) => {
  const data = await openStore(t)
  const [one, two] = await Promise.all([data, data].map((data) => openPushServices(config, data).publicKey()))
  t.equal(one, two)
  t.equal(await openPushServices(config, data).publicKey(), one)
  const own = { publicKey: 'configured', privateKey: 'too' }
  t.equal(await openPushServices({ ...config, vapidKeys: own }, data).publicKey(), 'configured')
})

t.test('messages go to known push services only', async (t) => {
  const hosts = ['fcm.googleapis.com', 'push.apple.com']
  const known = ['https://fcm.googleapis.com/fcm/send/x', 'https://web.push.apple.com/x']
  const unknown = [
    'http://fcm.googleapis.com/x',
    'https://fcm.googleapis.com:8443/x',
    'https://user:pass@fcm.googleapis.com/x',
    'https://fcm.googleapis.com.evil.example/x',
    'https://evilpush.apple.com/x',
    'https://169.254.169.254/x',
    'http://127.0.0.1:6379/',
    'http://localhost/',
    'file:///etc/passwd',
    'nothing',
  ]
  for (const address of known) t.ok(isPushService(address, hosts), address)
  for (const address of unknown) t.notOk(isPushService(address, hosts), address)
})

t.test('a device needs a key that lies on the curve', async (t) => {
  const service = await openPushService(t)
  const { accepts, send } = openPushServices(config, await openStore(t))
  const device = deviceOf(service.subscribe('phone'))
  t.ok(accepts(device))
  t.notOk(accepts({ ...device, p256dh: `B${'A'.repeat(86)}` }))
  t.notOk(accepts({ ...device, endpoint: 'https://elsewhere.example/x' }))
  t.equal(await send({ ...device, endpoint: 'https://elsewhere.example/x' }, message), 'refused')
})
