import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sleep } from '@solstice/station'
import t, { type Test } from 'tap'
import { randomFrom } from '../../../../../tests/harness/air/programme.ts'
import {
  type Process,
  root,
  start,
  temporaryFolder,
} from '../../../../../tests/harness/processes/processes.ts'
import { programOf } from '../../../../../tests/harness/processes/programs.ts'
import { until } from '../../../../../tests/harness/until.ts'
import { dataStoreSuite } from '../../../../../tests/suites/data-store.ts'
import { played, track } from '../../../../../tests/suites/records.ts'
import { openJsonData } from './store.ts'

const writer = await programOf('tests/suites/data-writer.ts')

function startWriter(t: Test, folder: string, name: string, records: number): Process {
  return start(t, process.execPath, [writer, folder, name, String(records)])
}

async function begin(writers: Process[]): Promise<void> {
  await Promise.all(writers.map((writer) => writer.printed(/^ready$/m)))
  for (const writer of writers) writer.child.kill('SIGUSR2')
}

/** The numbers that a writer was told were safe. */
function acknowledged({ output }: Process): number[] {
  return [...output.matchAll(/^safe (\d+) as/gm)].map(([, n]) => Number(n))
}

async function openIn(t: Test, folder: string) {
  const data = await openJsonData(folder)
  t.teardown(() => data.close())
  return data
}

t.test('the JSON store fulfils the contract of data stores', async (t) => {
  dataStoreSuite(t, async (t) => {
    const folder = await temporaryFolder(t)
    return () => openJsonData(folder)
  })
})

t.test('five processes write at once and nothing is lost', async (t) => {
  const folder = await temporaryFolder(t)
  const data = await openIn(t, folder)
  await data.offsets.put({ key: 'counter', offset: 0 })
  const names = ['a', 'b', 'c', 'd', 'e']
  const writers = names.map((name) => startWriter(t, folder, name, 20))
  await begin(writers)
  await Promise.all(writers.map((writer) => writer.printed(/^done$/m)))
  const history = await data.history.find()
  for (const name of names) {
    const numbers = history.filter(({ trackId }) => trackId === name).map(({ playedAt }) => playedAt)
    t.same(
      numbers,
      Array.from({ length: 20 }, (_, i) => i + 1),
      `all records of ${name}, in its order`,
    )
  }
  t.equal(new Set(history.map(({ id }) => id)).size, 100, 'every serial number was given once')
  t.equal((await data.offsets.get('counter'))?.offset, 100, 'no step of the shared counter was lost')
})

t.test('kill -9 at any moment leaves whole files with every record that was reported as safe', async (t) => {
  const chosen = randomInt(2 ** 31)
  t.comment(`seed ${chosen}`)
  const random = randomFrom(chosen)
  const folder = await temporaryFolder(t)
  const seed = await openIn(t, folder)
  await seed.offsets.put({ key: 'counter', offset: 0 })
  // A file of some size, so that a kill often meets a write.
  await Promise.all(Array.from({ length: 3000 }, (_, at) => seed.history.insert(played('seed', at))))
  for (let round = 0; round < 2; round++) {
    const writers = Array.from({ length: 5 }, (_, i) => startWriter(t, folder, `${round}/${i}`, 1_000_000))
    await begin(writers)
    // The first writer to be killed has written; the others are wherever they are.
    const first = await Promise.any(writers.map((writer) => writer.printed(/^safe 2 as/m).then(() => writer)))
    for (const writer of [first, ...writers.filter((other) => other !== first)]) {
      await sleep(random(40))
      await writer.end()
      const file = readFileSync(join(folder, 'history.json'), 'utf8')
      for (const line of file.split('\n').slice(0, -1)) JSON.parse(line)
    }
    const history = await (await openIn(t, folder)).history.find()
    const found = new Set(history.map(({ trackId, playedAt }) => `${trackId} ${playedAt}`))
    const safe = writers.flatMap((writer, i) => acknowledged(writer).map((n) => `${round}/${i} ${n}`))
    t.same(
      safe.filter((record) => !found.has(record)),
      [],
      `round ${round}: all of ${safe.length} records are there`,
    )
    t.equal(found.size, history.length, 'no record is there twice')
    t.equal(history.filter(({ trackId }) => trackId === 'seed').length, 3000)
  }
  t.ok(await seed.history.insert(played('last', 1)), 'a lock that the dead left is taken over')
  await (await openJsonData(folder)).close()
  t.same(readdirSync(folder).sort(), ['history.json', 'offsets.json'], 'and nothing else is left of them')
})

