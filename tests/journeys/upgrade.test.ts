import type { HistoryItem, RadioState } from '@solstice/contracts'
import t from 'tap'
import { decode, melody } from '../harness/audio/audio.ts'
import { command, SUPER_ADMIN } from '../harness/people/admin.ts'
import { openSocket } from '../harness/people/socket-client.ts'
import { openPaymentServices } from '../harness/servers/services/payment-services.ts'
import { type Known, takeUpFrom } from '../harness/stations/left-behind.ts'
import { listen, prepareStation } from '../harness/stations/station.ts'
import { until } from '../harness/until.ts'

const pitches = [440, 523, 587, 659, 698, 784, 880, 988, 1047, 1175]
const BYTES_PER_S = 16_000

t.test('a station of version 0.1.0 is upgraded without a visible change', async (t) => {
  const services = await openPaymentServices(t)
  const tones = pitches.map((hz) => ({ name: `Tone ${hz}`, hz, seconds: 60 }))
  const settings = {
    ...SUPER_ADMIN,
    ...services.env,
    DONATIONS_PROVIDER: 'kofi',
    QUEUE_ADD_COOLDOWN_S: '0',
    RADIO_HOSTS_MODE: 'true',
  }
  const station = await prepareStation(t, tones, settings)
  const known = await takeUpFrom(t, '0.1.0', station)
  const [{ url }] = await Promise.all([station.startApi(), station.startWorker(), station.startJobs()])
  const client = openSocket(t, url)
  const [listening, sync] = await Promise.all([
    listen(t, `${url}/api/stream/public.mp3`),
    client.first<RadioState>('sync', (state) => state.isPlaying),
  ])

  t.ok(Number(listening.response.headers['x-stream-frame']) > Number(known.frame), 'frames are counted on')

  const login = await post(`${url}/api/admin/login`, {
    login: SUPER_ADMIN.ADMIN_LOGIN,
    password: SUPER_ADMIN.ADMIN_PASS,
  })
  const authorization = `Bearer ${((await login.json()) as { token: string }).token}`
  // biome-ignore lint/suspicious/noExplicitAny: the body of any route
  const ask = async (path: string): Promise<any> =>
    (await fetch(`${url}/api/${path}`, { headers: { authorization } })).json()
  const admin = openSocket(t, url, { headers: { authorization } })
  admin.socket.emit('admin_active', authorization.slice('Bearer '.length))
  await admin.first('admin_confirmed')

  // First the song on air, then the ones to come, even if the processes started slowly.
  const { items } = (await admin.ask('get_queue', { offset: 0, limit: 10 })) as Known['queue']
  const promised = [known.sync.track, ...known.queue.items.map(({ id }) => id)]
  const onAir = promised.indexOf(sync.track!)
  t.ok(onAir >= 0 && onAir < 3, `${sync.track} is on air`)
  if (onAir === 0) t.ok(sync.seek! > known.sync.seek, 'and goes on where it was')
  t.same(
    items.slice(0, promised.length - onAir - 1).map(({ id }) => id),
    promised.slice(onAir + 1),
    'the same tracks come next',
  )
  const requests = await admin.first<{ song: { id: string } }[]>(
    'suggestions_update',
    (all) => all.length > 0,
  )
  t.same(
    requests.map(({ song }) => song.id),
    ['day/Tone 1175.mp3'],
    'the request still waits',
  )
  t.match(await ask('admin/admins'), { admins: [{ login: 'helper' }] })
  t.match(await ask('admin/song-groups'), { items: [{ name: 'Pair', songCount: 2 }] })
  t.match(await ask('admin/jingles'), { items: [{ filename: 'jingle.mp3' }] })
  t.match(await ask(`admin/donations/${known.another.donationId}/ledger`), {
    entries: [{ event: 'created' }],
  })

  const heard = melody(await decode(await listening.received(10 * BYTES_PER_S)), pitches)
  const sound = heard.slice(heard.findIndex((hz) => hz !== null))
  t.ok(sound.length > 100 && !sound.includes(null), 'it is never silent once it sounds')
  // A listener hears the broadcast of some seconds ago.
  const now = promised.slice(Math.max(0, onAir - 1), onAir + 2)
  t.ok(now.includes(`day/Tone ${sound[0]}.mp3`), 'and it is the track on air')
  // The paid track is next, and need not wait for the end of this one.
  if (onAir === 0) t.match(await command(admin, 'admin_skip_song'), { code: 'QUEUE_SONG_SKIPPED' })
  await until('the paid track is remembered as aired', async () => {
    const { entries } = await ask(`admin/donations/${known.order.donationId}/ledger`)
    return entries.some(({ event }: { event: string }) => event === 'on-air')
  })
  const history = ((await ask('history')) as HistoryItem[]).map(({ trackId }) => trackId)
  t.same(history, promised.slice(0, history.length), 'each track is in the history once')
})

const post = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
