import type { Test } from 'tap'
import { ids, type PrepareLocation, played, track } from './records.ts'

/** Rules of changing records. */
export function changeSuite(t: Test, place: PrepareLocation): void {
  const fresh = async (t: Test) => (await place(t))()

  t.test('a record keeps its position, however it is changed', async (t) => {
    const data = await fresh(t)
    for (const id of ['day/a', 'day/b', 'day/c', 'day/d']) await data.tracks.insert(track(id))
    await data.tracks.put(track('day/b', { album: 'put' }))
    await data.tracks.update({ id: 'day/c' }, { album: 'updated' })
    t.same(ids(await data.tracks.find()), ['day/a', 'day/b', 'day/c', 'day/d'])
    t.same(ids(await data.tracks.find({ mode: 'day' })), ['day/a', 'day/b', 'day/c', 'day/d'])
    await data.tracks.update({ id: 'day/b' }, { id: 'night/b', mode: 'night' })
    t.same(ids(await data.tracks.find()), ['day/a', 'day/c', 'day/d', 'night/b'], 'a new key is a new place')
  })

  t.test('put adds, and replaces in place', async (t) => {
    const data = await fresh(t)
    await data.offsets.put({ key: 'a', offset: 1 })
    await data.offsets.put({ key: 'b', offset: 2 })
    await data.offsets.put({ key: 'a', offset: 3 })
    t.same(await data.offsets.find(), [
      { key: 'a', offset: 3 },
      { key: 'b', offset: 2 },
    ])
  })

  t.test('update returns the number of changed records, and may change a key', async (t) => {
    const data = await fresh(t)
    for (const id of ['day/a', 'day/b', 'day/c']) await data.tracks.insert(track(id))
    t.equal(await data.tracks.update({ mode: 'day' }, { album: 'One' }), 3)
    t.equal(await data.tracks.update({ id: 'day/a' }, { id: 'night/a', mode: 'night' }), 1)
    t.equal(await data.tracks.get('day/a'), null)
    t.equal((await data.tracks.get('night/a'))?.album, 'One')
    await t.rejects(data.tracks.update({ id: 'day/b' }, { id: 'day/c', album: 'Two' }))
    t.same(
      (await data.tracks.find()).map(({ id, album }) => [id, album]).sort(),
      [
        ['day/b', 'One'],
        ['day/c', 'One'],
        ['night/a', 'One'],
      ],
      'a refused change leaves everything as it was',
    )
  })

  t.test('a refused change does not affect the changes queued with it', async (t) => {
    const data = await fresh(t)
    await data.history.insert(played('day/a', 1))
    const [before, refused, after] = await Promise.allSettled([
      data.history.insert(played('day/b', 2)),
      data.history.put({ id: 7, ...played('day/a', 1) }),
      data.history.insert(played('day/c', 3)),
    ])
    t.match([before.status, refused.status, after.status], ['fulfilled', 'rejected', 'fulfilled'])
    t.same(ids(await data.history.find()), [1, 2, 3])
  })

  t.test('delete takes fields or a predicate, and returns the number of removed records', async (t) => {
    const data = await fresh(t)
    for (let at = 1; at <= 6; at++) await data.history.insert(played('day/a', at))
    t.equal(await data.history.delete({ playedAt: 3 }), 1)
    t.equal(await data.history.delete((item) => item.playedAt > 4), 2)
    t.same(ids(await data.history.find()), [1, 2, 4])
    t.equal(await data.history.delete({}), 3)
  })
}