t.test('a file that cannot be understood is named at start and left as it is', async (t) => {
  const broken = {
    'half of a file': '{"version":1,"serial":0,"records":[{"id":"day/a","tit',
    'another format': '{"version":2,"serial":0,"records":[]}',
    'no records': '[]',
    'a record without a key': '{"version":1,"serial":0,"records":[{"title":"a"}]}',
    'a key twice': '{"version":1,"serial":0,"records":[{"id":"a"},{"id":"a"}]}',
    'an empty file': '',
  }
  for (const [what, text] of Object.entries(broken)) {
    const folder = await temporaryFolder(t)
    const file = join(folder, 'tracks.json')
    await writeFile(file, text)
    await t.rejects(openJsonData(folder), { message: new RegExp(`^${file} cannot be understood`) }, what)
    t.equal(await readFile(file, 'utf8'), text, 'and it is left alone')
  }
})

t.test(
  'a file broken by hand while the station runs: reads go on, changes wait for the repair',
  async (t) => {
    const folder = await temporaryFolder(t)
    const file = join(folder, 'tracks.json')
    const data = await openIn(t, folder)
    await data.tracks.insert(track('day/a'))
    const good = await readFile(file, 'utf8')
    await writeFile(file, good.slice(0, -20))
    t.equal((await data.tracks.get('day/a'))?.title, 'day/a')
    await t.rejects(data.tracks.insert(track('day/b')), { message: /cannot be understood/ })
    t.equal(await readFile(file, 'utf8'), good.slice(0, -20))
    await writeFile(file, good)
    t.ok(await data.tracks.insert(track('day/0')))
    const records = [track('day/a', { title: 'By hand' })]
    await writeFile(file, JSON.stringify({ version: 1, serial: 0, records }))
    t.equal((await data.tracks.get('day/a'))?.title, 'By hand')
    t.ok(await data.tracks.insert(track('day/b')))
    await rename(file, join(folder, 'elsewhere'))
    await data.tracks.insert(track('day/c'))
    t.equal((await (await openIn(t, folder)).tracks.find()).length, 3, 'a file that vanished is written anew')
  },
)

t.test(
  'a file of a station before is taken up, also by two that start at once, and what follows is read on',
  async (t) => {
    const folder = await temporaryFolder(t)
    const file = join(folder, 'history.json')
    const records = Array.from({ length: 50 }, (_, i) => ({ id: 2 * i + 1, ...played('day/a', i) }))
    await writeFile(
      file,
      `{"version":1,"serial":120,"records":[\n${records.map((one) => JSON.stringify(one))}\n]}\n`,
    )
    const [one, other] = await Promise.all([openIn(t, folder), openIn(t, folder)])
    await until('it is of the new format', async () => /^\{"format"/.test(await readFile(file, 'utf8')))
    t.same(await one.history.contents(), { records, serial: 120 })
    t.equal((await other.history.insert(played('day/b', 1)))?.id, 121)
    t.equal(
      (await one.history.find({ trackId: 'day/b', playedAt: 1 }))[0]?.id,
      121,
      'by a unique combination',
    )
    t.same(await one.history.find({ trackId: 'day/b', playedAt: 1, title: 'another' }), [])
    t.same(await one.history.find({ trackId: 'day/b', playedAt: 2 }), [])
    t.same((await (await openIn(t, folder)).history.find()).length, 51)
  },
)

t.test('a change is one more line, and other processes read only that line', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'offsets.json')
  const [one, other] = [await openIn(t, folder), await openIn(t, folder)]
  await one.offsets.put({ key: 'rests', offset: 1 })
  const rests = await other.offsets.get('rests')
  const before = await readFile(file, 'utf8')
  await one.offsets.put({ key: 'moves', offset: 0 })
  const after = await readFile(file, 'utf8')
  t.ok(after.startsWith(before))
  t.equal(after.slice(before.length).split('\n').length, 2)
  // Changes beyond the thousandth make the file anew, whoever follows from whatever moment.
  const late = await openIn(t, folder)
  await late.offsets.find()
  for (let n = 1; n <= 1_100; n++) {
    await one.offsets.put({ key: 'moves', offset: n })
    if (n % 100 === 0) t.equal((await other.offsets.get('moves'))?.offset, n)
  }
  t.ok(readFileSync(file).length < 1_100 * 50, 'outdated lines are gone')
  t.equal((await late.offsets.get('moves'))?.offset, 1_100)
  t.equal(await other.offsets.get('rests'), rests, 'the very record that was read at first')
  t.same((await (await openIn(t, folder)).offsets.find()).length, 2)
})

t.test(
  'half a line at the end counts for nothing, and neither does one of a process that had lost its lock',
  async (t) => {
    const folder = await temporaryFolder(t)
    const file = join(folder, 'offsets.json')
    const data = await openIn(t, folder)
    for (const offset of [1, 2, 3]) await data.offsets.put({ key: 'a', offset })
    const lines = (await readFile(file, 'utf8')).split('\n')
    const last = lines.at(-2)!
    await writeFile(file, `${lines.slice(0, -2).join('\n')}\n${last.slice(0, -5)}`)
    t.equal((await (await openIn(t, folder)).offsets.get('a'))?.offset, 2, 'torn by a crash')
    t.equal((await data.offsets.get('a'))?.offset, 2)
    await data.offsets.put({ key: 'a', offset: 4 })
    const whole = await readFile(file, 'utf8')
    t.notOk(whole.includes(last.slice(0, -5)), 'what was torn is gone')
    await writeFile(file, whole + last.replace('"offset":3', '"offset":9').concat('\n'))
    t.equal((await data.offsets.get('a'))?.offset, 4, 'written beside the lock')
    await data.offsets.put({ key: 'a', offset: 5 })
    t.equal((await (await openIn(t, folder)).offsets.get('a'))?.offset, 5)
  },
)

