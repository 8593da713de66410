import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { defaultSettings, usableClips } from '@solstice/station'
import t from 'tap'
import { openStation, tone } from '../../../../../tests/harness/people/clips.ts'
import { useStores } from '../../../../../tests/harness/stations/stores.ts'
import { until } from '../../../../../tests/harness/until.ts'

useStores('sql+cloud')

t.test('clips on air follow their use, the settings and the mode; the worker is told', async (t) => {
  const { ports, ask, upload } = await openStation(t)
  const { data, config, redis } = ports
  const mp3 = await tone(t, 1)
  const told = async () =>
    (await redis.xrange('solstice:commands', '-', '+')).filter((entry) => /clips-changed/.test(`${entry}`))
      .length
  const idOf = ({ body }: Awaited<ReturnType<typeof upload>>) =>
    Object.values(body as Record<string, { id?: string }>).find((value) => value?.id)!.id!
  const bell = idOf(await upload('jingles', 'bell.mp3', mp3))
  const gong = idOf(await upload('jingles', 'gong.mp3', mp3, '?mode=night'))
  const hello = idOf(await upload('phrases', 'hello.mp3', mp3))
  const again = idOf(await upload('phrases', 'again.mp3', mp3))
  const bed = idOf(await upload('background-music', 'bed.mp3', mp3))
  await until('the air is told of each', async () => (await told()) >= 5)

  const { generation } = defaultSettings
  let revision = 0
  const set = async (changed: Partial<typeof generation>) => {
    const record = {
      section: 'generation' as const,
      value: { ...generation, ...changed },
      revision: ++revision,
    }
    await (revision === 1
      ? data.settings.insert(record)
      : data.settings.update({ section: 'generation' }, record))
  }
  const onAir = async (station = config) => {
    const { jingles, phrases } = await usableClips(data, station)
    const ids = (usable: typeof jingles.usable) =>
      [usable.day, usable.night].map((of) => of.map(({ id }) => id))
    return { jingles: ids(jingles.usable), phrases: ids(phrases.usable).map((of) => of.toSorted()) }
  }
  const none = { jingles: [[], []], phrases: [[], []] }
  t.same(await onAir(), none, 'both are off at first')
  await set({ JINGLES_ENABLED: true, JINGLES_FREQUENCY: 4, PHRASES_ENABLED: true })
  const all = { jingles: [[bell], [gong]], phrases: [[hello, again].toSorted(), []] }
  t.same(await onAir(), all)
  t.match(await usableClips(data, config), {
    jingles: {
      required: 3,
      frequency: 4,
      usable: { day: [{ media: 'jingles/day/bell.mp3', durationMs: Number }] },
    },
    phrases: { offsetMs: 15_000 },
  })
  t.same(await onAir({ ...config, streamMode: false }), none)
  const expected = { usable: { day: [{ id: bed, media: 'background/day/bed.mp3' }], night: [] } }
  t.match((await usableClips(data, config)).background, { ...expected, chosenBy: 'random' })
  t.same((await usableClips(data, { ...config, radioHostsMode: false })).background.usable.day, [])
  const radioHosts = { ...defaultSettings.radioHosts, backgroundMusicMode: 'hostChoice' as const }
  await data.settings.insert({ section: 'radioHosts', value: radioHosts, revision: 1 })
  t.match((await usableClips(data, config)).background, { ...expected, chosenBy: 'hosts' })
  await ask('POST', `phrases/${again}/used`, { used: false })
  t.same((await onAir()).phrases, [[hello], []], 'what is not used never goes on air')
  const named = { PHRASES_ENABLED: true, PHRASES_RANDOM: false, PHRASES_DEFAULT_TIME: false }
  await set({ ...named, PHRASES_DAY_ID: hello, PHRASES_NIGHT_ID: hello, PHRASES_TIME_SECONDS: 99 })
  t.same((await onAir()).phrases, [[hello], []], 'nor in the other mode')
  t.equal((await usableClips(data, config)).phrases.offsetMs, 30_000)
  await set({ ...named, PHRASES_DAY_ID: again, JINGLES_RANDOM: true })
  t.same(await onAir(), none)
  t.equal((await usableClips(data, config)).jingles.frequency, 'random')
})

t.test('video links: replies of a station without video import', async (t) => {
  const { ask, ports } = await openStation(t, { VIDEODOWN_PATH: '/nowhere/tool' })
  t.match(await ask('GET', 'videodown-status'), {
    status: 200,
    body: { ok: true, available: false, videodownAvailable: false, ffmpegAvailable: true },
  })
  for (const [url, status] of [
    ['https://www.youtube.com/watch?v=abc', 503],
    ['https://youtu.be/abc', 503],
    [undefined, 400],
    ['', 400],
    ['http://youtube.com/watch?v=abc', 400],
    ['https://evilyoutube.com/watch?v=abc', 400],
    ['https://youtube.com.evil.example/', 400],
    ['https://youtube.com:8443/watch?v=abc', 400],
    ['https://user@youtube.com/watch?v=abc', 400],
    ['file:///etc/passwd', 400],
    ['https://169.254.169.254/youtube.com', 400],
  ] as const) {
    for (const path of ['upload-song-url', 'video-track-info']) {
      t.equal((await ask('POST', path, { url })).status, status, `${path} ${url}`)
    }
  }
  const playlist = { url: 'https://www.youtube.com/playlist?list=abc' }
  t.match(await ask('POST', 'upload-song-url', playlist), {
    status: 400,
    body: { error: { reason: 'link_playlist' } },
  })
  t.equal((await ask('POST', 'video-track-info', playlist)).status, 503)

  for (const cookies of [undefined, '  ', 'example.com\tTRUE\t/\tTRUE\t0\ta\tb']) {
    t.equal((await ask('POST', 'video-cookies', { cookies })).status, 400)
  }
  const cookies = '.youtube.com\tTRUE\t/\tTRUE\t0\ta\tsecret'
  t.same((await ask('POST', 'video-cookies', { cookies })).body, { ok: true })
  const { stdout } = await promisify(execFile)('redis-cli', [
    '-u',
    ports.config.redis as string,
    'ttl',
    'solstice:video-cookies',
  ])
  t.ok(Number(stdout) > 86_000 && Number(stdout) <= 86_400, 'kept for a day')
})
