import type { LyricsInput } from '@solstice/contracts'
import t, { type Test } from 'tap'
import { ApiError } from '../../api.ts'
import { createStore } from '../../ui/store.ts'
import type { IntakeProgress } from '../intake/intake.ts'
import { createUploadQueue, type UploadDeps } from './upload-queue.ts'

/** A station that answers as the test says, and a queue that talks to it. */
function open(t: Test, answers: Record<string, (body: never) => unknown> = {}, isOnline = true) {
  Object.assign(globalThis, { addEventListener() {}, removeEventListener() {} })
  const asked: { path: string; body: unknown }[] = []
  const held: (() => void)[] = []
  const usual: Record<string, (body: never) => unknown> = {
    'upload-check-duplicate': () => ({ exists: false }),
    'upload-song-lyrics': () => ({ lyricsEntry: { synced: false, lines: ['la'] } satisfies LyricsInput }),
    'upload-song-commit': ({ metadata }: { metadata: { storageKey: string } }) => ({
      track: { ...metadata, id: metadata.storageKey },
      lyricsStatus: 'plain',
    }),
    'upload-batch-delete': () => ({ results: [], removedArtists: [] }),
    ...answers,
  }
  const answer = async (key: string, input: { body?: unknown; signal?: AbortSignal }) => {
    const path = key.replace(/^\w+ \/api\/admin\//, '')
    asked.push({ path, body: input.body })
    const reply = await usual[path]!(input.body as never)
    input.signal?.throwIfAborted()
    return reply
  }
  const upload = async (_: string, { query, headers }: { query: { mode: string }; headers: object }) => {
    const filename = (headers as { 'X-File-Name': string })['X-File-Name']
    asked.push({ path: 'upload-song-file', body: filename })
    if (filename.startsWith('busy') && asked.length < 4)
      throw new ApiError(429, { error: { code: 'RATE_LIMITED' } })
    if (filename.startsWith('wait')) await new Promise<void>((resolve) => held.push(resolve))
    const storageKey = `${query.mode}/${filename}`
    const artist = filename.startsWith('bare') ? 'Unknown Artist' : 'Hilda'
    return {
      metadata: {
        artist,
        title: 'Tide',
        album: '',
        year: null,
        duration: 1,
        mode: query.mode,
        filename,
        storageKey,
      },
    }
  }
  const closing = new AbortController()
  t.teardown(() => closing.abort())
  const progress = createStore<IntakeProgress | null>(null)
  const queue = createUploadQueue({
    call: answer as unknown as UploadDeps['call'],
    upload: upload as unknown as UploadDeps['upload'],
    progress,
    isOnline: () => isOnline,
    retryMs: 1,
    closing: closing.signal,
    failed: (error) => t.fail(String(error)),
    artistsRemoved() {},
  })
  const add = (...names: string[]) =>
    queue.add(
      names.map((name) => ({ is: 'file', file: { name } as File })),
      'day',
    )
  const stages = () => queue.items.value.map(({ stage }) => stage.is)
  const reach = (wanted: string[]) =>
    new Promise<void>((resolve) => {
      const check = () => stages().join() === wanted.join() && resolve()
      queue.items.subscribe(check)
      check()
    })
  const paths = () => asked.map(({ path }) => path)
  return { queue, progress, asked, held, add, stages, reach, paths }
}

t.test('a file is checked, sent, given lyrics and saved, in this order', async (t) => {
  const { add, reach, paths, progress } = open(t)
  add('a.mp3')
  t.same(progress.value, { finished: 0, total: 1 })
  await reach(['done'])
  const steps = ['upload-check-duplicate', 'upload-song-file', 'upload-song-lyrics', 'upload-song-commit']
  t.same(paths(), steps)
  t.equal(progress.value, null)
})

t.test('three are on their way at once', async (t) => {
  const { add, reach, held } = open(t)
  add('wait1.mp3', 'wait2.mp3', 'wait3.mp3', 'd.mp3')
  await reach(['uploading', 'uploading', 'uploading', 'queued'])
  for (const release of held) release()
  await reach(['done', 'done', 'done', 'done'])
})

t.test('a file waits for its turn while the account uploads elsewhere', async (t) => {
  const { add, reach, paths } = open(t)
  add('busy.mp3')
  await reach(['done'])
  t.equal(paths().filter((path) => path === 'upload-song-file').length, 3)
})

t.test('a known name is a duplicate and is not sent', async (t) => {
  const { add, reach, paths } = open(t, { 'upload-check-duplicate': () => ({ exists: true }) })
  add('a.mp3')
  await reach(['duplicate'])
  t.same(paths(), ['upload-check-duplicate'])
})

t.test('a song without an artist waits for its tags, which are saved with it', async (t) => {
  const { queue, add, reach, asked } = open(t)
  add('bare.mp3')
  await reach(['ready'])
  queue.write('1', { title: 'Tide', artist: 'Marta', album: '', year: '1999' })
  queue.approve('1')
  await reach(['done'])
  t.match(asked.at(-1), { body: { metadata: { artist: 'Marta', year: '1999', storageKey: 'day/bare.mp3' } } })
  t.equal(asked.filter(({ path }) => path === 'upload-song-file').length, 1, 'the file is sent once')
})

t.test('a lookup that fails keeps no song from being saved', async (t) => {
  const empty = { synced: false, lines: [], notFound: true }
  const { add, reach, asked } = open(t, {
    'upload-song-lyrics': () => {
      throw new ApiError(500, { lyricsEntry: empty })
    },
  })
  add('a.mp3')
  await reach(['done'])
  t.match(asked.at(-1), { path: 'upload-song-commit', body: { lyricsEntry: empty } })
})

t.test('what is stopped while it is being saved is removed afterwards', async (t) => {
  let save = () => {}
  const { queue, add, reach, asked } = open(t, {
    'upload-song-commit': () =>
      new Promise((resolve) => {
        save = () => resolve({ track: {}, lyricsStatus: 'none' })
      }),
  })
  add('a.mp3')
  await reach(['saving'])
  queue.stop()
  save()
  await reach(['cancelled'])
  t.match(asked.at(-1), { path: 'upload-batch-delete', body: { songIds: ['day/a.mp3'] } })
})

t.test('a song that waits for its tags is sent again under the other mode', async (t) => {
  const { queue, add, reach, asked } = open(t)
  add('bare.mp3')
  await reach(['ready'])
  queue.setMode('1', 'night')
  await reach(['ready'])
  t.equal(queue.items.value[0]!.uploaded?.storageKey, 'night/bare.mp3')
  t.match(
    asked.filter(({ path }) => path === 'upload-batch-delete'),
    [{ body: { songIds: ['day/bare.mp3'] } }],
  )
})

t.test('what failed is tried again from where it was', async (t) => {
  let isAway = true
  const { queue, add, reach, paths } = open(t, {
    'upload-song-commit': ({ metadata }: { metadata: object }) => {
      if (isAway) throw new ApiError(503, {})
      return { track: metadata, lyricsStatus: 'none' }
    },
  })
  add('a.mp3')
  await reach(['failed'])
  isAway = false
  queue.retry('1')
  await reach(['done'])
  t.equal(paths().filter((path) => path === 'upload-song-file').length, 1)
})

t.test('without a connection an item waits, and goes on by itself from where it was', async (t) => {
  for (const isOnline of [true, false]) {
    let isAway = true
    const commit = ({ metadata }: { metadata: object }) => {
      if (isAway) throw new TypeError('away')
      return { track: metadata, lyricsStatus: 'none' }
    }
    const { queue, add, reach, paths, progress } = open(t, { 'upload-song-commit': commit }, isOnline)
    add('a.mp3')
    await reach(['waiting'])
    t.same(progress.value, { finished: 0, total: 1 })
    isAway = false
    // A connection that seems to be there is tried; one that is away tells when it is back.
    if (!isOnline) queue.resume()
    await reach(['done'])
    t.equal(paths().filter((path) => path === 'upload-song-file').length, 1, 'the file is sent once')
  }
})

t.test('a song whose commit was made, but not answered, is recognised as added', async (t) => {
  const isTaken = new ApiError(409, { error: { code: 'FILENAME_EXISTS' } })
  const stored = { artist: 'Hilda', title: 'Tide', duration: 1, lyricsStatus: 'plain' }
  for (const [name, rows, end] of [
    ['at once', [{}], 'done'],
    ['while the first attempt is still at work', [null, null, null, {}], 'done'],
    ['unless it is another song', [{ duration: 2 }], 'duplicate'],
    ['unless it has another name', [{ title: 'Ebb' }], 'duplicate'],
    ['unless there is none', Array.from({ length: 8 }, () => null), 'duplicate'],
  ] as const) {
    let asked = 0
    const { queue, add, reach } = open(t, {
      'upload-song-commit': () => {
        throw isTaken
      },
      'song-editor': () => {
        const row = rows[asked++]
        if (row === null) throw new ApiError(404, { error: { code: 'TRACK_NOT_FOUND' } })
        return { track: { id: 'day/a.mp3', ...stored, ...row } }
      },
    })
    add('a.mp3')
    await reach([end])
    t.equal(asked, rows.length, name)
    const { stage } = queue.items.value[0]!
    if (end === 'done')
      t.match(stage, { track: { id: 'day/a.mp3', storageKey: 'day/a.mp3' }, lyrics: 'plain' })
  }
})
