import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import type { MediaStorage } from '@solstice/station'
import t, { type Test } from 'tap'
import { start, temporaryFolder } from '../../../tests/harness/processes.ts'
import { programOf } from '../../../tests/harness/programs.ts'
import { openLocalMedia } from './media-local.ts'

/** A storage in `<folder>/media`, with a secret beside it and one in a folder whose name begins alike. */
async function openIn(t: Test) {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'media-old'))
  await writeFile(join(folder, 'secret.mp3'), 'secret')
  await writeFile(join(folder, 'media-old', 'secret.mp3'), 'secret')
  const root = join(folder, 'media')
  return { folder, root, media: await openLocalMedia(root) }
}

async function place(root: string, path: string, content = 'content'): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), content)
}

const everyUse = (media: MediaStorage, key: string): [string, () => Promise<unknown>][] => [
  ['stat', () => media.stat(key)],
  ['open', () => media.open(key)],
  ['source', () => media.source(key)],
  ['put', () => media.put(key, Buffer.from('overwritten'))],
  ['delete', () => media.delete(key)],
]

t.test('music lies under music/<mode>, the rest where its key says', async (t) => {
  const { root, media } = await openIn(t)
  await media.put('day/a.mp3', Buffer.from('day'))
  await media.put('night/a.mp3', Readable.from(['ni', 'ght']))
  await media.put('arts/a.jpg', new Uint8Array([1, 2, 3]))
  await media.put('jingles/day/a.mp3', Buffer.from('jingle'))
  t.equal(readFileSync(join(root, 'music/day/a.mp3'), 'utf8'), 'day')
  t.equal(readFileSync(join(root, 'music/night/a.mp3'), 'utf8'), 'night')
  t.equal(readFileSync(join(root, 'jingles/day/a.mp3'), 'utf8'), 'jingle')
  t.same(await buffer(await media.open('arts/a.jpg')), Buffer.from([1, 2, 3]))
  t.match(await media.stat('day/a.mp3'), { size: 3, modifiedMs: Number })
  t.equal(await media.source('day/a.mp3'), join(root, 'music/day/a.mp3'))
})

t.test('names in any script and with any sign work', async (t) => {
  const { media } = await openIn(t)
  const names = [
    'Океан Ельзи - Обійми.mp3',
    '100% + you & me.mp3',
    '%2e%2e%2f.mp3',
    '月 🌙 #1?.mp3',
    "it's; $(x) `y`.mp3",
  ]
  for (const name of names) {
    await media.put(`day/${name}`, Buffer.from(name))
    t.equal(await text(await media.open(`day/${name}`)), name)
  }
  t.same(await media.list('day'), names.map((name) => `day/${name}`).sort())
})

t.test('a range is served with both ends', async (t) => {
  const { media } = await openIn(t)
  await media.put('day/a.mp3', Buffer.from('0123456789'))
  t.equal(await text(await media.open('day/a.mp3', { start: 2, end: 4 })), '234')
  t.equal(await text(await media.open('day/a.mp3', { start: 9, end: 9 })), '9')
})

t.test('a key that would leave its place is refused for every use, and nothing is touched', async (t) => {
  const { folder, media } = await openIn(t)
  const hostile = [
    '',
    '/',
    '.',
    '..',
    '../secret.mp3',
    '../media-old/secret.mp3',
    'day/../../../secret.mp3',
    'day/../../media-old/secret.mp3',
    'arts/../../secret.mp3',
    'day/..',
    'day/./a.mp3',
    'day//a.mp3',
    'day/',
    '/etc/passwd',
    '//etc/passwd',
    `${folder}/secret.mp3`,
    '..\\secret.mp3',
    'day\\..\\..\\secret.mp3',
    'C:\\secret.mp3',
    'day/a.mp3\0.jpg',
    'day/\0',
    'day/a\nb.mp3',
    'day/\ud800.mp3',
    `day/${'a'.repeat(252)}.mp3`,
    `day/${'ї'.repeat(130)}.mp3`,
  ]
  for (const key of hostile) {
    for (const [use, act] of everyUse(media, key))
      await t.rejects(act(), { code: 'BAD_REQUEST' }, `${use} ${JSON.stringify(key.slice(0, 40))}`)
  }
  for (const listed of ['..', '../media-old', '/', 'day/..'])
    await t.rejects(media.list(listed), { code: 'BAD_REQUEST' })
  t.equal(readFileSync(join(folder, 'secret.mp3'), 'utf8'), 'secret')
  t.equal(readFileSync(join(folder, 'media-old/secret.mp3'), 'utf8'), 'secret')
})

