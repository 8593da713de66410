import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { temporaryFolder } from '../../../../tests/harness/processes/processes.ts'
import { lockFile } from './file-lock.ts'

const timeouts = { deadAfterMs: 300, giveUpAfterMs: 30_000 }
const knowsBirths = existsSync('/proc/self/stat')

/** The owner that a lock of this process names, with some facts replaced. */
async function lockOf(folder: string, facts: Record<string, unknown>): Promise<string> {
  const path = join(folder, 'sample')
  const lock = await lockFile(path)
  const owner = JSON.parse(readFileSync(path, 'utf8'))
  lock.release()
  return JSON.stringify({ ...owner, token: 'left', ...facts })
}

t.test('one process holds the lock at a time, the others wait', async (t) => {
  const path = join(await temporaryFolder(t), 'lock')
  let inside = 0
  let turns = 0
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const lock = await lockFile(path)
      t.equal(++inside, 1)
      await new Promise(setImmediate)
      t.ok(lock.isHeld())
      inside--
      turns++
      lock.release()
    }),
  )
  t.equal(turns, 8)
  t.notOk(existsSync(path))
})

t.test('the lock of a dead process is taken over at once, by one process', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'lock')
  const gone = { 'no such process': { pid: 2 ** 30 }, 'its number belongs to another process': { born: '1' } }
  for (const [why, facts] of Object.entries(gone)) {
    if ('born' in facts && !knowsBirths) continue
    writeFileSync(path, await lockOf(folder, facts))
    let inside = 0
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        // Were it not known to be dead, this would give up.
        const lock = await lockFile(path, { deadAfterMs: 1e9, giveUpAfterMs: 10_000 })
        t.equal(++inside, 1, why)
        await new Promise(setImmediate)
        inside--
        lock.release()
      }),
    )
    t.same(readdirSync(folder), [], 'nothing is left of it')
  }
})

t.test('a lock whose owner cannot be checked is taken over by its age only', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'lock')
  for (const content of [
    await lockOf(folder, { place: 'another namespace' }),
    '',
    'not JSON',
    '{"pid":"x"}',
  ]) {
    writeFileSync(path, content)
    const startedMs = performance.now()
    const lock = await lockFile(path, timeouts)
    t.ok(performance.now() - startedMs >= timeouts.deadAfterMs)
    lock.release()
  }
})

t.test('an unsigned lock is soon taken over', async (t) => {
  const path = join(await temporaryFolder(t), 'lock')
  writeFileSync(path, '')
  const lock = await lockFile(path, { deadAfterMs: 1e9, giveUpAfterMs: 1e9 })
  t.ok(lock.isHeld())
  lock.release()
})

t.test('a holder that was taken over notices, and does not release the lock of its successor', async (t) => {
  const path = join(await temporaryFolder(t), 'lock')
  const slow = await lockFile(path)
  writeFileSync(path, readFileSync(path, 'utf8').replace(/"place":"[^"]*"/, '"place":"far away"'))
  const next = await lockFile(path, timeouts)
  t.notOk(slow.isHeld())
  slow.release()
  t.ok(next.isHeld())
  next.release()
})

t.test('a living holder that does not let go is named', async (t) => {
  const path = join(await temporaryFolder(t), 'lock')
  const lock = await lockFile(path)
  // Longer than a lock may go unsigned, after which it would be taken over.
  await t.rejects(lockFile(path, { deadAfterMs: 1, giveUpAfterMs: 1_300 }), {
    message: new RegExp(`${path} is held by process ${process.pid}`),
  })
  t.ok(lock.isHeld())
  lock.release()
})
