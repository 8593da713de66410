import { readConfig } from '@solstice/adapters'
import { allRoutes, type Route } from '@solstice/contracts'
import t from 'tap'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import { openLyricsService } from '../../harness/servers/services/lyrics-service.ts'
import { type OpenApp, openApp } from '../../harness/stations/app.ts'
import { useStores } from '../../harness/stations/stores.ts'
import { until } from '../../harness/until.ts'

useStores('sql+local')

const PASSWORD = SUPER_ADMIN.ADMIN_PASS
const UNLIMITED = { ...SUPER_ADMIN, LOGIN_ATTEMPTS_PER_15_MIN: '0' }
const FOREIGN = { host: 'evil.example:3001', origin: 'http://evil.example:3001' }

type Headers = Record<string, string>

async function post({ app }: OpenApp, path: string, payload: object, headers: Headers = {}) {
  const answer = await app.inject({ method: 'POST', url: `/api/admin/${path}`, headers, payload })
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
}
const logIn = async (station: OpenApp, login: string, password: string) =>
  (await post(station, 'login', { login, password })).body.token as string
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })
const verify = async ({ app }: OpenApp, token: string) =>
  (await app.inject({ url: '/api/admin/verify', headers: bearer(token) })).statusCode

t.test('a stolen token ends with its session', async (t) => {
  const station = await openApp(t, UNLIMITED)
  const root = bearer(await logIn(station, SUPER_ADMIN.ADMIN_LOGIN, PASSWORD))
  const made = await post(station, 'admins', { login: 'olena', password: 'Temporary1' }, root)
  const { adminId } = made.body.admin
  const activate = async (tempPassword: string, newPassword: string) => {
    const own = await logIn(station, 'olena', tempPassword)
    const passwords = { tempPassword, newPassword }
    t.equal((await post(station, 'admins/self/activate', passwords, bearer(own))).status, 200)
    return own
  }
  const put = (path: string, payload: object, headers: Headers) =>
    station.app.inject({ method: 'PUT', url: `/api/admin/admins/${path}`, headers, payload })
  let own = await activate('Temporary1', 'Own password 1')
  const steal = async (password: string) => {
    const stolen = await logIn(station, 'olena', password)
    t.equal(await verify(station, stolen), 200)
    return stolen
  }

  let stolen = await steal('Own password 1')
  await post(station, 'logout', {}, bearer(stolen))
  t.equal(await verify(station, stolen), 401, 'a logout')
  stolen = await steal('Own password 1')
  await put(
    'self/password',
    { currentPassword: 'Own password 1', newPassword: 'Own password 2' },
    bearer(own),
  )
  t.equal(await verify(station, stolen), 401, 'another password')
  t.equal(await verify(station, own), 200)
  stolen = await steal('Own password 2')
  await put(`${adminId}/reset-password`, { newPassword: 'Temporary2' }, root)
  t.equal(await verify(station, stolen), 401, 'a reset')
  own = await activate('Temporary2', 'Own password 3')
  t.equal(await verify(station, stolen), 401, 'a reset, and the activation after it')

  const client = openSocket(t, await station.app.listen({ port: 0, host: '127.0.0.1' }))
  await client.first('radio_hosts_mode')
  client.socket.emit('admin_active', own)
  await client.first('admin_confirmed')
  await post(station, 'logout', {}, bearer(own))
  await client.first<string>('admin_error', (text) => /ADMIN_INVALID_SESSION/.test(JSON.stringify(text)))
})

