import { openData, readConfig } from '@solstice/adapters'
import { clips as clipContract, failureBody, xorWithToken } from '@solstice/contracts'
import { apply, learn, type UsableClips } from '@solstice/playout'
import { clipMedia, defaultSettings } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { reconcileMedia } from '../../../apps/jobs/src/processors/reconcile-media.ts'
import { filesToPrefetch } from '../../../apps/stream-worker/src/feeds/prefetch.ts'
import { host, NOON, playing, tracks } from '../../harness/air/programme.ts'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { startS3 } from '../../harness/servers/s3.ts'
import { openApp } from '../../harness/stations/app.ts'
import { followBroadcast, mustBeWhole, prepareStation } from '../../harness/stations/station.ts'

t.test('listeners and admins are redirected to the bucket, by links that outlive a song', async (t) => {
  const s3 = await startS3(t)
  const station = await openApp(t, { ...SUPER_ADMIN, STREAM_MODE: 'true', ...(await s3.env('led')) })
  const { app, ports } = station
  const { ask, token } = await asAdmin(station)
  const sound = Buffer.from('0123456789'.repeat(100))
  const { id } = await station.addTrack('day/100% + Ти & я.mp3', sound, { title: 'Ти & я', duration: 1000.2 })
  const { artToken, audioToken } = station.passes()
  const query = new URLSearchParams({ track: id, artToken, audioToken })
  t.match((await app.inject('/api/public/config')).json(), {
    musicSource: 'cloud',
    capabilities: { uploadTracks: true },
  })

  const fetched = async (url: string) => {
    const answer = await fetch(url, { headers: { range: 'bytes=10-14' } })
    t.same([answer.status, await answer.text()], [206, '01234'], url.slice(0, 60))
  }
  const led = await app.inject(`/api/audio/stream?${query}`)
  t.equal(led.statusCode, 302)
  t.equal(led.headers['cache-control'], 'no-store')
  await fetched(String(led.headers.location))
  const { url, ttl } = (await app.inject(`/api/audio/url?${query}`)).json()
  t.equal(ttl, 1061, 'a minute longer than the song')
  await fetched(url)
  const forAdmins = await ask(`GET /api/audio/stream/admin?${new URLSearchParams({ track: id })}`)
  t.equal(forAdmins.status, 302)
  await fetched(String(forAdmins.headers.location))
  const preview = await ask(
    'GET /api/admin/lyrics/audio-preview?title=%D0%A2%D0%B8%20%26%20%D1%8F&artist=Somebody',
  )
  await fetched(preview.body.url)
  t.equal(
    (await app.inject(`/api/audio/stream?${query.toString().replace(audioToken, 'x')}`)).statusCode,
    401,
  )

  const image = Buffer.from('as good as an image')
  await ports.media.put('arts/somebody.jpg', image)
  await ports.data.artists.put({ artist: 'somebody', hasArt: true, artFileName: 'somebody.jpg' })
  const art = (
    await app.inject({ url: '/api/art/url?artist=Somebody', headers: { 'x-art-token': artToken } })
  ).json()
  t.equal(art.ttl, 900)
  const plain = await fetch(art.url)
  t.equal(plain.headers.get('content-type'), 'image/jpeg')
  t.ok(image.equals(Buffer.from(await plain.arrayBuffer())), 'the image is not wrapped')
  const wrapped = await app.inject({ url: '/api/artist-art/somebody', headers: { 'x-art-token': artToken } })
  t.ok(image.equals(xorWithToken(wrapped.rawPayload, artToken)), 'asked of us it is')

  const clip = { family: 'jingles', filename: 'bell.mp3', mode: 'day' } as const
  const about = { id: 'bell', nameKey: 'bell.mp3', duration: 1, used: true, createdAt: 0 }
  await ports.data.clips.put({ ...clip, ...about })
  await ports.media.put(clipMedia(clip), sound)
  const { path } = clipContract.jingles.getAudio
  const bell = await ask(`GET ${path.replace(':id', 'bell')}`)
  t.match(bell.body, { ok: true })
  await fetched(bell.body.url)
  const { path: filePath } = clipContract.jingles.getFile
  const file = await ask(`GET ${filePath}?mode=day&filename=bell.mp3`)
  t.same([file.status, file.body], [404, failureBody('NOT_FOUND')])

  const download = `GET /api/admin/song-editor/download?${new URLSearchParams({ songId: id })}`
  const saved = await ask(download)
  t.ok(saved.bytes.equals(sound), 'a download comes through us')
  t.match(saved.headers, { 'content-type': 'audio/mpeg', 'content-disposition': /attachment/ })
  const policy = String((await app.inject('/api/public/config')).headers['content-security-policy'])
  for (const kind of ['img-src', 'media-src']) t.match(policy, new RegExp(`${kind} [^;]* ${s3.url}`))

  s3.requests.length = 0
  await reconcileMedia(ports)
  t.match(await ports.data.artists.find(), [{ artist: 'somebody', hasArt: true }])
  t.same(s3.requests, [], 'a start looks for nothing in the bucket')

  await s3.stop()
  const refused = await ask(download)
  t.same([refused.status, refused.body], [502, failureBody('STORAGE_URL_FAILED')])
  t.notMatch(refused.bytes.toString(), token)
})

