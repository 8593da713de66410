import { setImmediate as turn } from 'node:timers/promises'
import { collections, type DataStore } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { asAdmin, SUPER_ADMIN } from '../../../../../tests/harness/people/admin.ts'
import { openLine } from '../../../../../tests/harness/servers/line.ts'
import { startPostgres } from '../../../../../tests/harness/servers/postgres.ts'
import { openApp } from '../../../../../tests/harness/stations/app.ts'
import { inTime, until } from '../../../../../tests/harness/until.ts'
import { dataStoreSuite } from '../../../../../tests/suites/data-store.ts'
import { played, track } from '../../../../../tests/suites/records.ts'
import { openPostgresData } from './store.ts'

const SECRET = 'known-to-nobody'
const said: string[] = []
const log = pino({ level: 'debug' }, { write: (line) => void said.push(line) })
const server = await startPostgres(t)
const url = server.url.replace('solstice@', `solstice:${SECRET}@`)

async function openIn(t: Test, address = url) {
  const data = await openPostgresData(address, 4, log)
  t.teardown(() => data.close())
  return data
}

/** As if nothing had ever been there. */
async function empty() {
  const tables = Object.keys(collections).map((name) => `"${name}"`)
  await server.query(`truncate ${tables.join(', ')}`)
  await server.query('update collections set version = 0, swept = 0, last_place = 0, last_serial = 0')
}

/** Records of the audit log that say no more than who they are. */
const note = (data: DataStore, operationType: string) => data.audit.insert({ operationType } as never)
const notes = async (data: DataStore) => (await data.audit.find()).map((entry) => String(entry.operationType))

t.test('ten stores opened at once on an empty database create its tables once', async (t) => {
  const stores = await Promise.all(Array.from({ length: 10 }, () => openIn(t)))
  const added = await Promise.all(stores.map((store, i) => note(store, String(i))))
  t.same(
    added.map((record) => Number(record?.id)).sort((a, b) => a - b),
    Array.from({ length: 10 }, (_, i) => i + 1),
  )
})

t.test('the PostgreSQL store fulfils the contract of data stores', async (t) => {
  dataStoreSuite(t, async () => {
    await empty()
    return () => openPostgresData(url, 3, log)
  })
})

t.test('of a large collection a record is read and changed without the others', async (t) => {
  await empty()
  const [one, other] = [await openIn(t), await openIn(t)]
  const odd = "day/It's \u0000 \ud800.mp3"
  for (const trackId of ['day/a.mp3', odd]) await one.waveforms.put({ trackId, peaks: 'AAAA' })
  const read = () => other.waveforms.get(odd)
  t.same(await read(), { trackId: odd, peaks: 'AAAA' })
  t.not(await read(), await read(), 'it is not kept')
  await one.waveforms.put({ trackId: odd, peaks: 'AQID' })
  t.match(await read(), { peaks: 'AQID' })
  t.equal(await one.waveforms.insert({ trackId: odd, peaks: 'AAAA' }), null, 'its key is taken')
  t.equal(await one.waveforms.update({ trackId: odd }, { peaks: 'AgME' }), 1)
  t.match(await read(), { peaks: 'AgME' })
  t.equal(await one.waveforms.delete({ trackId: odd }), 1)
  t.equal(await one.waveforms.delete({ trackId: odd }), 0)
  t.equal(await read(), null)
  t.not(await one.waveforms.get('day/a.mp3'), await one.waveforms.get('day/a.mp3'), 'nor by who changed them')
  t.equal((await other.waveforms.find()).length, 1)
  await one.waveforms.put({ trackId: 'day/b.mp3', peaks: '' })
  t.same(
    (await other.waveforms.find()).map(({ trackId }) => trackId),
    ['day/a.mp3', 'day/b.mp3'],
  )
  t.equal(await one.waveforms.delete(({ peaks }) => peaks === ''), 1)
  t.equal((await other.waveforms.find()).length, 1)
})

t.test('a full disk of PostgreSQL refuses changes as such, until there is room', async (t) => {
  await empty()
  const data = await openIn(t)
  await note(data, 'before')
  await server.query(`
    create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
    create trigger full_disk before insert on audit for each row execute function full_disk()`)
  said.length = 0
  const details = { retryAfterSecs: 5, reason: 'disk_full' }
  await t.rejects(note(data, 'refused'), { code: 'DATA_UNAVAILABLE', details })
  t.same(await notes(data), ['before'])
  t.same(said, [], 'it is not away: what can be read is')
  await server.query('drop function full_disk cascade')
  await note(data, 'after')
  t.same(await notes(data), ['before', 'after'])
})

t.test('every JSON value comes back exactly, even one that PostgreSQL cannot store as it is', async (t) => {
  await empty()
  const record = {
    key: `\u0000${'Ї'.repeat(4000)}`,
    texts: [
      '\u0000',
      '\\u0000',
      '\u001a',
      '\u001a0000',
      '\\\u001a',
      '\ud800',
      'a\udc00b',
      '🌙',
      '"\\"',
      '\u2028',
    ],
    numbers: [0.1, 1e21, 5e-324, 1.7976931348623157e308, -1.5, Number.MAX_SAFE_INTEGER, 0],
    nothing: null,
    inner: { nothing: null, list: [], none: {} },
  }
  const one = await openIn(t)
  await one.offsets.put({ ...record, absent: undefined } as never)
  const [found] = await (await openIn(t)).offsets.find()
  t.strictSame(found, record)
  t.strictSame(await one.offsets.get(record.key), record)
})

