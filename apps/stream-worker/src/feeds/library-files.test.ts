import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openLocalMedia, readConfig } from '@solstice/adapters'
import type { Mode, Track } from '@solstice/contracts'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { createLibraryFiles } from './library-files.ts'

const log = pino({ level: 'silent' })
const { config } = readConfig({ JWT_SECRET: '-', MEDIA_STORAGE: 'local' })

function track(mode: Mode, name: string): Track {
  const id = `${mode}/${name}.mp3`
  const about = { title: name, artist: name, album: '', year: null, duration: 60 }
  return { id, ...about, mode, filename: `${name}.mp3`, storageKey: id }
}

async function prepare(t: Test, ...ids: string[]) {
  const folder = await temporaryFolder(t)
  const music = join(folder, 'music')
  const [day, night] = [join(music, 'day'), join(music, 'night')]
  await Promise.all([day, night].map((path) => mkdir(path, { recursive: true })))
  await Promise.all(ids.map((id) => writeFile(join(music, id), 'sound')))
  const media = await openLocalMedia(folder)
  t.teardown(() => media.close())
  const files = createLibraryFiles({ config, media, log })
  const present = async (mode: Mode, names: string[]) => {
    const found = await files.present(
      mode,
      names.map((name) => track(mode, name)),
    )
    return found.map(({ title }) => title)
  }
  return { music, day, media, files, present }
}

t.test('T7: tracks whose files are missing are left out, also those of a whole mode', async (t) => {
  const { day, files, present } = await prepare(t, 'day/a.mp3', 'day/b.mp3')
  t.same(await present('day', ['a', 'b', 'c']), ['a', 'b'])
  t.ok(files.areMissing)
  t.same(await present('night', ['d']), [])
  await rename(join(day, 'b.mp3'), join(day, 'c.mp3'))
  t.same(await present('day', ['a', 'b', 'c']), ['a', 'c'])
  await files.find('day/c.mp3')
  await t.rejects(files.find('day/b.mp3'), { code: 'NOT_FOUND' })
})

t.test('T7: a file behind a link is present, one that a link leads out of the folder is not', async (t) => {
  const { day, present, files } = await prepare(t, 'day/a.mp3')
  await symlink(join(day, 'a.mp3'), join(day, 'b.mp3'))
  await symlink('/etc/hostname', join(day, 'c.mp3'))
  t.same(await present('day', ['a', 'b', 'c']), ['a', 'b'])
  await t.rejects(files.find('day/c.mp3'), { code: 'NOT_FOUND' })
})

t.test('T7: a storage that has no music at all, or cannot be read, leaves nothing out', async (t) => {
  const { music, present, files } = await prepare(t)
  t.same(await present('day', ['a', 'b']), ['a', 'b'])
  t.notOk(files.areMissing)
  await t.rejects(files.find('day/a.mp3'), /no music at all/)
  await rm(music, { recursive: true })
  t.same(await present('day', ['a', 'b']), ['a', 'b'])
  await writeFile(music, 'a file where a folder was')
  t.same(await present('day', ['a', 'b']), ['a', 'b'])
})