t.test('a link that leads out is not followed; one within is', async (t) => {
  const { folder, root, media } = await openIn(t)
  await place(root, 'music/day/real.mp3', 'real')
  await symlink(join(folder, 'secret.mp3'), join(root, 'music/day/out.mp3'))
  await symlink('real.mp3', join(root, 'music/day/in.mp3'))
  await symlink('loop.mp3', join(root, 'music/day/loop.mp3'))
  await symlink(join(folder, 'media-old'), join(root, 'arts'))

  t.equal(await text(await media.open('day/in.mp3')), 'real')
  t.equal(await media.stat('day/loop.mp3'), null)
  for (const key of ['day/out.mp3', 'arts/secret.mp3'])
    for (const [use, act] of everyUse(media, key).slice(0, 3))
      await t.rejects(act(), { code: 'BAD_REQUEST' }, `${use} ${key}`)
  await t.rejects(media.list('arts'), { code: 'BAD_REQUEST' })
  await t.rejects(media.put('arts/new.jpg', Buffer.from('x')), { code: 'BAD_REQUEST' })
  await t.rejects(media.put('arts/deep/new.jpg', Buffer.from('x')), { code: 'BAD_REQUEST' })
  await t.rejects(media.delete('arts/secret.mp3'), { code: 'BAD_REQUEST' })
  t.same(readdirSync(join(folder, 'media-old')), ['secret.mp3'])

  await media.put('day/out.mp3', Buffer.from('mine'))
  t.equal(await text(await media.open('day/out.mp3')), 'mine', 'a new file takes the place of the link')
  t.equal(readFileSync(join(folder, 'secret.mp3'), 'utf8'), 'secret')
})

t.test('what is not there is null or NOT_FOUND, and so is a folder', async (t) => {
  const { root, media } = await openIn(t)
  await place(root, 'music/day/folder.mp3/a.mp3')
  for (const key of ['day/none.mp3', 'nowhere/none.mp3', 'day/folder.mp3', 'day/folder.mp3/a.mp3/b.mp3']) {
    t.equal(await media.stat(key), null)
    await t.rejects(media.open(key), { code: 'NOT_FOUND' })
    await t.rejects(media.source(key), { code: 'NOT_FOUND' })
  }
  await media.delete('day/none.mp3')
  await media.delete('nowhere/none.mp3')
  await place(root, 'music/day/a.mp3')
  await media.delete('day/a.mp3')
  t.notOk(existsSync(join(root, 'music/day/a.mp3')))
})

t.test('put replaces in one step: who reads meanwhile reads the old file to its end', async (t) => {
  const { media } = await openIn(t)
  await media.put('day/a.mp3', Buffer.from('old'))
  const reading = await media.open('day/a.mp3')
  await media.put('day/a.mp3', Buffer.from('newer'))
  t.equal(await text(reading), 'old')
  t.equal(await text(await media.open('day/a.mp3')), 'newer')
})

t.test('a put that breaks off changes nothing and leaves nothing', async (t) => {
  const { root, media } = await openIn(t)
  await media.put('day/a.mp3', Buffer.from('old'))
  const broken = Readable.from(
    (async function* () {
      yield 'half'
      throw new Error('the sender is gone')
    })(),
  )
  await t.rejects(media.put('day/a.mp3', broken), { message: 'the sender is gone' })
  t.same(readdirSync(join(root, 'music/day')), ['a.mp3'])
  t.equal(await text(await media.open('day/a.mp3')), 'old')
})

