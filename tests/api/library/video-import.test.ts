import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { openVideoTools, workJobs } from '@solstice/adapters'
import type { QueueReport } from '@solstice/contracts'
import { WORKING_COPY } from '@solstice/station'
import { Queue } from 'bullmq'
import t from 'tap'
import { processorsOf } from '../../../apps/jobs/src/processors/index.ts'
import { recurrences } from '../../../apps/jobs/src/schedule.ts'
import { asAdmin } from '../../harness/people/admin.ts'
import { openSocket } from '../../harness/people/socket-client.ts'
import { isAlive, start } from '../../harness/processes/processes.ts'
import { programOf } from '../../harness/processes/programs.ts'
import type { OpenApp } from '../../harness/stations/app.ts'
import { exists, linkTo, MAPPED, openVideoStation, SITE } from '../../harness/stations/kinds/video-station.ts'
import { startJobs } from '../../harness/stations/workers.ts'
import { until } from '../../harness/until.ts'

const COOKIES = '.video.example\tTRUE\t/\tTRUE\t0\tname\tsecret'

const { station, tool, origin, admin, runs, runOf, isGone, staged, upload } = await openVideoStation(t)
const { ports, app } = station
const { media, jobs } = ports
const { ask } = admin

t.test('the sound waits for its commit like an uploaded file, and then becomes a track', async (t) => {
  await startJobs(t, ports)
  t.match((await ask('GET /api/admin/videodown-status')).body, {
    ok: true,
    available: true,
    videodownAvailable: true,
    ffmpegAvailable: true,
  })
  const helper = await asAdmin(station, ['upload_songs'])
  const [mine, other] = [openSocket(t, origin), openSocket(t, origin)]
  for (const [client, { token }] of [
    [mine, helper],
    [other, admin],
  ] as const) {
    client.socket.emit('admin_active', token)
    await client.first('admin_confirmed')
  }
  t.equal((await ask('POST /api/admin/video-cookies', { cookies: COOKIES })).status, 200)
  const { status, body } = await helper.ask('POST /api/admin/upload-song-url', { url: linkTo('song') })
  t.equal(status, 200)
  t.match(body, {
    ok: true,
    storageKey: 'day/AC_DC - Song.mp3',
    metadata: { title: 'Song', artist: 'AC/DC', album: 'Album', year: 1999, mode: 'day' },
  })
  t.same(await staged(), ['.staged/day/AC_DC - Song.mp3'])
  t.match(await mine.first('job_progress', ({ state }: { state: string }) => state === 'done'), {
    name: 'import-video',
    done: 100,
  })
  t.same(other.all('job_progress'), [], 'only who asked is told')

  const run = await runOf('song')
  t.match(run.cookies, { text: `# Netscape HTTP Cookie File\n${COOKIES}\n`, mode: 0o600 })
  t.notOk(await exists(run.folder), 'nothing is left of it')
  t.same(
    Object.keys(run.env)
      .filter((name) => !name.startsWith('__') && !isOfRunner(name, run.env))
      .sort(),
    ['HOME', 'LANG', 'PATH', 'TMPDIR', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'YTDLP_NO_PLUGINS'],
    'it knows nothing of ours',
  )
  t.match(run.args[run.args.indexOf('--proxy') + 1], /^http:\/\/127\.0\.0\.1:\d+$/)
  t.ok(['--ignore-config', '--no-exec', '--no-playlist'].every((option) => run.args.includes(option)))

  t.equal((await upload('song')).status, 200, 'a waiting upload is replaced')
  const commit = await ask('POST /api/admin/upload-song-commit', { metadata: body.metadata })
  t.match(commit, { status: 200, body: { track: { id: 'day/AC_DC - Song.mp3', artist: 'AC/DC' } } })
  t.ok(commit.body.track.duration > 0.9)
  t.match(await upload('song'), { status: 409, body: { error: { code: 'FILENAME_EXISTS' } } })
  t.match((await upload('Tune')).body.metadata, { title: 'Tune', artist: 'The Band', year: null })
  await media.delete('.staged/day/The Band - Tune.mp3')
  t.same(await staged(), [])
})

