import t from 'tap'
import { readConfig } from './config.ts'

const HASH = '$argon2id$v=19$m=19456,t=2,p=1$c29tZSBzYWx0IGhlcmU$aGFzaCBvZiAzMiBieXRlcyBoYXNoIG9mIDMyIGJ5dGU'

const secrets = {
  JWT_SECRET: 'a secret of this test',
  ART_TOKEN_SECRET: 'another secret, of listeners in this test',
  ADMIN_LOGIN: 'admin',
  ADMIN_PASS: HASH,
}

const read = (env: Record<string, string>) => readConfig({ ...secrets, ...env })

t.test(
  'a payment service counts when all its values are there; the wanted one and the begun ones are missed',
  async (t) => {
    const donations = (env: Record<string, string>) => read({ DONATIONS_ENABLED: 'true', ...env })
    const liqpay = { LIQPAY_PUBLIC_KEY: 'public', LIQPAY_PRIVATE_KEY: 'private' }
    const stripe = { STRIPE_SECRET_KEY: ' sk ', STRIPE_WEBHOOK_SECRET: 'whsec' }
    const donatello = { DONATELLO_API_TOKEN: 'token', DONATELLO_PAGE_URL: 'https://donatello.example/me/' }
    const kofi = { KOFI_VERIFICATION_TOKEN: 'token', KOFI_PAGE_URL: 'https://ko-fi.example/me' }
    const server = { PUBLIC_SERVER_URL: 'https://radio.example' }
    const all = { ...liqpay, ...stripe, ...donatello, ...kofi, ...server }

    const whole = donations({ ...all, DONATIONS_PROVIDER: 'Stripe' })
    t.same(whole.warnings, [])
    t.same(whole.config.payments, {
      wanted: 'checkout_provider_2',
      liqpay: {
        publicKey: 'public',
        privateKey: 'private',
        apiUrl: 'https://www.liqpay.ua/api/3/checkout',
      },
      stripe: { secretKey: 'sk', webhookSecret: 'whsec', apiUrl: 'https://api.stripe.com' },
      donatello: {
        apiToken: 'token',
        pageUrl: 'https://donatello.example/me',
        apiUrl: 'https://donatello.to/api/v1',
        pollIntervalMs: 30_000,
      },
      kofi: { verificationToken: 'token', pageUrl: 'https://ko-fi.example/me' },
    })
    const names = {
      checkout_provider_1: 'liqpay',
      matching_provider_1: 'donatello',
      matching_provider_2: 'kofi',
    }
    for (const [id, name] of Object.entries(names))
      for (const value of [id, name, name.toUpperCase()])
        t.equal(donations({ ...all, DONATIONS_PROVIDER: value }).config.payments.wanted, id)
    t.same(read(all).config.payments, read({}).config.payments, 'nothing counts while donations are off')
    t.same(read({ DONATIONS_PROVIDER: 'paypal', ...kofi }).warnings, [])

    const missed: [Record<string, string>, RegExp][] = [
      [{}, /^DONATIONS_PROVIDER: must be one of .*donations are off$/],
      [{ DONATIONS_PROVIDER: 'paypal' }, /^DONATIONS_PROVIDER: "paypal" is not one of .*donations are off$/],
      [{ DONATIONS_PROVIDER: 'liqpay', ...liqpay }, /^PUBLIC_SERVER_URL: .* liqpay; donations are off$/],
      [{ DONATIONS_PROVIDER: 'liqpay', ...server }, /^LIQPAY_PUBLIC_KEY, LIQPAY_PRIVATE_KEY: /],
      [{ DONATIONS_PROVIDER: 'stripe', ...stripe, STRIPE_WEBHOOK_SECRET: ' ' }, /^STRIPE_WEBHOOK_SECRET: /],
      [{ DONATIONS_PROVIDER: 'donatello', DONATELLO_API_TOKEN: 'token' }, /^DONATELLO_PAGE_URL: /],
      [
        { DONATIONS_PROVIDER: 'kofi', ...kofi, ...donatello, DONATELLO_API_TOKEN: '' },
        /^DONATELLO_API_TOKEN: .* donatello is ignored$/,
      ],
      [
        { DONATIONS_PROVIDER: 'kofi', ...kofi, ...donatello, DONATELLO_POLL_INTERVAL_S: '9' },
        /^DONATELLO_POLL_INTERVAL_S: /,
      ],
    ]
    for (const [env, warning] of missed) {
      const { warnings } = donations(env)
      t.match(warnings, [warning])
      t.equal(warnings.length, 1)
    }
    t.match(donations({ ...kofi, KOFI_PAGE_URL: 'ko-fi.com/me', DONATIONS_PROVIDER: 'kofi' }), {
      config: { payments: { kofi: null } },
      warnings: [/^KOFI_PAGE_URL: "ko-fi.com\/me" is not an/, /^KOFI_PAGE_URL: not set/],
    })
  },
)