t.test('upcoming files are known: also those of a talk, and of the song after it', async (t) => {
  const state = playing(tracks(30), 'sound')
  const music = { id: 'f', media: 'background/day/f.mp3', durationMs: 20_000 }
  const background: UsableClips['background'] = { usable: { day: [music], night: [] }, chosenBy: 'random' }
  const clips = learn(state, { type: 'clips', clips: { ...state.clips, background } }, NOON).state
  const hosted = { ...clips, live: { ...clips.live, participants: [host('h')] } }
  const songs = hosted.playlist.entries.map(({ track }) => track.id)
  t.same([...new Set(filesToPrefetch(hosted, NOON + 1))], [...songs.slice(0, 4), music.media])
  const pause = { type: 'pause-queue', socketId: 'h', when: 'now' } as const
  const talk = apply(hosted, pause, NOON + 5_000).state
  t.same([...new Set(filesToPrefetch(talk, NOON + 6_000))], [music.media, ...songs.slice(0, 4)])
})

t.test(
  'the broadcast continues from local files while the bucket is away, even when the worker dies',
  async (t) => {
    const s3 = await startS3(t)
    const names = ['C', 'D', 'E', 'F', 'G', 'A', 'H', 'I', 'J', 'K']
    const tones = names.map((name, i) => ({ name, hz: 300 + 60 * i, seconds: 3 }))
    const station = await prepareStation(t, tones, await s3.env('air'))
    s3.requests.length = 0
    const air = await followBroadcast(t, station)
    const workers = await Promise.all([station.startWorker(), station.startWorker()])
    const takesOver = (worker: (typeof workers)[number]) => worker.printed(/the station is on air/)
    const worker = await Promise.race(workers.map((one) => takesOver(one).then(() => one)))
    const standby = workers.find((one) => one !== worker)!
    const heard = () => {
      const markers = air.chunks.flatMap((chunk) => chunk.markers)
      const from = markers.findIndex((marker) => marker.entryId !== null)
      return from < 0
        ? []
        : markers.slice(from).filter((marker, i, all) => marker.entryId !== all[i - 1]?.entryId)
    }
    const songs = (count: number) => air.when(`${count} songs`, () => heard().length >= count)
    const requested = () =>
      s3.requests.flatMap((request) => /^GET \/air\/(day\/.\.mp3)/.exec(request)?.[1] ?? [])

    await songs(1)
    const isFetchedByBoth = () => {
      const files = new Set(requested())
      return files.size >= 4 && requested().length === 2 * files.size
    }
    while (!isFetchedByBoth()) await air.more(1)
    await s3.stop()
    const cached = new Set(requested())
    t.ok(cached.size < names.length, `${cached.size} of ${names.length} are here`)
    await songs(heard().length + 4)
    await worker.end('SIGKILL')
    await takesOver(standby)
    await songs(heard().length + 2)
    const played = heard().map((marker) => (marker.entryId === null ? null : marker.trackId))
    t.notOk(played.includes(null), 'never silent')
    t.same(
      played.filter((trackId) => trackId === null || !cached.has(trackId)),
      [],
      'only local files are played',
    )
    const starts = heard().map(({ frame }) => frame)
    const isShort = (frame: number, i: number) => i > 0 && frame - starts[i - 1]! < (2.5 * 44_100) / 1152
    if (mustBeWhole(t, air)) t.notOk(starts.some(isShort), 'none breaks off')

    const data = await openData(readConfig(station.env).config, pino({ level: 'silent' }))
    t.teardown(() => data.close())
    const value = { ...defaultSettings.generation, JINGLES_ENABLED: true, JINGLES_FREQUENCY: 1 }
    await data.settings.insert({ section: 'generation', value, revision: 1 })
    const jingle = { family: 'jingles', mode: 'day', duration: 1, used: true, createdAt: 0 } as const
    for (const id of ['one', 'two', 'three'])
      await data.clips.insert({ ...jingle, id, filename: `${id}.mp3`, nameKey: `${id}.mp3` })
    const usable: number[] = []
    const unfollow = await air.bus.follow(({ clips }) => usable.push(clips.jingles.usable.day.length))
    t.teardown(unfollow)
    await air.bus.send({ type: 'clips-changed' })
    // A slow machine may not see all three.
    const isLess = () => usable.some((count) => count > 0) && usable.at(-1)! < 3
    await air.when('jingles cannot be used', isLess)
    usable.length = 0
    await s3.start()
    await standby.printed(/the media storage is back/)
    await air.when('all jingles can be used', () => usable.includes(3))
  },
)