t.test('a database whose audit log knew no keys keeps its entries, and takes a key once', async (t) => {
  const older = await server.createDatabase('older')
  const before = await openPostgresData(older, 2, log)
  for (const name of ['a', 'b']) await note(before, name)
  await before.close()
  await server.query('drop index audit_unique', older)
  await server.query(`delete from kysely_migration where name = '2-unique-audit'`, older)
  const [one, other] = await Promise.all([openIn(t, older), openIn(t, older)])
  t.same(await notes(one), ['a', 'b'])
  const once = { operationType: 'c', onceKey: 'c' } as never
  const added = await Promise.all([one, other].map((data) => data.audit.insert(once)))
  t.equal(added.filter(Boolean).length, 1)
  const write = `insert into audit values (99, 99, '{"id": 99, "onceKey": "c"}')`
  await t.rejects(server.query(write, older), /audit_unique/, 'the database refuses it as well')
})

t.test('a database of a newer version is refused at once, with the reason', async (t) => {
  const newer = await server.createDatabase('newer')
  await (await openPostgresData(newer, 2, log)).close()
  await server.query(`insert into kysely_migration values ('2-later', '')`, newer)
  said.length = 0
  await t.rejects(openPostgresData(newer, 2, log), { message: /DATABASE_URL.*a newer version/ })
  t.same(said, [], 'without trying again')
})

t.test('contents are read from the database, of any size, and not from memory', async (t) => {
  await empty()
  const data = await openIn(t)
  const lines = [{ time: 0, text: 'x'.repeat(3 * 1024 * 1024) }]
  const records = ['a', 'b', 'c'].map((key) => ({ key, synced: true, lines, fetchedAt: 1 }))
  await data.lyrics.replaceAll({ records, serial: 0 })
  t.strictSame(await data.lyrics.contents(), { records, serial: 0 })
  // Behind the back of the store, as what it wrote might have become something else.
  await server.query(`update lyrics set record = '{"key": "a"}' where place = 1`)
  t.same((await data.lyrics.contents()).records[0], { key: 'a' })
})

t.test('thousands of records are read in order, and later only those that changed', async (t) => {
  await empty()
  const [one, other] = [await openIn(t), await openIn(t)]
  const ids = Array.from({ length: 5001 }, (_, i) => `day/${i}`)
  await Promise.all(ids.map((id) => one.tracks.insert(track(id))))
  const all = await other.tracks.find()
  t.same(
    all.map(({ id }) => id),
    ids,
  )
  t.equal(await other.tracks.find(), all, 'the same array while nothing changed')
  await other.history.insert(played('day/1', 1))
  t.equal(await other.tracks.find(), all, 'also when something else changed')
  await one.tracks.update({ id: 'day/7' }, { year: 7 })
  await one.tracks.delete({ id: 'day/8' })
  const later = await other.tracks.find()
  t.equal(later.length, 5000)
  t.equal(later[7]?.year, 7)
  t.equal(later[6], all[6], 'what stayed is the same record')
  t.equal(await one.tracks.delete(({ id }) => Number(id.slice(4)) >= 10), 4991)
  t.equal((await other.tracks.find()).length, 9)
})

t.test('old removals are forgotten, and a reader that missed them reads everything again', async (t) => {
  await empty()
  const [writer, sleeper] = [await openIn(t), await openIn(t)]
  for (const id of ['day/a', 'day/b', 'day/c']) await writer.tracks.insert(track(id))
  t.equal((await sleeper.tracks.find()).length, 3)
  await writer.tracks.delete({ id: 'day/b' })
  const rows = async () => (await server.query('select count(*)::int from tracks'))[0]?.count
  t.equal(await rows(), 3)
  await server.query(`update collections set version = 10999 where name = 'tracks'`)
  await writer.tracks.insert(track('day/d'))
  t.equal(await rows(), 3, 'one came, and nothing is left of the one that went')
  const found = (await sleeper.tracks.find()).map(({ id }) => id)
  t.same(found, ['day/a', 'day/c', 'day/d'])
})