/** Rules of stores that share a location. */
export function sharingSuite(t: Test, place: PrepareLocation): void {
  t.test('two stores on one location see each other’s changes at once', async (t) => {
    const open = await place(t)
    const [one, other] = [await open(), await open()]
    for (let year = 0; year < 25; year++) {
      await one.tracks.put(track('day/a', { year }))
      t.equal((await other.tracks.get('day/a'))?.year, year)
      await other.tracks.update({ id: 'day/a' }, { album: String(year) })
      t.equal((await one.tracks.find({ id: 'day/a' }))[0]?.album, String(year))
    }
  })

  t.test('concurrent changes of two stores are all kept, also for a store that opens later', async (t) => {
    const open = await place(t)
    const [one, other] = [await open(), await open()]
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => (i % 3 ? one : other).history.insert(played('day/a', i))),
    )
    const later = await (await open()).history.find()
    t.same(
      later.map(({ playedAt }) => playedAt).sort((a, b) => a - b),
      Array.from({ length: 60 }, (_, i) => i),
    )
    t.equal(new Set(ids(later)).size, 60)
  })

  t.test('update is compare-and-set: of many concurrent claims one succeeds', async (t) => {
    const open = await place(t)
    const [one, other] = [await open(), await open()]
    await one.tracks.insert(track('day/a', { year: 0 }))
    const claims = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        (i % 2 ? one : other).tracks.update({ id: 'day/a', year: 0 }, { year: i + 1 }),
      ),
    )
    t.equal(
      claims.reduce((sum, count) => sum + count, 0),
      1,
    )
    t.equal((await other.tracks.get('day/a'))?.year, claims.indexOf(1) + 1)
  })
}

/** Rules of what a store returns. */
export function contentsSuite(t: Test, place: PrepareLocation): void {
  const fresh = async (t: Test) => (await place(t))()

  t.test('any text is returned unchanged', async (t) => {
    const open = await place(t)
    const title = 'Їжак "ґ" \\ \n\u2028\u0000 🌙 <img src=x> %s + & \' $'
    const lines = [{ time: 1.25, text: title }]
    const one = await open()
    await one.tracks.put(track('night/Ніч & +%.mp3', { title, year: 2024, duration: 12.345 }))
    await one.lyrics.put({ key: 'a||b', synced: true, lines, fetchedAt: 1_700_000_000_000 })
    const other = await open()
    t.same(
      await other.tracks.get('night/Ніч & +%.mp3'),
      track('night/Ніч & +%.mp3', { title, year: 2024, duration: 12.345 }),
    )
    t.same((await other.lyrics.get('a||b'))?.lines, lines)
  })

  t.test('a caller’s changes to a record do not reach the store', async (t) => {
    const data = await fresh(t)
    const given = { key: 'a||b', synced: false, lines: [{ time: 0, text: 'kept' }] }
    await data.lyrics.put(given)
    given.lines[0]!.text = 'changed'
    const read = await data.lyrics.get('a||b')
    try {
      read!.lines[0]!.text = 'changed'
    } catch {
      // Frozen records throw, copies do not: in both cases the stored record is intact.
    }
    t.equal((await data.lyrics.get('a||b'))?.lines[0]?.text, 'kept')
  })

  t.test('all records can be replaced in one step, keeping their order and numbers', async (t) => {
    const open = await place(t)
    const [one, other] = [await open(), await open()]
    t.same(await one.history.contents(), { records: [], serial: 0 })
    for (let n = 1; n <= 4; n++) await one.history.insert(played('day/a', n))
    await one.history.delete({ id: 4 })
    const before = await other.history.contents()
    t.same([ids(before.records), before.serial], [[1, 2, 3], 4])

    const records = [7, 2, 5].map((id) => ({ id, ...played('day/b', id) }))
    await one.history.replaceAll({ records, serial: 9 })
    t.same(await other.history.contents(), { records, serial: 9 })
    t.equal((await other.history.insert(played('day/a', 1)))?.id, 10)

    const twice = [...records, { ...records[0]!, id: 8 }]
    const keyless = [{ ...records[0]!, id: undefined as unknown as number }]
    for (const unfit of [[...records, ...records], twice, keyless])
      await t.rejects(one.history.replaceAll({ records: unfit, serial: 1 }))
    t.same(ids(await one.history.find()), [7, 2, 5, 10], 'nothing is changed')
    await one.history.replaceAll({ records: [], serial: 0 })
    t.same(await (await open()).history.contents(), { records: [], serial: 0 })
    await one.history.replaceAll({ records: [], serial: 3 })
    t.equal((await other.history.insert(played('day/a', 1)))?.id, 4)
  })
}
