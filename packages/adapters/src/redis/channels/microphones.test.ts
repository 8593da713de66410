import type { MicrophoneLevel, MicrophonePiece } from '@solstice/station'
import { Redis } from 'ioredis'
import t from 'tap'
import { startRedis, type Teardown } from '../../../../../tests/harness/processes/processes.ts'
import { inTime, waiting } from '../../../../../tests/harness/until.ts'
import { openReplicas } from '../../air/replicas.ts'
import { openMicrophones } from './microphones.ts'

function connect(t: Teardown, url: string) {
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 50 })
  redis.on('error', () => {})
  t.teardown(() => redis.disconnect())
  return redis
}

t.test('speech reaches the worker, asked-for heads the replicas, also after Redis was away', async (t) => {
  const server = await startRedis(t)
  const open = () => {
    const microphones = openMicrophones(connect(t, server.url))
    t.teardown(() => microphones.close())
    return microphones
  }
  const [replica, worker] = [open(), open()]
  const pieces: MicrophonePiece[] = []
  const wanted: string[] = []
  const told = waiting()
  await worker.receive((piece) => {
    pieces.push(piece)
    told.changed()
  })
  await replica.onHeadWanted((socketId) => {
    wanted.push(socketId)
    told.changed()
  })
  /** Does it again until it was heard: what is sent while a connection is made anew is lost. */
  const heard = async (what: string, work: () => void, isThere: () => boolean) => {
    const again = setInterval(work, 200)
    t.teardown(() => clearInterval(again))
    work()
    await told.until(what, isThere)
    clearInterval(again)
  }

  const bytes = Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0, 255, 13, 10])
  await heard(
    'speech',
    () => replica.send({ socketId: 'Їжак 1', bytes }),
    () => pieces.length > 0,
  )
  t.same(pieces[0], { socketId: 'Їжак 1', bytes })
  await heard(
    'that a head is wanted',
    () => worker.askForHead('b'),
    () => wanted.length > 0,
  )
  t.equal(wanted[0], 'b')

  const levels: MicrophoneLevel[][] = []
  await replica.onLevels((measured) => {
    levels.push([...measured])
    told.changed()
  })
  // Nothing on the channel that isn't ours ends the process.
  const foreign = connect(t, server.url)
  await foreign.publish('solstice:microphone-levels', '{')
  await foreign.publish('solstice:microphone-levels', 'null')
  const measured = [{ socketId: 'Їжак 1', peak: 0.5, rms: 0.125 }]
  await heard(
    'levels',
    () => worker.tellLevels(measured),
    () => levels.length > 0,
  )
  t.same(levels[0], measured)

  const large = Buffer.alloc(256 * 1024, 7)
  await heard(
    'a large piece',
    () => replica.send({ socketId: 'c', bytes: large }),
    () => pieces.at(-1)?.socketId === 'c',
  )
  t.ok(pieces.at(-1)?.bytes.equals(large))
  replica.send({ socketId: 'x'.repeat(300), bytes })

  await server.process.end()
  for (let i = 0; i < 100; i++) replica.send({ socketId: 'lost', bytes: large })
  await server.restart()
  await heard(
    'speech after Redis was away',
    () => replica.send({ socketId: 'd', bytes }),
    () => pieces.at(-1)?.socketId === 'd',
  )
  t.notOk(
    pieces.some(({ socketId }) => socketId === 'lost' || socketId.length > 6),
    'speech that is late is not heard',
  )
})

t.test('a replica that ends is missing, and nobody is right after Redis was away', async (t) => {
  const server = await startRedis(t)
  const redis = connect(t, server.url)
  await redis.ping()
  const realNow = performance.now
  let aheadMs = 0
  performance.now = () => realNow.call(performance) + aheadMs
  t.teardown(() => {
    performance.now = realNow
  })
  const replicas = openReplicas(redis, { onSet: () => () => {} })
  const stop = replicas.stayAlive('a')
  t.same(await replicas.missing(['a', 'b']), [], 'b had no time to say anything')
  aheadMs = 6_000
  t.same(await replicas.missing(['a', 'b']), ['b'])
  t.same(await replicas.missing([]), [])
  t.same(await replicas.present(), ['a'])
  t.ok((await redis.pttl('solstice:replica:a')) > 3_000)

  // Not `once`, which gives up at the first attempt that fails.
  const back = new Promise((resolve) => redis.once('ready', resolve))
  await server.process.end()
  await server.restart()
  await inTime('Redis is back', back)
  t.same(await replicas.missing(['a', 'b']), [])
  stop()
  aheadMs = 12_000
  t.same(await replicas.missing(['a', 'b']), ['a', 'b'])
})