t.test('of changes in one batch, only the one that the database refuses fails', async (t) => {
  await empty()
  const data = await openIn(t)
  await data.tracks.insert(track('day/a'))
  // Put in behind the back of the store, which everybody who writes has to avoid.
  await server.query(`insert into tracks values (77, 0, '{"id": "day/c"}')`)
  const results = await Promise.allSettled(
    ['day/b', 'day/c', 'day/d'].map((id) => data.tracks.insert(track(id))),
  )
  t.same(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  t.same(
    (await data.tracks.find()).map(({ id }) => id),
    ['day/a', 'day/b', 'day/d'],
  )
})

t.test('a crash of PostgreSQL under load loses and doubles nothing', async (t) => {
  await empty()
  const stores = [await openIn(t), await openIn(t)]
  const safe: string[] = []
  let refused = 0
  let isOver = false
  const write = async (name: string, data: DataStore) => {
    for (let n = 0; !isOver; n++) {
      try {
        await note(data, `${name} ${n}`)
        safe.push(`${name} ${n}`)
      } catch (error) {
        t.match(error, { code: 'DATA_UNAVAILABLE' })
        refused++
      }
      await turn()
    }
  }
  const writing = ['a', 'b', 'c', 'd'].map((name, i) => write(name, stores[i % 2]!))
  for (let round = 0; round < 2; round++) {
    const before = safe.length
    await until('forty more are written', () => safe.length >= before + 40)
    await server.crash()
    await server.restart()
  }
  const before = safe.length
  await until('forty more are written', () => safe.length >= before + 40)
  isOver = true
  await Promise.all(writing)
  const found = await notes(await openIn(t))
  t.same(
    safe.filter((one) => !found.includes(one)),
    [],
    'all that was acknowledged is there',
  )
  t.equal(new Set(found).size, found.length, 'nothing is there twice')
  t.ok(found.length <= safe.length + refused)
})

t.test('while PostgreSQL is away, reads are served from memory and changes are refused', async (t) => {
  await empty()
  const [data, other] = [await openIn(t), await openIn(t)]
  await data.tracks.insert(track('day/a'))
  const all = await data.tracks.find()
  const settings = { ...SUPER_ADMIN, DATA_PROVIDER: 'sql', DATABASE_URL: url }
  const { ask } = await asAdmin(await openApp(t, settings, log))
  const list = () => ask('GET /api/admin/songs?mode=day')
  const listed = await list()
  said.length = 0
  await server.crash()
  const save = () => ask('POST /api/admin/settings', { artistArts: { dayEnabled: false } })
  const [write, unread, read, answer] = await Promise.allSettled([
    data.tracks.insert(track('day/b')),
    other.history.find(),
    data.tracks.find(),
    save(),
  ])
  const refusal = { code: 'DATA_UNAVAILABLE', details: { retryAfterSecs: 5 } }
  t.match(write, { status: 'rejected', reason: refusal })
  t.match(unread, { status: 'rejected', reason: refusal }, 'nothing was read yet')
  t.match(read, { status: 'fulfilled', value: all })
  const body = { error: { code: 'DATA_UNAVAILABLE', retryAfterSecs: 5 } }
  t.match(answer, { value: { status: 503, body, headers: { 'retry-after': '5' } } })
  t.match(await list(), { status: 200, body: listed.body })
  const [later] = await Promise.allSettled([data.tracks.insert(track('day/c')), server.restart()])
  t.equal(later.status, 'fulfilled', 'a change waits for one that comes back soon')
  await until('the other process sees both', async () => (await other.tracks.find()).length === 2)
  t.equal((await save()).status, 200)
  t.match(said.join(''), /unavailable: reads are served.*available again/s)
  t.equal(said.filter((line) => line.includes('PostgreSQL unavailable')).length, 3, 'said once by each store')
  t.notMatch(said.join(''), SECRET)
})

t.test('an unanswered commit is made once, whether or not it arrived', async (t) => {
  await empty()
  const line = await openLine(t, server.port)
  const data = await openIn(t, url.replace(String(server.port), String(line.port)))
  const other = await openIn(t)
  await note(data, 'first')
  for (const isDelivered of [true, false]) {
    line.cutAtCommit(isDelivered)
    const ids = (await Promise.all(['x', 'y'].map((name) => note(data, `${name} ${isDelivered}`)))).map(
      (entry) => entry?.id,
    )
    t.equal(line.cuts, isDelivered ? 1 : 2)
    t.same(
      ids,
      (await other.audit.find()).slice(-2).map(({ id }) => id),
      'with the numbers that it has',
    )
  }
  t.same(await notes(data), ['first', 'x true', 'y true', 'x false', 'y false'])
  t.same(await notes(other), await notes(data))
})

t.test('a change is made although the connection breaks while records are read for it', async (t) => {
  await empty()
  const line = await openLine(t, server.port)
  const data = await openIn(t, url.replace(String(server.port), String(line.port)))
  line.hangAfter('"audit"')
  const writing = note(data, 'kept')
  await until('the records are asked for', () => line.isHanging)
  line.isHanging = false
  line.cutAll()
  await inTime('the change is made', writing)
  t.same(await notes(data), ['kept'])
})

t.test('a hanging PostgreSQL blocks neither readers nor the process', async (t) => {
  await empty()
  const line = await openLine(t, server.port)
  const data = await openIn(t, url.replace(String(server.port), String(line.port)))
  await note(data, 'before')
  line.isHanging = true
  const write = note(data, 'refused')
  write.catch(() => {})
  for (let i = 0; i < 100; i++) t.same(await notes(data), ['before'])
  await t.rejects(write, { code: 'DATA_UNAVAILABLE' })
  line.isHanging = false
  line.cutAll()
  await note(data, 'after')
  t.same((await notes(data)).at(-1), 'after')
})
