import type { StreamMarker } from '@solstice/station'
import t from 'tap'
import { frameNumbers } from '../../../../tests/harness/air/hand-made-air.ts'
import { logicalStreams } from '../../../../tests/harness/audio/logical-streams.ts'
import { listen, station } from '../../../../tests/harness/servers/fan-out.ts'
import { headersBetween } from './ogg.ts'

const KBITS = 96
const CHUNK = 25
const marker = (frame: number, title: string): StreamMarker => ({
  ...{ frame, entryId: title, trackId: `day/${title}.mp3`, artist: 'Ann', title },
  ...{ positionMs: 0, durationMs: null },
})

/** A station that has sent so many chunks of a title. */
async function opusStation(t: Parameters<typeof station>[0], chunks: number) {
  const made = await station(t, KBITS, { codec: 'opus', lateMs: 20 })
  const { air } = made
  let next = 0
  const send = (title: string, titles = [marker(next, title)]) => {
    next += CHUNK
    return air.send(air.chunk(CHUNK, titles))
  }
  for (let i = 0; i < chunks; i++) send('One')
  return { ...made, send, edge: () => next }
}

/** A body without the two header pages that each listener gets for itself. */
const behindHeaders = (body: Buffer) => body.subarray(body.indexOf('OggS', body.indexOf('OpusTags')))

t.test('who joins gets header pages of the title and then the pages that all get', async (t) => {
  const { port, air, send } = await opusStation(t, 30)
  const early = await listen(port, '/stream', ['Icy-MetaData: 1'])
  t.match(early.head, /\r\nContent-Type: audio\/ogg\r\n/)
  t.notMatch(early.head, /icy-metaint/i, 'titles stand in the stream itself')
  send('One')
  const late = await listen(port)
  for (let i = 0; i < 5; i++) send('Two')
  const all = air.audioFrom(early.firstFrame)
  const HEADERS = early.body.length - behindHeaders(early.body).length
  await Promise.all([early, late].map((one) => one.got(HEADERS + air.audioFrom(one.firstFrame).length)))
  t.ok(behindHeaders(early.body).equals(all), 'shared pages')
  t.ok(early.body.includes(behindHeaders(late.body)), 'for the one who came later, too')
  const [one, two] = logicalStreams(late.body)
  t.match(one, { preSkip: 3_840, tags: ['TITLE=One', 'ARTIST=Ann'], begin: late.firstFrame, hasEnd: false })
  t.match(two, { preSkip: 0, tags: ['TITLE=Two', 'ARTIST=Ann'], begin: 0 })
  const numbers = frameNumbers(late.body, KBITS, 'opus')
  t.equal(numbers[0], late.firstFrame)
  t.equal(numbers.at(-1), 36 * CHUNK - 1)
})

t.test('who joins where a title begins gets its headers once', async (t) => {
  const { port, send } = await opusStation(t, 0)
  send('One')
  const player = await listen(port)
  await player.got(1)
  send('One')
  await player.got(behindHeaders(player.body).length + 1)
  t.match(logicalStreams(player.body), [{ serial: 0, begin: 0, preSkip: 0 }])
})

t.test('who resumes gets the page with the frame, and every sample', async (t) => {
  const { port, send, edge } = await opusStation(t, 30)
  const change = edge() + 10
  send('One', [marker(edge(), 'One'), marker(change, 'Two')])
  for (const [asked, first, title] of [
    [5 * CHUNK, 5 * CHUNK, 'One'],
    [5 * CHUNK + 7, 5 * CHUNK, 'One'],
    [change, change, 'Two'],
    [change + 4, change, 'Two'],
  ] as const) {
    const player = await listen(port, `/stream?from=${asked}`)
    t.equal(player.firstFrame, first, `${asked}`)
    await player.got(2_000)
    const [stream] = logicalStreams(player.body)
    t.match(stream, { preSkip: 0, tags: [`TITLE=${title}`, 'ARTIST=Ann'] })
    t.equal(frameNumbers(player.body, KBITS, 'opus')[0], first)
    player.socket.destroy()
  }
})

t.test('the frame that comes next is waited for, since its page tells the logical stream', async (t) => {
  const { port, send, edge, app } = await opusStation(t, 30)
  const from = edge()
  app.server.once('request', () => send('Two'))
  const player = await listen(port, `/stream?from=${from}`)
  t.equal(player.firstFrame, from)
  await player.got(2_000)
  t.match(logicalStreams(player.body), [{ serial: from, tags: ['TITLE=Two', 'ARTIST=Ann'] }])
})

t.test('chunks that a replica lacks leave a stream that can be read', async (t) => {
  const { port, air, send, edge } = await opusStation(t, 20)
  const player = await listen(port)
  const lost = air.chunk(CHUNK, [marker(edge(), 'Two')])
  const after = [lost.frame + CHUNK, lost.frame + 2 * CHUNK]
  for (const frame of after) air.send(air.chunk(CHUNK, [marker(frame, 'Two')]))
  await player.got(air.audioFrom(player.firstFrame).length)
  const [one, two, ...more] = logicalStreams(player.body)
  t.match(one, { tags: ['TITLE=One', 'ARTIST=Ann'] })
  t.match(two, { tags: ['TITLE=Two', 'ARTIST=Ann'], begin: CHUNK, serial: lost.frame })
  t.same(more, [])
  t.notOk(frameNumbers(player.body, KBITS, 'opus').includes(lost.frame))
  t.ok(send)
})

t.test('who is carried to another title gets its headers, within a title none', async (t) => {
  const { air, edge, send } = await opusStation(t, 0)
  send('One')
  const second = send('One')
  const third = send('One')
  const begun = send('Two')
  const later = air.chunk(CHUNK, [marker(edge(), 'Two')])
  t.same(headersBetween(second, third), [])
  const carried = Buffer.concat([...headersBetween(second, later), later.audio])
  t.match(logicalStreams(carried), [{ serial: begun.frame, begin: CHUNK, preSkip: 3_840 }])
  const onBegin = Buffer.concat([...headersBetween(second, begun), begun.audio])
  t.match(logicalStreams(onBegin), [{ serial: begun.frame, begin: 0, preSkip: 0 }], 'it has its own')
})
