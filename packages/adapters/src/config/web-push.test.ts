import { createECDH } from 'node:crypto'
import t from 'tap'
import { readConfig } from './config.ts'

const read = (env: Record<string, string>) => readConfig({ JWT_SECRET: 'a secret of this test', ...env })

t.test('keys of notifications come as a pair, and the station is their contact', async (t) => {
  const pair = createECDH('prime256v1')
  const [VAPID_PUBLIC_KEY, another] = [pair.generateKeys('base64url'), pair.generateKeys('base64url')]
  const VAPID_PRIVATE_KEY = pair.getPrivateKey('base64url')
  t.same(read({ VAPID_PUBLIC_KEY: another, VAPID_PRIVATE_KEY }).config.vapidKeys, {
    publicKey: another,
    privateKey: VAPID_PRIVATE_KEY,
  })
  for (const env of [
    { VAPID_PRIVATE_KEY },
    { VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY },
    { VAPID_PUBLIC_KEY: 'x' },
  ])
    t.match(
      t.throws(() => read(env as Record<string, string>)),
      { problems: [/^VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY/] },
    )
  const PUBLIC_SERVER_URL = 'https://radio.example'
  t.equal(read({ PUBLIC_SERVER_URL }).config.vapidSubject, PUBLIC_SERVER_URL)
  const VAPID_SUBJECT = 'mailto:me@radio.example'
  t.equal(read({ PUBLIC_SERVER_URL, VAPID_SUBJECT }).config.vapidSubject, VAPID_SUBJECT)
})