t.test('a writer that lost its lock changes nothing', async (t) => {
  const folder = await temporaryFolder(t)
  const data = await openIn(t, folder)
  const large = { ...played('large', 0), album: 'x'.repeat(20_000_000) }
  const change = data.history.insert(large)
  const refused = t.rejects(change, { cause: { message: /took the lock over/ } })
  const isWriting = () => readdirSync(folder).some((name) => /^\.history\..*tmp$/.test(name))
  await until('the change is being written', () => isWriting(), 0)
  writeFileSync(join(folder, 'history.lock'), 'of another process')
  await refused
  t.same(readdirSync(folder), ['history.lock'], 'the lock of the successor stays')
})

t.test('a record that is reported as safe is on disk, and so is the name of its file', async (t) => {
  const folder = await temporaryFolder(t)
  await (await openIn(t, folder)).offsets.put({ key: 'counter', offset: 0 })
  const watched = start(t, process.execPath, [
    '--import',
    join(root, 'tests/harness/processes/told-writes.mjs'),
    writer,
    folder,
    'w',
    '2',
    'and spools',
  ])
  await begin([watched])
  await watched.printed(/^kept$/m)
  const told = watched.output.split('\n').flatMap((line) => {
    const plain = line
      .replaceAll(`${folder}/`, '')
      .replaceAll(folder, 'folder')
      .replace(/\.[\w-]{36}/, '.draft')
      .replace(/[\da-f]{64}/, 'digest')
    return /history\.(?!lock)|folder|safe|kept|deliveries/.test(plain) ? plain : []
  })
  const [first, second] = [told.indexOf('safe 1 as 1'), told.indexOf('safe 2 as 2')]
  t.same(told.slice(0, first), [
    'sync .history.draft.tmp',
    'rename .history.draft.tmp history.json',
    'sync folder',
  ])
  t.same(told.slice(first + 1, second), ['write history.json', 'sync history.json'])
  t.same(
    told.slice(second + 1, told.indexOf('kept')),
    [
      'sync deliveries/.draft',
      'rename deliveries/.draft deliveries/digest.json',
      'sync deliveries',
      'sync folder',
    ],
    'a delivery that waits for the store',
  )
})

t.test('leftovers of killed processes are swept at start', async (t) => {
  const folder = await temporaryFolder(t)
  const leftovers = ['.tracks.0f.tmp', '.history.1e.tmp', 'tracks.lock.0123456789abcdef']
  for (const name of [...leftovers, 'notes.txt']) writeFileSync(join(folder, name), 'half')
  const data = await openJsonData(folder)
  await data.close()
  t.same(readdirSync(folder), ['notes.txt'])
})

t.test('on a full disk a change is refused and the old state kept', async (t) => {
  const folder = await temporaryFolder(t)
  const data = await openIn(t, folder)
  await data.offsets.put({ key: 'counter', offset: 0 })
  const large = { ...played('large', 0), album: 'x'.repeat(1_000_000) }
  await data.history.insert(large)
  const before = readFileSync(join(folder, 'history.json'), 'utf8')
  // A limit of 512 000 or, in some shells, 1 024 000 bytes per file: one byte more gives EFBIG, as a full disk gives ENOSPC.
  const shell = ['-c', 'ulimit -f 1000; exec "$@"', 'sh', process.execPath, writer, folder, 'w', '5']
  const limited = start(t, 'sh', shell)
  await begin([limited])
  t.match(await limited.printed(/^refused: .*$/m), /history\.json could not be written; nothing was changed/)
  t.match(limited.output, /EFBIG|ENOSPC/)
  await limited.exited
  t.equal(readFileSync(join(folder, 'history.json'), 'utf8'), before)
  t.same(readdirSync(folder).sort(), ['history.json', 'offsets.json'])
  t.equal((await data.history.insert(played('after', 1)))?.id, 2)
})

t.test('thousands of concurrent changes are all kept, and changes of another process are seen', async (t) => {
  const folder = join(await temporaryFolder(t), 'made/when/absent')
  await mkdir(folder, { recursive: true })
  const data = await openIn(t, folder)
  const named = (i: number) => track(`day/Song number ${i}.mp3`)
  await Promise.all(Array.from({ length: 10_000 }, (_, i) => data.tracks.insert(named(i))))
  const { id } = named(5000)
  const other = await openIn(t, folder)
  await other.tracks.update({ id }, { year: 2 })
  t.equal((await data.tracks.get(id))?.year, 2)
  t.equal((await data.tracks.find()).length, 10_000)
})
