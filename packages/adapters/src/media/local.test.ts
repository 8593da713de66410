import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { start, temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { programOf } from '../../../../tests/harness/processes/programs.ts'
import { mediaStorageSuite } from '../../../../tests/suites/media-storage.ts'
import { openLocalMedia } from './local.ts'

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

mediaStorageSuite(t, async (t) => (await openIn(t)).media)

t.test('music is stored under music/<mode>, everything else where its key says', async (t) => {
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

t.test('a link that leads out of the folder is not followed; one within it is', async (t) => {
  const { folder, root, media } = await openIn(t)
  await place(root, 'music/day/real.mp3', 'real')
  await symlink(join(folder, 'secret.mp3'), join(root, 'music/day/out.mp3'))
  await symlink('real.mp3', join(root, 'music/day/in.mp3'))
  await symlink('loop.mp3', join(root, 'music/day/loop.mp3'))
  await symlink(join(folder, 'media-old'), join(root, 'arts'))

  t.equal(await text(await media.open('day/in.mp3')), 'real')
  t.equal(await media.stat('day/loop.mp3'), null)
  for (const key of ['day/out.mp3', 'arts/secret.mp3'])
    for (const use of ['stat', 'open', 'source'] as const)
      await t.rejects(async () => media[use](key), { code: 'BAD_REQUEST' }, `${use} ${key}`)
  await t.rejects(media.list('arts'), { code: 'BAD_REQUEST' })
  await t.rejects(media.put('arts/new.jpg', Buffer.from('x')), { code: 'BAD_REQUEST' })
  await t.rejects(media.put('arts/deep/new.jpg', Buffer.from('x')), { code: 'BAD_REQUEST' })
  await t.rejects(media.delete('arts/secret.mp3'), { code: 'BAD_REQUEST' })
  t.same(readdirSync(join(folder, 'media-old')), ['secret.mp3'])

  await media.put('day/out.mp3', Buffer.from('mine'))
  t.equal(await text(await media.open('day/out.mp3')), 'mine', 'a new file takes the place of the link')
  t.equal(readFileSync(join(folder, 'secret.mp3'), 'utf8'), 'secret')
})

t.test(
  'a refused key touches nothing, a folder is no file, and a put that failed leaves nothing',
  async (t) => {
    const { folder, root, media } = await openIn(t)
    for (const key of ['../secret.mp3', '../media-old/secret.mp3', `${folder}/secret.mp3`]) {
      await t.rejects(media.put(key, Buffer.from('overwritten')), { code: 'BAD_REQUEST' })
      await t.rejects(media.delete(key), { code: 'BAD_REQUEST' })
    }
    t.equal(readFileSync(join(folder, 'secret.mp3'), 'utf8'), 'secret')
    t.equal(readFileSync(join(folder, 'media-old/secret.mp3'), 'utf8'), 'secret')

    await place(root, 'music/day/folder.mp3/a.mp3')
    for (const key of ['day/folder.mp3', 'day/folder.mp3/a.mp3/b.mp3']) {
      t.equal(await media.stat(key), null)
      await t.rejects(media.open(key), { code: 'NOT_FOUND' })
    }
    const gone = new PassThrough()
    gone.destroy(new Error('gone'))
    await t.rejects(media.put('night/a.mp3', gone), { message: 'gone' })
    t.same(readdirSync(join(root, 'music/night')), [])
    await symlink('/nowhere', join(root, 'music/night/link.mp3'))
    t.equal(await media.copy('day/folder.mp3/a.mp3', 'night/link.mp3'), false)
  },
)

t.test('put replaces in one step: a reader of the old file reads it to its end', async (t) => {
  const { media } = await openIn(t)
  await media.put('day/a.mp3', Buffer.from('old'))
  const reading = await media.open('day/a.mp3')
  await media.put('day/a.mp3', Buffer.from('newer'))
  t.equal(await text(reading), 'old')
  t.equal(await text(await media.open('day/a.mp3')), 'newer')
})

t.test('a full disk is reported by its own error, and the partial file is removed', async (t) => {
  const { root, media } = await openIn(t)
  await media.put('day/a.mp3', Buffer.from('a'))
  const script = `
    import { openLocalMedia } from '${await programOf('packages/adapters/src/media/local.ts')}'
    const media = await openLocalMedia(${JSON.stringify(root)})
    const parts = async function* () { for (let i = 0; i < 100; i++) yield Buffer.alloc(400_000) }
    const codes = []
    for (const content of [Buffer.alloc(40_000_000), parts()])
      await media.put('day/large.mp3', content).catch((error) => codes.push(error.code))
    console.log('codes ' + codes)`
  const args = ['--input-type=module', '-e', script]
  // The test runner's NODE_OPTIONS would end the child at the signal that comes with the error.
  const wrapper = ['-u', 'NODE_OPTIONS', 'prlimit', '--fsize=20000000', process.execPath]
  const limited = start(t, 'env', [...wrapper, ...args])
  t.match(await limited.printed(/codes .*/), /codes EFBIG,EFBIG/)
  t.same(readdirSync(join(root, 'music/day')), ['a.mp3'])
})

t.test('a copy to another disk, where links are impossible, is a whole file of its own', async (t) => {
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

t.test(
  'leftovers of killed processes are swept, files that may still be being written are not',
  async (t) => {
    const { root, media } = await openIn(t)
    await media.sweep('day')
    await media.put('day/a.mp3', Buffer.from('a'))
    const [old, recent] = [`.${randomUUID()}.tmp`, `.${randomUUID()}.tmp`]
    for (const name of [old, recent, '.not-ours.tmp']) await place(root, join('music/day', name))
    for (const name of [old, '.not-ours.tmp', 'a.mp3']) utimesSync(join(root, 'music/day', name), 0, 0)
    await media.sweep('day')
    t.same(readdirSync(join(root, 'music/day')).sort(), [recent, '.not-ours.tmp', 'a.mp3'].sort())
  },
)

t.test('a listing leaves out foreign files', async (t) => {
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
