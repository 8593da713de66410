import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Ports, Starved } from '@solstice/adapters'
import t from 'tap'
import { makePicture, withCover } from '../../../../tests/harness/audio/pictures.ts'
import { tone } from '../../../../tests/harness/people/upload-station.ts'
import { openApp } from '../../../../tests/harness/stations/app.ts'
import { createPictureReading } from './read-pictures.ts'

const blue = await makePicture({ width: 120, height: 120, color: '0x2050c0' })
const red = await makePicture({ width: 120, height: 120, color: '0xc02020' })

/** Runs of the job that note which files are read. */
function watch(ports: Ports) {
  const read: string[] = []
  const steps: number[][] = []
  const tags: Ports['tags'] = {
    ...ports.tags,
    readCover(path) {
      read.push(path.slice(path.lastIndexOf('/') + 1))
      return ports.tags.readCover(path)
    },
  }
  /** A process of the station. */
  const fresh = () => {
    const job = createPictureReading({ ...ports, tags })
    return (stopping = new AbortController().signal) =>
      job({ stopping, progress: async (done, total) => void steps.push([done, total]) })
  }
  return { fresh, steps, taken: () => read.splice(0).sort() }
}

t.test(
  'old tracks are looked at once, also those without a cover, and again when a file was replaced',
  async (t) => {
    const { ports, addTrack, folder } = await openApp(t, { MEDIA_STORAGE: 'local' })
    const { data } = ports
    await addTrack('day/a.mp3', withCover(tone, blue))
    await addTrack('day/b.mp3', tone)
    await addTrack('night/c.mp3', withCover(tone, blue))
    await addTrack('day/gone.mp3', null)
    const { fresh, steps, taken } = watch(ports)
    const run = fresh()
    await run()
    t.same(taken(), ['a.mp3', 'b.mp3', 'c.mp3'])
    t.same(
      steps,
      [
        [1, 4],
        [2, 4],
        [3, 4],
        [4, 4],
      ],
      'the board shows how far it is',
    )
    const coverOf = async (id: string) => (await data.trackCovers.get(id))?.coverId
    t.match(await coverOf('day/a.mp3'), /^[0-9a-f]{32}$/)
    t.equal(await coverOf('night/c.mp3'), await coverOf('day/a.mp3'))
    t.equal(await coverOf('day/b.mp3'), null)
    t.equal(await coverOf('day/gone.mp3'), undefined)

    await run()
    await fresh()()
    t.same(taken(), [])

    const before = await coverOf('day/a.mp3')
    await writeFile(join(folder, 'media/music/day/a.mp3'), withCover(tone, red))
    await fresh()()
    t.same(taken(), ['a.mp3'])
    t.not(await coverOf('day/a.mp3'), before)
    t.equal((await data.covers.find()).length, 2)
  },
)

t.test('a job that was stopped goes on where it was', async (t) => {
  const { ports, addTrack } = await openApp(t, { MEDIA_STORAGE: 'local' })
  for (const name of ['a', 'b', 'c']) await addTrack(`day/${name}.mp3`, withCover(tone, blue))
  const stopping = new AbortController()
  const { fresh, taken } = watch(ports)
  const put = ports.data.trackCovers.put.bind(ports.data.trackCovers)
  ports.data.trackCovers.put = async (record) => {
    await put(record)
    stopping.abort()
  }
  await t.rejects(fresh()(stopping.signal))
  t.equal(taken().length, 1)
  await fresh()()
  t.equal(taken().length, 2)
})

t.test('a picture for which the machine had no time is read when the job runs again', async (t) => {
  const { ports, addTrack } = await openApp(t, { MEDIA_STORAGE: 'local' })
  await addTrack('day/a.mp3', withCover(tone, blue))
  await addTrack('day/b.mp3', withCover(tone, red))
  const { fresh, taken } = watch(ports)
  const { pictures } = ports
  const show = pictures.show.bind(pictures)
  let isBusy = true
  pictures.show = async (picture, sizes) => {
    if (!isBusy) return show(picture, sizes)
    isBusy = false
    throw new Starved()
  }
  await t.rejects(fresh()(), { name: 'Starved' }, 'the queue runs it again')
  t.equal(taken().length, 2, 'meanwhile the other one is read')
  await fresh()()
  t.equal(taken().length, 1)
  const covers = await ports.data.trackCovers.find()
  t.ok(covers.length === 2 && covers.every(({ coverId }) => coverId !== null))
})

t.test("the colour of an artist's image is found once", async (t) => {
  const { ports } = await openApp(t, { MEDIA_STORAGE: 'local' })
  const { data, media } = ports
  await media.put('arts/hilda.jpg', blue)
  await media.put('arts/noise.jpg', Buffer.from('noise'))
  await data.artists.put({ artist: 'hilda', hasArt: true, artFileName: 'hilda.jpg' })
  await data.artists.put({ artist: 'noise', hasArt: true, artFileName: 'noise.jpg' })
  await data.artists.put({ artist: 'plain', hasArt: false, artFileName: '' })
  await watch(ports).fresh()()
  t.match((await data.artists.get('hilda'))?.color, /^#[0-3].[3-6].[a-f]./)
  t.equal((await data.artists.get('noise'))?.color, null)
  t.equal((await data.artists.get('plain'))?.color, undefined)
})
