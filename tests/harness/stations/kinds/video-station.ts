import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { makeTone } from '../../audio/audio.ts'
import { asAdmin, SUPER_ADMIN } from '../../people/admin.ts'
import { isAlive, type Teardown, temporaryFolder } from '../../processes/processes.ts'
import { until } from '../../until.ts'
import { openApp } from '../app.ts'

/** A public address, so that no name needs resolving; nothing is ever sent there. */
export const SITE = 'https://93.184.216.34'
export const MAPPED = '[::ffff:7f00:1]'
export const linkTo = (video: string) => `${SITE}/watch?v=${video}`

/** A run of the tool, from its own point of view. */
interface Run {
  id: string
  pid: number
  child?: number
  folder: string
  args: string[]
  env: Record<string, string>
  cookies: { text: string; mode: number } | null
}

/** A stand-in for the download tool that behaves as documented and acts as the video's name says. */
const toolOf = (sound: string, journal: string) => `#!${process.execPath}
const fs = require('node:fs')
const args = process.argv.slice(2)
if (args.includes('--version')) { console.log('2026.01.01'); process.exit() }
const url = args.at(-1)
if (args.at(-2) !== '--') { console.error('no such option'); process.exit(2) }
const id = new URL(url).searchParams.get('v') ?? 'list'
const after = (option) => args.includes(option) ? args[args.indexOf(option) + 1] : null
const jar = after('--cookies')
const run = { id, pid: process.pid, folder: process.cwd(), args, env: process.env,
  cookies: jar && { text: fs.readFileSync(jar, 'utf8'), mode: fs.statSync(jar).mode & 0o777 } }
const note = () => fs.appendFileSync(${JSON.stringify(journal)}, JSON.stringify(run) + '\\n')
const hang = () => {
  run.child = require('node:child_process').spawn('sleep', ['1000'], { stdio: 'inherit' }).pid
  note()
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1000)
}
const info = { title: 'The Band - ' + id, uploader: 'Publisher', webpage_url: url, playlist: null }
const isAgain = fs.readFileSync(${JSON.stringify(journal)}, 'utf8').includes('"id":"' + id + '"')
if (args.includes('--dump-single-json')) {
  note()
  const entry = (_, i) => ({ _type: 'url', url: '${SITE}/watch?v=n' + i, title: 'Number ' + i })
  const foreign = { url: 'https://elsewhere.example/1', title: 'Of another site' }
  if (id === 'list') {
    const entries = [foreign, null, ...Array.from({ length: 101 }, entry)]
    console.log(JSON.stringify({ _type: 'playlist', playlist_count: 250, entries }))
  } else console.log(JSON.stringify(info))
} else if (id === 'hang' || (id === 'slow' && !isAgain)) {
  console.log(JSON.stringify(info))
  hang()
} else if (id === 'private') {
  note()
  console.error('ERROR: [site] private: Sign in')
  process.exit(1)
} else if (id === 'endless') {
  note()
  const more = 'x'.repeat(1 << 20)
  const print = () => process.stdout.write(more, print)
  print()
} else {
  note()
  if (id === 'song') Object.assign(info, { track: 'Song', artist: 'AC/DC', album: 'Album', release_year: 1999 })
  if (id === 'listed') info.playlist = 'a list'
  if (id === 'elsewhere') info.webpage_url = 'https://elsewhere.example/1'
  if (id === 'large') info.filesize = 1e9
  console.log(JSON.stringify(info))
  console.error('got 512 of NA or 1024')
  const file = after('--output').replace('%(ext)s', 'm4a')
  if (id === 'garbage') fs.writeFileSync(file, 'no sound')
  else if (id !== 'nothing') fs.copyFileSync(${JSON.stringify(sound)}, file)
  // Those refused because of their metadata would never end by themselves.
  if (['listed', 'elsewhere', 'large'].includes(id)) setInterval(() => {}, 1000)
}
`

/** Writes the stand-in, and the journal of its runs. */
export async function makeVideoTool(t: Teardown): Promise<{ tool: string; journal: string }> {
  const folder = await temporaryFolder(t)
  const [sound, tool, journal] = ['sound.mp3', 'tool', 'journal'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await makeTone(sound, { hz: 440, seconds: 1, title: 'Not this', artist: 'Nor this' })
  await writeFile(tool, toolOf(sound, journal))
  await chmod(tool, 0o755)
  await writeFile(journal, '')
  return { tool, journal }
}

/** A station that listens for requests and imports with the stand-in; its tests start the jobs. */
export async function openVideoStation(t: Test) {
  const { tool, journal } = await makeVideoTool(t)
  const station = await openApp(t, {
    ...SUPER_ADMIN,
    VIDEODOWN_PATH: tool,
    VIDEO_SITE_HOSTS: `video.example,93.184.216.34,127.0.0.1,169.254.169.254,localhost,${MAPPED}`,
    VIDEO_AUDIO_BITRATE: '96k',
  })
  const { ports, app } = station
  const admin = await asAdmin(station)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

  const runs = async () =>
    (await readFile(journal, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Run)
  /** The latest run for a video, once there are this many. */
  const runOf = async (id: string, count = 1): Promise<Run> => {
    let found: Run[] = []
    await until(`run ${count} for ${id}`, async () => {
      found = (await runs()).filter((run) => run.id === id)
      return found.length >= count
    })
    return found.at(-1)!
  }
  const isGone = async ({ pid, child, folder }: Run) => {
    const isThere = async () => isAlive(pid) || (child && isAlive(child)) || (await exists(folder))
    await until(`nothing is left of process ${pid}`, async () => !(await isThere()))
  }
  const staged = () => ports.media.list('.staged/day')
  const upload = (video: string) => admin.ask('POST /api/admin/upload-song-url', { url: linkTo(video) })
  return { station, tool, origin, admin, runs, runOf, isGone, staged, upload }
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