t.test('an unavailable video is refused, and leaves nothing behind', async (t) => {
  await startJobs(t, ports)
  const refusals = {
    private: 'video_unreadable',
    endless: 'video_unreadable',
    garbage: 'video_unreadable',
    nothing: 'video_unreadable',
    large: 'video_large',
    listed: 'link_playlist',
    elsewhere: 'link_foreign',
  }
  for (const [video, reason] of Object.entries(refusals)) {
    const error = { code: 'BAD_REQUEST', field: 'url', reason }
    t.match(await upload(video), { status: 400, body: { error } }, video)
    await isGone(await runOf(video))
  }
  const count = (await runs()).length
  for (const host of ['127.0.0.1', '169.254.169.254', 'localhost', MAPPED, '[::1]', '10.0.0.1']) {
    for (const path of ['upload-song-url', 'video-track-info'])
      t.equal(
        (await ask(`POST /api/admin/${path}`, { url: `https://${host}/watch?v=song` })).status,
        400,
        host,
      )
  }
  t.equal((await runs()).length, count, 'the tool is not even started')
  t.same(await staged(), [])
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith(`${WORKING_COPY}video`))
  t.notOk((await runs()).some((run) => left.some((name) => run.folder.endsWith(name))))
})

t.test('a playlist shows its first hundred tracks and the total', async (t) => {
  await startJobs(t, ports)
  const list = (await ask('POST /api/admin/video-track-info', { url: `${SITE}/playlist?list=abc` })).body
  t.match(list, { ok: true, total: 250, truncated: true })
  t.equal(list.tracks.length, 100)
  t.same(list.tracks[0], { url: linkTo('n0'), title: 'Number 0' })
  const one = await ask('POST /api/admin/video-track-info', { url: linkTo('single'), lang: 'uk' })
  t.same(one.body, {
    ok: true,
    tracks: [{ url: linkTo('single'), title: 'The Band - single' }],
    total: 1,
    truncated: false,
  })
})

t.test('two imports run at a time; cancelling one ends the tool and all its children', async (t) => {
  await startJobs(t, ports)
  const before = (await runs()).filter(({ id }) => id === 'hang').length
  const going = [1, 2, 3].map(() => post(origin, 'upload-song-url', admin.token, linkTo('hang')))
  const run = await runOf('hang', before + 2)
  t.ok(isAlive(run.pid) && isAlive(run.child!))
  await until('one waits for its turn', async () => (await board(jobs, 'downloads')).counts.waiting === 1)
  t.equal((await board(jobs, 'downloads')).counts.active, 2)
  for (const { destroy } of going) destroy()
  for (const run of (await runs()).slice(-2)) await isGone(run)
  await until('the queue is empty', async () => {
    const { waiting, active } = (await board(jobs, 'downloads')).counts
    return waiting + active === 0
  })
  t.match((await board(jobs, 'downloads')).jobs[0], {
    name: 'import-video',
    state: 'failed',
    failedReason: 'nobody waits for it any more',
  })
})

t.test('an import that takes too long is ended', async (t) => {
  const videoTools = openVideoTools(ports.config, ports.redis, ports.log, {
    listMs: 1_000,
    downloadMs: 1_000,
  })
  await startJobs(t, { ...ports, videoTools })
  const before = (await runs()).filter(({ id }) => id === 'hang').length
  t.match(await upload('hang'), { status: 504, body: { error: { code: 'TOOL_TIMEOUT' } } })
  // On a busy machine it may not even have reached its first line.
  const late = (await runs()).filter(({ id }) => id === 'hang').slice(before)
  for (const run of late) await isGone(run)
})

t.test(
  'when the jobs process is killed the tool dies with it, and the next process does the job',
  async (t) => {
    const { config } = ports
    const doomed = start(t, 'node', [await programOf('apps/jobs/src/main.ts')], {
      JWT_SECRET: config.jwtSecret,
      REDIS_URL: config.redis as string,
      DATA_DIR: config.dataDir,
      MEDIA_DIR: config.mediaDir,
      DEMO_LIBRARY: 'false',
      LYRICS_API_URL: '',
      VIDEODOWN_PATH: tool,
      VIDEO_SITE_HOSTS: config.videoSiteHosts.join(),
    })
    await doomed.printed(/taking jobs/)
    const answer = upload('slow')
    const run = await runOf('slow')
    t.equal(run.cookies, null, 'cookies are forgotten when the jobs start')
    await doomed.end('SIGKILL')
    await startJobs(t, ports)
    await isGone(run)
    t.match((await answer).body, { ok: true, storageKey: 'day/The Band - slow.mp3' })
    t.same(await staged(), ['.staged/day/The Band - slow.mp3'])
    await isGone(await runOf('slow', 2))
  },
)

t.test('the waiting queue is limited, and an entry leaves it with its requester', async (t) => {
  const leaving = new AbortController()
  const ends = Array.from({ length: 10 }, () =>
    jobs.performWhileConnected('list-videos', { url: linkTo('song') }, leaving.signal),
  )
  for (const end of ends) end.catch(() => {})
  await until('ten wait for their turn', async () => (await board(jobs, 'listings')).counts.waiting === 10)
  await t.rejects(jobs.performWhileConnected('list-videos', { url: linkTo('song') }, leaving.signal), {
    code: 'RATE_LIMITED',
  })
  leaving.abort()
  for (const end of ends) await t.rejects(end)
  t.equal((await board(jobs, 'listings')).counts.waiting, 0)
})

