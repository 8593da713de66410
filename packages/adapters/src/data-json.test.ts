import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type Process, start, temporaryFolder } from '../../../tests/harness/processes.ts'
import { randomFrom } from '../../../tests/harness/programme.ts'
import { programOf } from '../../../tests/harness/programs.ts'
import { dataStoreSuite, played, track } from '../../../tests/suites/data-store.ts'
import { openJsonData } from './data-json.ts'

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

t.test('the JSON store keeps the promises of every data store', async (t) => {
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

t.test('kill -9 at any moment leaves whole files with every record that was said to be safe', async (t) => {
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
      await wait(random(40))
      await writer.end()
      JSON.parse(readFileSync(join(folder, 'history.json'), 'utf8'))
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
    await writeFile(file, good.replaceAll('"title":"day/a"', '"title":"By hand"'))
    t.equal((await data.tracks.get('day/a'))?.title, 'By hand')
    t.ok(await data.tracks.insert(track('day/b')))
    await rename(file, join(folder, 'elsewhere'))
    await data.tracks.insert(track('day/c'))
    t.equal((await (await openIn(t, folder)).tracks.find()).length, 3, 'a file that vanished is written anew')
  },
)

t.test('what killed processes left is swept at start', async (t) => {
  const folder = await temporaryFolder(t)
  const leftovers = ['.tracks.0f.tmp', '.history.1e.tmp', 'tracks.lock.0123456789abcdef']
  for (const name of [...leftovers, 'notes.txt']) writeFileSync(join(folder, name), 'half')
  const data = await openJsonData(folder)
  await data.close()
  t.same(readdirSync(folder), ['notes.txt'])
})

t.test('a disk that takes no more refuses the change and keeps the old state', async (t) => {
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

t.test('thousands of changes at once are all kept, and what another process changes is seen', async (t) => {
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
