import t from 'tap'
import { createRenewingToken, type GrantedToken } from './renewing-token.ts'

t.test(
  'a token is obtained once for many, used while it lives long enough, and renewed otherwise',
  async (t) => {
    let nowMs = 0
    let asked = 0
    const token = createRenewingToken(
      async (): Promise<GrantedToken> => ({ token: `t${++asked}`, expiresInS: 900 }),
      () => nowMs,
    )
    t.teardown(token.stop)
    t.equal(token.peek(), null)
    t.same(await Promise.all([token.get(), token.get()]), ['t1', 't1'])
    nowMs = 700_000
    t.equal(await token.get(100), 't1', '200 s left are enough for 100')
    t.equal(await token.get(240), 't2', 'a track longer than that takes a new one')
    t.equal(await token.get(7200), 't2', 'no token lives for two hours: a fresh one will do')
    nowMs += 880_000
    t.equal(token.peek(), null, 'a token is not used in its last 30 s')
  },
)

t.test('a refused token is asked for again', async (t) => {
  let asked = 0
  const token = createRenewingToken(async () => {
    if (++asked === 1) throw new Error('refused')
    return { token: 'here', expiresInS: 60 }
  })
  t.teardown(token.stop)
  await t.rejects(token.get())
  t.equal(await token.get(), 'here')
})
