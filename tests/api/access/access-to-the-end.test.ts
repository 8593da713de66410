import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { allRoutes, type Privilege, type Route } from '@solstice/contracts'
import { collectionNames, contentsOf } from '@solstice/station'
import t from 'tap'
import { makeTone } from '../../harness/audio/audio.ts'
import { asAdmin, SUPER_ADMIN } from '../../harness/people/admin.ts'
import { temporaryFolder } from '../../harness/processes/processes.ts'
import { openApp } from '../../harness/stations/app.ts'

const folder = await temporaryFolder(t)
await makeTone(join(folder, 'tone.mp3'), { hz: 440, seconds: 1, title: 'x', artist: 'y' })
const image = [
  '-nostdin',
  '-loglevel',
  'error',
  '-f',
  'lavfi',
  '-i',
  'color=red:size=60x90',
  '-frames:v',
  '1',
]
await promisify(execFile)('ffmpeg', [...image, join(folder, 'image.jpg')])

t.test('an upload is refused when its sender loses the right during the transfer', async (t) => {
  const station = await openApp(t, { ...SUPER_ADMIN, STREAM_MODE: 'true', RADIO_HOSTS_MODE: 'true' })
  const { app, ports } = station
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const isUpload = ({ body, access }: Route) => body && 'upload' in body && access !== 'public'
  const uploads = (allRoutes as readonly Route[]).filter(isUpload)
  t.equal(uploads.length, 5)
  const everything = async () =>
    Promise.all([
      // Session activity is recorded whatever the outcome of the request.
      ...collectionNames
        .filter((name) => name !== 'sessions')
        .map(async (name) => [name, await contentsOf(ports.data, name)]),
      ...['.staged/day', 'day', 'arts', 'jingles/day', 'phrases/day', 'background-music/day'].map(
        ports.media.list,
      ),
    ])

  for (const { path, access, body } of uploads) {
    const { all } = access as { all: Privilege[] }
    const isImage = (body as { kind?: string }).kind === 'jpeg'
    const bytes = await readFile(join(folder, isImage ? 'image.jpg' : 'tone.mp3'))
    const begin = async () => {
      const { token } = await asAdmin(station, all)
      const before = await everything()
      const sending = request(`${address}${path}?artist=Hilda`, {
        method: 'POST',
        agent: false,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': isImage ? 'image/jpeg' : 'audio/mpeg',
          'content-length': bytes.length,
          'x-file-name': 'x.mp3',
          expect: '100-continue',
        },
      })
      const answered = once(sending, 'response') as Promise<[IncomingMessage]>
      sending.flushHeaders()
      // By then it has passed the gate.
      await once(sending, 'continue')
      sending.write(bytes.subarray(0, -1))
      const end = async () => {
        sending.end(bytes.subarray(-1))
        const [answer] = await answered
        return { status: answer.statusCode, body: await json(answer) }
      }
      return { before, end }
    }
    const adminId = `helper with ${all.join()}`
    const losses: [string, () => Promise<unknown>, object][] = [
      ['the account', () => ports.data.admins.delete({ adminId }), { status: 401 }],
      ['the privilege', () => ports.data.admins.update({ adminId }, { privileges: [] }), { status: 403 }],
    ]
    for (const [what, lose, refused] of losses) {
      const { before, end } = await begin()
      await lose()
      t.match(await end(), refused, `${path} without ${what}`)
      await asAdmin(station, all)
      t.same(await everything(), before, `${path} without ${what}: nothing is kept`)
    }
    t.match(await (await begin()).end(), { status: 200 }, `${path} with both`)
  }
})
