import { once } from 'node:events'
import { codecs, type Mount } from '@solstice/station'
import t from 'tap'
import { frameNumbers, frameOf } from '../../../../tests/harness/air/hand-made-air.ts'
import { listen, station } from '../../../../tests/harness/servers/fan-out.ts'
import { inTime, until } from '../../../../tests/harness/until.ts'
import { METADATA_INTERVAL } from './icy.ts'
import { CADENCE } from './listeners.ts'

// Most of the time is spent waiting until a round is over.
t.jobs = 4

/** Takes the metadata blocks out. @throws when a block is not where the interval says. */
function withoutTitles(body: Buffer) {
  const audio: Buffer[] = []
  const titles: string[] = []
  let at = 0
  while (at < body.length) {
    audio.push(body.subarray(at, at + METADATA_INTERVAL))
    at += METADATA_INTERVAL
    if (at >= body.length) break
    const length = body[at]! * 16
    const text = body.toString('utf8', at + 1, at + 1 + length)
    if (at + 1 + length > body.length) break
    const title = /^StreamTitle='(.*)';\0*$/s.exec(text)
    if (!title) throw new Error(`no block at byte ${at}: ${JSON.stringify(text)}`)
    titles.push(title[1]!)
    at += 1 + length
  }
  return { audio: Buffer.concat(audio), titles }
}

const marker = (frame: number, title: string) => ({
  ...{ frame, entryId: title, trackId: `day/${title}.mp3`, artist: 'Ann', title },
  ...{ positionMs: 0, durationMs: null },
})

for (const { name, ...mount } of [
  { name: 'the first MP3', codec: 'mp3' },
  { name: 'another MP3', codec: 'mp3', isBeside: true },
  { name: 'AAC', codec: 'aac' },
] as const) {
  const { codec } = mount
  t.test(`${name}: a listener resumes exactly at the frame it asks for, while the ring has it`, async (t) => {
    const { port, air, app } = await station(t, 128, mount)
    for (let i = 0; i < 60; i++) air.send()
    let edge = 60 * 19
    for (const back of [1, 19, 300, 55 * 19 + 3, 0]) {
      for (const headers of [[], ['Icy-MetaData: 1']]) {
        const frame = edge - back
        const player = await listen(port, `/stream?from=${frame}`, headers)
        t.equal(player.firstFrame, frame)
        air.send()
        edge += 19
        const wanted = air.audioFrom(frame)
        await player.got(wanted.length)
        player.socket.destroy()
        const audio = headers.length > 0 ? withoutTitles(player.body).audio : player.body
        t.equal(frameNumbers(audio, 128, codec)[0], frame, `${frame} ${headers}`)
      }
    }
    // It may come from a replica that knew of the newest chunk a moment sooner.
    const asked = once(app.server, 'request')
    const coming = listen(port, `/stream?from=${edge + 20}`)
    await inTime('the request', asked)
    air.send()
    air.send()
    edge += 38
    t.equal((await coming).firstFrame, edge - 18, 'a frame that is about to come is waited for')
    ;(await coming).socket.destroy()
    for (const frame of [0, edge + 500]) {
      const player = await listen(port, `/stream?from=${frame}`)
      t.ok(player.firstFrame > edge - 400 && player.firstFrame < edge + 400, 'else it begins as all do')
      player.socket.destroy()
    }
  })

  t.test(`${name}: titles come at the same bytes of the mount, whenever a listener joined`, async (t) => {
    const { port, air } = await station(t, 128, mount)
    for (let i = 0; i < 30; i++) air.send(air.chunk(19, [marker(i * 19, "It's; 'one'")]))
    const early = await listen(port, '/stream', ['Icy-MetaData: 1'])
    for (let i = 0; i < 3; i++) air.send(air.chunk(19, [marker((30 + i) * 19, 'two')]))
    const late = await listen(port, '/stream', ['Icy-MetaData: 1'])
    const plain = await listen(port)
    for (let i = 0; i < 20; i++) air.send(air.chunk(19, [marker((33 + i) * 19, 'two')]))
    const all = air.audioFrom(early.firstFrame)
    await Promise.all([early.got(all.length), late.got(air.audioFrom(late.firstFrame).length)])
    await plain.got(air.audioFrom(plain.firstFrame).length)
    const [first, second] = [withoutTitles(early.body), withoutTitles(late.body)]
    const tail = all.subarray(-100_000, -20_000)
    t.ok(first.audio.includes(tail) && second.audio.includes(tail), 'the audio is the mount')
    t.equal(first.titles[0], "Ann - It's; 'one'")
    t.equal(first.titles.at(-1), 'Ann - two')
    const end = early.body.length - 60_000
    t.ok(late.body.includes(early.body.subarray(end, end + 50_000)), 'blocks lie at the same bytes')
  })
}