t.test('a put whose sender is gone ends, whenever that was, and leaves nothing', async (t) => {
  const { root, media } = await openIn(t)
  await media.put('.staged/day/kept.mp3', Buffer.from('kept'))
  const gone = new PassThrough()
  gone.destroy(new Error('gone before'))
  const leaving = new PassThrough()
  leaving.write('half')
  const silent = new PassThrough()
  silent.write('half')
  const puts = [gone, leaving, silent].map((sender, i) => media.put(`.staged/day/${i}.mp3`, sender))
  leaving.destroy(new Error('gone at once'))
  setImmediate(() => silent.destroy())
  t.match(await Promise.allSettled(puts), [
    { status: 'rejected', reason: { message: 'gone before' } },
    { status: 'rejected', reason: { message: 'gone at once' } },
    { status: 'rejected', reason: { code: 'ERR_STREAM_PREMATURE_CLOSE' } },
  ])

  const server = createServer(async (request, answer) => {
    const error = await media.put('.staged/day/request.mp3', request).catch((error) => error)
    server.emit('refused', error)
    answer.destroy()
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const upload = sendRequest({ port, method: 'POST', headers: { 'content-length': 1_000_000 } })
  upload.on('error', () => {})
  upload.write('half', () => upload.destroy())
  const [error] = await once(server, 'refused')
  t.equal(error.code, 'ECONNRESET')
  t.same(readdirSync(join(root, '.staged/day')), ['kept.mp3'])
})

t.test('a full disk refuses with its own error, and the partial file is gone', async (t) => {
  const { root, media } = await openIn(t)
  await media.put('day/a.mp3', Buffer.from('a'))
  const script = `
    import { openLocalMedia } from '${await programOf('packages/adapters/src/media-local.ts')}'
    const media = await openLocalMedia(${JSON.stringify(root)})
    const parts = async function* () { for (let i = 0; i < 100; i++) yield Buffer.alloc(400_000) }
    const codes = []
    for (const content of [Buffer.alloc(40_000_000), parts()])
      await media.put('day/large.mp3', content).catch((error) => codes.push(error.code))
    console.log('codes ' + codes)`
  const args = ['--input-type=module', '-e', script]
  // What the test runner adds to a child by NODE_OPTIONS ends it at the signal that comes with the error.
  const wrapper = ['-u', 'NODE_OPTIONS', 'prlimit', '--fsize=20000000', process.execPath]
  const limited = start(t, 'env', [...wrapper, ...args])
  t.match(await limited.printed(/codes .*/), /codes EFBIG,EFBIG/)
  t.same(readdirSync(join(root, 'music/day')), ['a.mp3'])
})

t.test('a copy is made once, whole, and never takes the place of another file', async (t) => {
  const { root, media } = await openIn(t)
  await media.put('.staged/night/Пісня.mp3', Buffer.from('song'))
  t.same(await media.list('.staged/night'), ['.staged/night/Пісня.mp3'])
  t.equal(await media.copy('.staged/night/Пісня.mp3', 'background-music/night/Пісня.mp3'), true)
  await media.delete('.staged/night/Пісня.mp3')
  t.equal(await text(await media.open('background-music/night/Пісня.mp3')), 'song')

  await media.put('day/a.mp3', Buffer.from('a'))
  await media.put('day/b.mp3', Buffer.from('b'))
  t.equal(await media.copy('day/a.mp3', 'day/b.mp3'), false)
  t.equal(await text(await media.open('day/b.mp3')), 'b')
  t.equal(await media.copy('day/a.mp3', 'day/a.mp3'), false)
  await symlink('/nowhere', join(root, 'music/day/link.mp3'))
  t.equal(await media.copy('day/a.mp3', 'day/link.mp3'), false)
  const race = await Promise.all(['a', 'b', 'a'].map((name) => media.copy(`day/${name}.mp3`, 'night/c.mp3')))
  t.equal(race.filter(Boolean).length, 1)

  await t.rejects(media.copy('day/none.mp3', 'day/d.mp3'), { code: 'NOT_FOUND' })
  await t.rejects(media.copy('day/a.mp3', '../d.mp3'), { code: 'BAD_REQUEST' })
  await t.rejects(media.copy('../secret.mp3', 'day/d.mp3'), { code: 'BAD_REQUEST' })
})

t.test('a copy to another disk, where no link leads, is a whole file of its own', async (t) => {
  const here = await temporaryFolder(t)
  const there = await mkdtemp('/dev/shm/solstice-test-').catch(() => here)
  t.teardown(() => rm(there, { recursive: true, force: true }))
  if (statSync(here).dev === statSync(there).dev) return t.pass('there is no other disk here')
  const media = await openLocalMedia('/')
  const key = (folder: string, name: string) => `${folder.slice(1)}/${name}`
  await media.put(key(here, 'a.mp3'), Buffer.from('a'))
  const race = [1, 2, 3].map(() => media.copy(key(here, 'a.mp3'), key(there, 'b.mp3')))
  t.same((await Promise.all(race)).sort(), [false, false, true])
  t.same(readdirSync(there), ['b.mp3'])
  t.equal(await text(await media.open(key(there, 'b.mp3'))), 'a')
})

t.test('there is room for what fits beside the reserve', async (t) => {
  const { media } = await openIn(t)
  t.equal(await media.hasRoomFor(0), true)
  t.equal(await media.hasRoomFor(Number.MAX_SAFE_INTEGER), false)
})

t.test('what killed puts left is swept, what may still be written is not', async (t) => {
  const { root, media } = await openIn(t)
  await media.sweep('day')
  await media.put('day/a.mp3', Buffer.from('a'))
  const [old, recent] = [`.${randomUUID()}.tmp`, `.${randomUUID()}.tmp`]
  for (const name of [old, recent, '.not-ours.tmp']) await place(root, join('music/day', name))
  for (const name of [old, '.not-ours.tmp', 'a.mp3']) utimesSync(join(root, 'music/day', name), 0, 0)
  await media.sweep('day')
  t.same(readdirSync(join(root, 'music/day')).sort(), [recent, '.not-ours.tmp', 'a.mp3'].sort())
})

t.test('a listing holds files only, in order, without hidden ones', async (t) => {
  const { root, media } = await openIn(t)
  t.same(await media.list('day'), [])
  for (const name of [
    'b.mp3',
    'a.mp3',
    '.hidden.mp3',
    '.0f.tmp',
    'folder/c.mp3',
    'back\\slash.mp3',
    'line\nbreak.mp3',
  ])
    await place(root, join('music/day', name))
  t.same(await media.list('day'), ['day/a.mp3', 'day/b.mp3'])
})