t.test('a page of a domain pointed at this machine is not a page of the station', async (t) => {
  const station = await openApp(t, UNLIMITED)
  const right = { login: SUPER_ADMIN.ADMIN_LOGIN, password: PASSWORD }
  const logInFrom = (headers: Headers) => post(station, 'login', right, headers)
  t.match(await logInFrom(FOREIGN), { status: 403, body: { error: { code: 'FORBIDDEN' } } })
  t.notOk('access-control-allow-origin' in (await logInFrom(FOREIGN)).headers)
  const token = await logIn(station, SUPER_ADMIN.ADMIN_LOGIN, PASSWORD)
  const cookie = { ...FOREIGN, cookie: `adminToken=${token}` }
  t.equal((await post(station, 'admins', { login: 'x', password: 'Temporary1' }, cookie)).status, 403)
  t.same(await station.ports.data.admins.find(), [])
  const url = await station.app.listen({ port: 0, host: '127.0.0.1' })
  for (const transports of [['websocket'], ['polling']])
    await t.rejects(openSocket(t, url, { headers: FOREIGN, transports }).first('radio_hosts_mode'))
  for (const host of ['localhost:3001', '192.168.1.5:3001', '[::1]:3001'])
    t.equal((await logInFrom({ host, origin: `http://${host}` })).status, 200, host)
})

t.test('replies to admins are never cached, nor embedded by foreign pages', async (t) => {
  const station = await openApp(t, { ...UNLIMITED, STREAM_MODE: 'true', RADIO_HOSTS_MODE: 'true' })
  const { ask } = await asAdmin(station)
  const isRead = ({ method, path }: Route) => method === 'GET' && path.startsWith('/api/admin/')
  let told = 0
  for (const { path } of (allRoutes as readonly Route[]).filter(isRead)) {
    const { status, headers } = await ask(`GET ${path.replace(/:\w+/g, 'nothing')}`)
    const isJson = String(headers['content-type']).startsWith('application/json')
    t.equal(headers['cache-control'], 'no-store', path)
    if (isJson) t.equal(headers['cross-origin-resource-policy'], 'same-origin', path)
    if (isJson && status === 200) told++
  }
  t.ok(told > 15, `${told} of them had something to tell`)
  const login = await post(station, 'login', { login: SUPER_ADMIN.ADMIN_LOGIN, password: PASSWORD })
  t.match(login, { status: 200, headers: { 'cache-control': 'no-store' } })
})

t.test('password attempts are limited and logged', async (t) => {
  const station = await openApp(t, SUPER_ADMIN)
  const { token } = await asAdmin(station, [])
  const statuses: number[] = []
  for (let i = 0; i < 11; i++) {
    const answer = await station.app.inject({
      method: 'PUT',
      url: '/api/admin/admins/self/password',
      headers: bearer(token),
      payload: { currentPassword: 'wrong', newPassword: 'Own password 9' },
    })
    statuses.push(answer.statusCode)
  }
  t.same(statuses, [...Array<number>(10).fill(400), 429], 'beside a token')
  await post(station, 'login', { login: SUPER_ADMIN.ADMIN_LOGIN, password: 'wrong' })
  await until('the failed login is in the audit log', async () => {
    const [entry] = await station.ports.data.audit.find({ operationType: 'admin_login_failed' })
    return entry?.adminId === 'super'
  })
  for (const weak of [{ ADMIN_PASS: 'a' }, { ART_TOKEN_SECRET: 'b' }, { JWT_SECRET: 'a'.repeat(64) }]) {
    const strong = { NODE_ENV: 'production', JWT_SECRET: '9f1c04b7d2e85a6630b19c4f7e2d8a51' }
    t.throws(() => readConfig({ ...strong, ...weak }), `${Object.keys(weak)} that can be guessed`)
  }
})

t.test('listeners can neither write nor corrupt lyrics', async (t) => {
  const service = await openLyricsService(t)
  const station = await openApp(t, { LYRICS_API_URL: service.url })
  await station.addTrack('day/own.mp3', null, { title: 'Own', artist: 'Hilda', album: 'Shores' })
  service.knows({ Own: { plainLyrics: 'la' } })
  const { artToken } = station.passes()
  const ask = (query: Record<string, string>) =>
    station.app.inject(`/api/lyrics?${new URLSearchParams({ artist: 'Hilda', token: artToken, ...query })}`)
  await ask({ title: 'Invented' })
  await ask({ title: 'Own', album: 'Wrong' })
  const kept = await station.ports.data.lyrics.find()
  t.match(kept, [{ key: 'hilda||own', lines: [{ text: 'la' }] }])
  t.equal(kept.length, 1)
})