/** In frames. */
const HALF_SECOND = { mp3: 19, aac: 22, opus: 25 } as const

for (const { codec, isBeside = false, titles = false, hasReserve = false } of [
  { codec: 'mp3' },
  { codec: 'mp3', titles: true },
  { codec: 'mp3', hasReserve: true },
  { codec: 'mp3', titles: true, hasReserve: true },
  { codec: 'mp3', isBeside: true },
  { codec: 'mp3', isBeside: true, titles: true },
  { codec: 'aac' },
  { codec: 'aac', titles: true },
  { codec: 'aac', hasReserve: true },
  { codec: 'aac', titles: true, hasReserve: true },
  { codec: 'opus' },
  { codec: 'opus', titles: true },
  { codec: 'opus', hasReserve: true },
  { codec: 'opus', titles: true, hasReserve: true },
] as const satisfies { codec: Mount['codec']; isBeside?: true; titles?: true; hasReserve?: true }[]) {
  const hasBlocks = titles && codec !== 'opus'
  const headers = hasBlocks ? ['Icy-MetaData: 1'] : []
  const mount = `${isBeside ? 'another ' : ''}${codec}`
  const kind = `${mount}, ${titles ? 'with titles' : 'plain'}${hasReserve ? ', with a reserve' : ''}`

  t.test(
    `${kind}: who stops reading is carried to the edge, later closed; others notice nothing`,
    { buffered: true },
    async (t) => {
      const kbits = 128
      const { port, air, fanOut, sockets } = await station(t, kbits, { lateMs: 20, codec, isBeside })
      const frames = HALF_SECOND[codec]
      let [chunks, sent] = [0, 0]
      const send = () => {
        // Another title at the edge.
        const title = `Song ${Math.floor(chunks / 16)}`
        const markers = titles ? [marker(chunks * frames, title)] : []
        sent += air.send(air.chunk(frames, markers)).audio.length
        chunks++
      }
      // All that a new listener gets at once.
      const reserve = Math.floor(8_000 / (frames * codecs[codec].frameMs))
      for (let i = 0; i < (hasReserve ? reserve : 1); i++) send()
      const well = await listen(port)
      /** Half seconds of sound, all at once. */
      const feed = async (count = 5) => {
        for (let i = 0; i < count; i++) send()
        await well.got(sent)
      }
      const slow = await listen(port, '/stream', headers)
      const behind = sockets[1]!
      slow.socket.pause()
      await until('a slow listener falls behind', async () => {
        await feed(15)
        return behind.writableLength > 0
      })
      for (let i = 0; i < 5; i++) await feed()
      // The sound of one turn, and what its pages and titles add.
      const turnBytes = (sent / chunks) * CADENCE
      t.ok(
        behind.writableLength < 1.1 * turnBytes,
        `${behind.writableLength} bytes are kept for it, whatever comes`,
      )
      slow.socket.resume()
      await until('it has what was kept for it', () => behind.writableLength === 0)
      await feed()
      await feed()
      const audioOf = () => (hasBlocks ? withoutTitles(slow.body).audio : slow.body)
      const edge = air.chunk(1).frame - 1
      while (!slow.body.subarray(-20_000).includes(frameOf[codec](edge, kbits)))
        await slow.got(slow.body.length + 1)
      const numbers = frameNumbers(audioOf(), kbits, codec)
      const jumps = numbers.filter((number, i) => i > 0 && number !== numbers[i - 1]! + 1)
      t.equal(jumps.length, 1, 'one jump, from a whole frame to a whole frame')
      t.equal(fanOut.listeners, 2)

      air.jump({ frame: edge + 1 })
      slow.socket.pause()
      for (let i = 0; i < 200 && fanOut.listeners > 1; i++) await feed(15)
      t.equal(fanOut.listeners, 1, 'closed')
      t.match(fanOut.totals, { skips: 1, closed: 1 })
      t.same(
        frameNumbers(well.body, kbits, codec).filter((number, i, all) => i > 0 && number !== all[i - 1]! + 1)
          .length,
        0,
        'the other got every frame',
      )
      slow.socket.destroy()
    },
  )
}
