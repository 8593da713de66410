import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { MediaStorage } from '@solstice/station'
import type { Test } from 'tap'

const everyUse = (media: MediaStorage, key: string): [string, () => Promise<unknown>][] => [
  ['stat', () => media.stat(key)],
  ['open', () => media.open(key)],
  ['source', () => media.source(key)],
  ['put', () => media.put(key, Buffer.from('overwritten'))],
  ['delete', () => media.delete(key)],
  ['copy from', () => media.copy(key, 'day/copy.mp3')],
  ['copy to', () => media.copy('day/a.mp3', key)],
  ['link', async () => (media.linkOrigin ? media.link(key) : media.stat(key))],
]

/** Enough for each step of an opening and a copy to be met by the deletion. */
const RACES = 50

/** The contract of the port `MediaStorage`, for every implementation. */
export function mediaStorageSuite(t: Test, open: (t: Test) => Promise<MediaStorage>): void {
  t.test('names in any script and with any character work', async (t) => {
    const media = await open(t)
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
      t.equal(await media.copy(`day/${name}`, `.staged/jingles/night/${name}`), true)
      t.equal(await text(await media.open(`.staged/jingles/night/${name}`)), name)
    }
    const sorted = (folder: string) => names.map((name) => `${folder}/${name}`).sort()
    t.same(await media.list('day'), sorted('day'))
    t.same(await media.list('.staged/jingles/night'), sorted('.staged/jingles/night'))
  })

  t.test('a file is read whole, by a range with both ends, and by a path', async (t) => {
    const media = await open(t)
    await media.put('arts/a.jpg', Readable.from(['01234', '56789']))
    t.equal(await text(await media.open('arts/a.jpg')), '0123456789')
    t.equal(await text(await media.open('arts/a.jpg', { start: 2, end: 4 })), '234')
    t.equal(await text(await media.open('arts/a.jpg', { start: 9, end: 9 })), '9')
    t.match(await media.stat('arts/a.jpg'), { size: 10, modifiedMs: Number })
    t.equal(readFileSync(await media.source('arts/a.jpg'), 'utf8'), '0123456789')
    await media.put('arts/empty.jpg', new Uint8Array())
    t.equal(await text(await media.open('arts/empty.jpg')), '')
    await media.put('arts/a.jpg', new Uint8Array([0x31]))
    t.equal(readFileSync(await media.source('arts/a.jpg'), 'utf8'), '1', 'also when it is another one')
  })

  t.test('a key that would escape its folder is refused for every use', async (t) => {
    const media = await open(t)
    await media.put('day/a.mp3', Buffer.from('a'))
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
      const outcomes = await Promise.all(
        everyUse(media, key).map(([use, act]) =>
          act().then(
            () => use,
            ({ code }) => `${use} ${code}`,
          ),
        ),
      )
      const refused = everyUse(media, key).map(([use]) => `${use} BAD_REQUEST`)
      t.same(outcomes, refused, JSON.stringify(key.slice(0, 40)))
    }
    for (const listed of ['..', '../media-old', '/', 'day/..'])
      await t.rejects(media.list(listed), { code: 'BAD_REQUEST' })
  })

  t.test('an absent file is null or NOT_FOUND', async (t) => {
    const media = await open(t)
    for (const key of ['day/none.mp3', 'nowhere/none.mp3', '.staged/day/none.mp3']) {
      t.equal(await media.stat(key), null)
      await t.rejects(media.open(key), { code: 'NOT_FOUND' })
      await t.rejects(media.source(key), { code: 'NOT_FOUND' })
      await media.delete(key)
    }
    await media.put('day/a.mp3', Buffer.from('a'))
    await media.source('day/a.mp3')
    await media.delete('day/a.mp3')
    t.equal(await media.stat('day/a.mp3'), null)
    await t.rejects(media.source('day/a.mp3'), { code: 'NOT_FOUND' })
  })

  t.test('a file that is deleted while it is opened or copied is whole or absent', async (t) => {
    const media = await open(t)
    for (let round = 0; round < RACES; round++) {
      await media.put('.staged/day/a.mp3', Buffer.from('whole'))
      const uses = [
        media.copy('.staged/day/a.mp3', `day/${round}.mp3`),
        media.open('.staged/day/a.mp3').then(text),
        media.delete('.staged/day/a.mp3'),
      ]
      const [copied, read] = await Promise.allSettled(uses)
      for (const { use, outcome, done } of [
        { use: 'copy', outcome: copied!, done: true },
        { use: 'open', outcome: read!, done: 'whole' },
      ]) {
        if (outcome.status === 'fulfilled') t.equal(outcome.value, done, use)
        else t.match(outcome.reason, { code: 'NOT_FOUND' }, use)
      }
    }
  })

  t.test('a failed put changes nothing and leaves nothing behind', async (t) => {
    const media = await open(t)
    await media.put('day/a.mp3', Buffer.from('old'))
    const broken = async function* () {
      yield Buffer.from('half')
      throw new Error('the sender is gone')
    }
    for (const content of [broken(), Readable.from(broken())])
      await t.rejects(media.put('day/a.mp3', content), { message: 'the sender is gone' })
    await t.rejects(media.put('day/b.mp3', broken()), { message: 'the sender is gone' })
    t.same(await media.list('day'), ['day/a.mp3'])
    t.equal(await text(await media.open('day/a.mp3')), 'old')
  })

  t.test('a put whose sender disconnects at any moment ends and leaves nothing behind', async (t) => {
    const media = await open(t)
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
    t.same(await media.list('.staged/day'), ['.staged/day/kept.mp3'])
  })

  t.test('a copy is made once, whole, and never replaces another file', async (t) => {
    const media = await open(t)
    await media.put('.staged/night/Пісня.mp3', Buffer.from('song'))
    t.equal(await media.copy('.staged/night/Пісня.mp3', 'background/night/Пісня.mp3'), true)
    await media.delete('.staged/night/Пісня.mp3')
    t.equal(await text(await media.open('background/night/Пісня.mp3')), 'song')

    await media.put('day/a.mp3', Buffer.from('a'))
    await media.put('day/b.mp3', Buffer.from('b'))
    t.equal(await media.copy('day/a.mp3', 'day/b.mp3'), false)
    t.equal(await text(await media.open('day/b.mp3')), 'b')
    t.equal(await media.copy('day/a.mp3', 'day/a.mp3'), false)
    const race = await Promise.all(
      ['a', 'b', 'a'].map((name) => media.copy(`day/${name}.mp3`, 'night/c.mp3')),
    )
    t.equal(race.filter(Boolean).length, 1)
    await t.rejects(media.copy('day/none.mp3', 'day/d.mp3'), { code: 'NOT_FOUND' })
  })

  t.test('a listing holds the files directly in a folder, in order, without hidden ones', async (t) => {
    const media = await open(t)
    t.same(await media.list('day'), [])
    for (const name of ['b.mp3', 'a.mp3', '.hidden.mp3', 'folder/c.mp3'])
      await media.put(`day/${name}`, Buffer.from('x'))
    await media.put('daytime/d.mp3', Buffer.from('x'))
    t.same(await media.list('day'), ['day/a.mp3', 'day/b.mp3'])
  })

  t.test('there is room for what fits', async (t) => {
    const media = await open(t)
    t.equal(await media.hasRoomFor(0), true)
    t.equal(await media.hasRoomFor(Number.MAX_SAFE_INTEGER), false)
  })
}