t.test('the board shows the queues, and retries a failed job', async (t) => {
  const { config, log, redis } = ports
  const worker = await workJobs(config.redis, processorsOf(ports), recurrences(ports), log)
  t.teardown(() => worker.close())
  const queue = new Queue('jobs', { connection: redis, prefix: 'solstice' })
  const secret = 'unknown https://user:password@host.example/path?token=secret'
  const { id } = await queue.add(secret, { secret: 'a body' })
  await queue.close()
  const read = async (query: string) =>
    (await ask(`GET /api/admin/jobs?${query}`)).body.queues as QueueReport[]
  const failed = async () => (await read('queue=jobs&state=failed'))[0]!
  await until('the job has failed', async () => (await failed()).counts.failed === 1)
  t.match(await failed(), {
    name: 'jobs',
    total: 1,
    jobs: [
      {
        id,
        state: 'failed',
        attempts: 1,
        failedReason: 'there is no job named unknown https://host.example',
      },
    ],
  })
  const all = await read('limit=100')
  t.match(
    all.flatMap(({ recurrences }) => recurrences.map(({ name, nextAt }) => [name, nextAt! > 0])).sort(),
    recurrences(ports)
      .map(({ name }) => [name, true])
      .sort(),
  )
  t.same(all.map(({ name }) => name).slice(0, 2), ['jobs', 'background'])
  const downloads = all.find(({ name }) => name === 'downloads')!
  t.equal(downloads.jobs.length, downloads.total)
  t.equal(downloads.total, downloads.counts.completed + downloads.counts.failed)
  t.notMatch(JSON.stringify(downloads), '93.184', 'nothing of what jobs are given')
  const [page] = await read('queue=downloads&offset=1&limit=2')
  t.same(page!.jobs, downloads.jobs.slice(1, 3))

  const retry = (queue: string, job: string) =>
    ask(`POST /api/admin/jobs/${queue}/${encodeURIComponent(job)}/retry`)
  t.equal((await retry('jobs', id!)).status, 200)
  t.match(await ports.data.audit.find({ operationType: 'job_retry' }), [
    { data: { queue: 'jobs', jobId: id, name: secret } },
  ])
  await until('it has failed again', async () => (await failed()).jobs[0]?.finishedAt !== undefined)
  const planned = (await read('queue=jobs&state=delayed'))[0]!.jobs[0]!
  t.match(await retry('jobs', planned.id), { status: 400, body: { error: { reason: 'job_not_failed' } } })
  const unwanted = downloads.jobs.find(({ state }) => state === 'failed')!
  t.match(await retry('downloads', unwanted.id), {
    status: 400,
    body: { error: { reason: 'job_awaited' } },
  })
  t.equal((await retry('jobs', 'nothing')).status, 404)
  t.equal((await retry('nothing', id!)).status, 404)
  t.equal((await ask('GET /api/admin/jobs?queue=nothing')).status, 404)
  t.equal((await ask('GET /api/admin/jobs?limit=101')).status, 200)
  t.equal((await (await asAdmin(station, ['upload_songs'])).ask('GET /api/admin/jobs')).status, 403)
})

t.test('a replica that closes gives up what it waits for', async (t) => {
  await startJobs(t, ports)
  const before = (await runs()).filter(({ id }) => id === 'hang').length
  const answer = upload('hang')
  const run = await runOf('hang', before + 1)
  await app.close()
  t.match(await answer, { status: 503, body: { error: { code: 'JOBS_UNAVAILABLE' } } })
  await isGone(run)
})

/** A request that can be aborted, as a browser does. */
function post(origin: string, path: string, token: string, url: string): { destroy(): void } {
  const asking = request(`${origin}/api/admin/${path}`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })
  asking.on('error', () => {})
  asking.end(JSON.stringify({ url }))
  return { destroy: () => void asking.destroy() }
}

async function board(jobs: OpenApp['ports']['jobs'], queue: string): Promise<QueueReport> {
  const [report] = await jobs.board({ queue, offset: 0, limit: 100 })
  return report!
}

/** `tap run` gives the processes that a test starts variables of its own. */
const isOfRunner = (name: string, env: Record<string, string>): boolean =>
  name.startsWith('_TAPJS_') || (name === 'NODE_OPTIONS' && env[name]!.includes('@tapjs'))
