import type { ClipFamily, HistoryItem, Track } from '@solstice/contracts'
import {
  type AdminRecord,
  type ClipRecord,
  type Collection,
  type CollectionSpec,
  collections,
  type DataStore,
  type DonationRecord,
  type GroupRecord,
} from '@solstice/station'
import type { Test } from 'tap'

/** Prepares an empty location and returns how to open stores on it, any number at once; the suite closes them. */
export type PrepareLocation = (t: Test) => Promise<() => Promise<DataStore>>

export const track = (id: string, facts: Partial<Track> = {}): Track => ({
  id,
  title: id,
  artist: 'Artist',
  album: '',
  year: null,
  duration: 60,
  mode: 'day',
  filename: id,
  storageKey: id,
  ...facts,
})

export const played = (trackId: string, playedAt: number): Omit<HistoryItem, 'id'> => ({
  trackId,
  title: trackId,
  artist: 'Artist',
  album: '',
  mode: 'day',
  playedAt,
})

const ids = (records: readonly { id: string | number }[]) => records.map(({ id }) => id)

/** The contract of the port `DataStore`, for every implementation. */
export function dataStoreSuite(t: Test, prepareLocation: PrepareLocation): void {
  const place = async (t: Test) => {
    const openStore = await prepareLocation(t)
    return async () => {
      const data = await openStore()
      t.teardown(() => data.close())
      return data
    }
  }
  const fresh = async (t: Test) => (await place(t))()

  t.test('an empty store holds nothing', async (t) => {
    const data = await fresh(t)
    t.equal(await data.tracks.get('day/none.mp3'), null)
    t.same(await data.tracks.find(), [])
    t.same(await data.tracks.find({ mode: 'day' }), [])
    t.equal(await data.tracks.update({ id: 'day/none.mp3' }, { year: 1 }), 0)
    t.equal(await data.tracks.delete({ id: 'day/none.mp3' }), 0)
  })

  t.test('records are found by key and by fields, in order of insertion', async (t) => {
    const data = await fresh(t)
    await data.tracks.insert(track('day/b'))
    await data.tracks.insert(track('night/c', { mode: 'night', year: 1999 }))
    await data.tracks.insert(track('day/a', { year: 1999 }))
    t.same(await data.tracks.get('day/a'), track('day/a', { year: 1999 }))
    t.same(ids(await data.tracks.find()), ['day/b', 'night/c', 'day/a'])
    t.same(ids(await data.tracks.find({ mode: 'day' })), ['day/b', 'day/a'])
    t.same(ids(await data.tracks.find({ mode: 'day', year: 1999 })), ['day/a'])
    t.same(ids(await data.tracks.find({ year: null })), ['day/b'])
  })

  t.test('every collection keeps its records by its key, even for a store that opens later', async (t) => {
    const open = await place(t)
    const one = await open()
    const specs = Object.entries<CollectionSpec>(collections)
    for (const [name, { key, serial, unique = [] }] of specs) {
      const record = {
        ...Object.fromEntries(unique.map((field) => [field, name])),
        [key]: serial ? 1 : name,
        about: 'Ї',
      }
      type Any = Collection<typeof record, string>
      await (one[name as keyof typeof collections] as unknown as Any).put(record)
      const other = (await open())[name as keyof typeof collections] as unknown as Any
      t.same(await other.get(record[key]!), record, name)
      t.equal(await other.delete({ [key]: record[key]! }), 1)
    }
  })

  t.test(
    'insert never replaces: a taken key gives null, to all but one of those who ask at once',
    async (t) => {
      const open = await place(t)
      const [one, other] = [await open(), await open()]
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, year) =>
          (year % 2 ? one : other).artists.insert({ artist: 'a', hasArt: false, artFileName: String(year) }),
        ),
      )
      const inserted = results.filter((record) => record !== null)
      t.equal(inserted.length, 1)
      t.same(await one.artists.get('a'), inserted[0])
    },
  )

  t.test('serial keys rise and are never reused; a unique combination is taken once', async (t) => {
    const data = await fresh(t)
    t.equal((await data.history.insert(played('day/a', 1)))?.id, 1)
    t.equal((await data.history.insert(played('day/a', 2)))?.id, 2)
    t.equal(await data.history.insert(played('day/a', 2)), null)
    t.equal((await data.history.insert(played('day/b', 2)))?.id, 3)
    t.equal(await data.history.delete({ id: 3 }), 1)
    t.equal((await data.history.insert(played('day/b', 2)))?.id, 4)
    await data.history.put({ id: 9, ...played('day/c', 5) })
    t.equal((await data.history.insert(played('day/c', 6)))?.id, 10)
    await t.rejects(data.history.put({ id: 11, ...played('day/c', 5) }))
    await t.rejects(data.history.update({ trackId: 'day/c' }, { playedAt: 7 }), 'two would become one')
    t.same(ids(await data.history.find()), [1, 2, 4, 9, 10])
  })

  t.test('a name is taken once: a clip per family, a group, an account, whatever their keys', async (t) => {
    const data = await fresh(t)
    const clip = (id: string, family: ClipFamily, nameKey: string): ClipRecord => {
      const facts = { filename: nameKey, mode: 'day', duration: 1, used: true, createdAt: 1 } as const
      return { id, family, nameKey, ...facts }
    }
    const group = (id: string, nameKey: string): GroupRecord => {
      return { id, nameKey, name: nameKey, mode: 'day', songs: [], createdAt: 1, revision: 1 }
    }
    const admin = (adminId: string, loginKey: string): AdminRecord => {
      const facts = { privileges: [], authorized: false, createdAt: 1, updatedAt: 1 }
      return { adminId, loginKey, login: loginKey, passwordHash: '', temporarySinceMs: 1, ...facts }
    }
    t.ok(await data.clips.insert(clip('1', 'jingles', 'a.mp3')))
    t.equal(await data.clips.insert(clip('2', 'jingles', 'a.mp3')), null)
    t.ok(await data.clips.insert(clip('2', 'phrases', 'a.mp3')))
    t.ok(await data.groups.insert(group('1', 'morning')))
    t.equal(await data.groups.insert(group('2', 'morning')), null)
    await data.groups.put(group('2', 'evening'))
    await t.rejects(data.groups.update({ id: '2' }, { nameKey: 'morning' }))
    t.equal(await data.groups.update({ id: '2' }, { nameKey: 'evening', name: 'Evening' }), 1, 'its own name')
    const claims = await Promise.all(['1', '2', '3'].map((id) => data.admins.insert(admin(id, 'oksana'))))
    t.equal(claims.filter(Boolean).length, 1)
    await t.rejects(data.admins.put(admin('4', 'oksana')))
  })

  t.test('a code is unique among pending donations, and an event is recorded once', async (t) => {
    const open = await place(t)
    const stores = [await open(), await open()] as const
    const donation = (id: string, claimKey = 'K7RW2P'): DonationRecord => {
      const song = { songId: 'day/a', songTitle: 'a', songArtist: 'b', amountMinor: 1, currency: 'UAH' }
      const about = { provider: 'matching_provider_1', tier: null, uid: 'u', matchCode: 'K7RW2P' } as const
      const state = {
        status: 'pending',
        queue: null,
        refusedWhy: null,
        airedAt: null,
        paidAt: null,
        reference: null,
      } as const
      return { id, claimKey, ...song, ...about, ...state, createdAt: 1, expiresAt: 2 }
    }
    const inserted = await Promise.all(
      ['1', '2', '3', '4'].map((id, i) => stores[i % 2]!.donations.insert(donation(id))),
    )
    const [first, ...more] = inserted.filter((record) => record !== null)
    t.same(more, [])
    const { id } = first!
    t.equal(await stores[0].donations.update({ id }, { status: 'expired', claimKey: id }), 1)
    t.ok(await stores[1].donations.insert(donation('5')), 'the code is free again')
    const entry = { donationId: id, event: 'claimed', onceKey: `claimed ${id}`, atMs: 1, note: '' } as const
    const told = await Promise.all([0, 1, 0, 1].map((i) => stores[i]!.ledger.insert(entry)))
    t.equal(told.filter(Boolean).length, 1)
  })

  t.test('the audit log numbers its entries', async (t) => {
    const data = await fresh(t)
    const entry = {
      adminId: 'super',
      adminLogin: 'a',
      operationType: 'login',
      createdAt: 1,
      data: {},
    }
    t.equal((await data.audit.insert(entry))?.id, 1)
    t.equal((await data.audit.insert(entry))?.id, 2)
    t.equal(await data.audit.delete(({ id }) => id === 2), 1)
    t.same(await data.audit.insert(entry), { id: 3, ...entry })
  })

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

  t.test('a closed store refuses changes', async (t) => {
    const data = await (await prepareLocation(t))()
    const last = data.offsets.put({ key: 'a', offset: 1 })
    await data.close()
    await last
    await t.rejects(data.offsets.put({ key: 'b', offset: 1 }))
  })
}
