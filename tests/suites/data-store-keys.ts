import type { ClipFamily } from '@solstice/contracts'
import {
  type AdminRecord,
  type ClipRecord,
  type Collection,
  type CollectionSpec,
  collections,
  type DonationRecord,
  type GroupRecord,
} from '@solstice/station'
import type { Test } from 'tap'
import { ids, type PrepareLocation, played, track } from './records.ts'

/** Rules of keys and of what is taken once. */
export function keySuite(t: Test, place: PrepareLocation): void {
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

  t.test('all records are the same array until something changes', async (t) => {
    const data = await fresh(t)
    const none = await data.tracks.find()
    t.equal(await data.tracks.find(), none, 'of an empty collection too')
    await data.tracks.insert(track('day/a'))
    const one = await data.tracks.find()
    t.not(one, none)
    t.equal(await data.tracks.find(), one)
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

  t.test(
    'an action is in the audit log once by its key, and entries without one are any number',
    async (t) => {
      const open = await place(t)
      const stores = [await open(), await open()] as const
      const [data] = stores
      const entry = { adminId: 'a', adminLogin: 'a', operationType: 'edit', createdAt: 1, data: {} }
      for (const store of stores) t.ok(await store.audit.insert(entry))
      const once = { ...entry, onceKey: 'edit 1' }
      const added = await Promise.all([0, 1, 0, 1].map((i) => stores[i]!.audit.insert(once)))
      t.equal(added.filter(Boolean).length, 1)
      t.equal((await stores[1].audit.find({ onceKey: 'edit 1' })).length, 1)
      t.equal((await data.audit.find()).length, 3)
      t.equal(await data.audit.update({ operationType: 'edit' }, { createdAt: 2 }), 3, 'all at once')
      await t.rejects(data.audit.update({ id: 1 }, { onceKey: 'edit 1' }))
      const contents = await data.audit.contents()
      await stores[1].audit.replaceAll(contents)
      t.same(await data.audit.contents(), contents)
      t.equal(await data.audit.insert(once), null, 'what came back counts')
      const [first] = contents.records.filter(({ onceKey }) => onceKey)
      const twice = [first!, { ...first!, id: 99 }]
      await t.rejects(data.audit.replaceAll({ records: twice, serial: 99 }))
      t.equal(await data.audit.delete({ onceKey: 'edit 1' }), 1)
      t.ok(await stores[1].audit.insert(once), 'the key is free again')
    },
  )
}
