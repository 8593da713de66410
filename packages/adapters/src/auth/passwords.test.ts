import { readFile } from 'node:fs/promises'
import bcrypt from 'bcryptjs'
import t from 'tap'
import { createPasswords } from './passwords.ts'

const passwords = createPasswords()

t.test('a password matches its own hash, and two hashes of it differ', async (t) => {
  const password = 'Сонцестояння 2024 🌙'
  const [one, two] = [await passwords.hash(password), await passwords.hash(password)]
  t.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  t.not(one, two)
  for (const kept of [one, two]) {
    t.equal(await passwords.isRight(password, kept), true)
    for (const wrong of ['', 'сонцестояння 2024 🌙', `${password} `])
      t.equal(await passwords.isRight(wrong, kept), false, wrong)
  }
})

t.test('bcrypt hashes of every kind are understood', async (t) => {
  const kept = await bcrypt.hash('Passw0rd', 4)
  for (const kind of ['$2a$', '$2b$', '$2y$']) {
    const hash = kind + kept.slice(4)
    t.equal(await passwords.isRight('Passw0rd', hash), true, kind)
    t.equal(await passwords.isRight('passw0rd', hash), false, kind)
  }
  // From the test vectors of the reference implementation.
  t.equal(
    await passwords.isRight('U*U*U', '$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'),
    true,
  )
})

t.test('a text that is no hash never matches, and never throws', async (t) => {
  const [argon2id, bcryptHash] = [await passwords.hash('a'), await bcrypt.hash('a', 4)]
  const malformed = [
    '',
    'a',
    '$',
    '$2',
    '$2b$',
    '$2b$99$abc',
    '$2x$04$aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    '$argon2id$',
    '$argon2id$v=19$m=19456,t=2,p=1$',
    argon2id.replace('argon2id', 'argon2i'),
    argon2id.slice(0, -10),
    `${argon2id}$`,
    bcryptHash.slice(0, -1),
    `${bcryptHash}a`,
    bcryptHash.replace(/^\$2.\$04/, '$2b$00'),
  ]
  for (const kept of malformed) t.equal(await passwords.isRight('a', kept), false, kept)
  t.equal(await passwords.isRight('a password that nobody has', null), false, 'without an account')
  t.equal(await passwords.isRight('a'.repeat(200), await passwords.hash('a'.repeat(200))), true)
  t.equal(await passwords.isRight('a'.repeat(201), await passwords.hash('a'.repeat(201))), false, 'too long')
})

t.test('an unknown account takes as long as a wrong password', async (t) => {
  const kept = await passwords.hash('a')
  const cpuMs = async (hash: string | null) => {
    const before = process.cpuUsage()
    for (let i = 0; i < 5; i++) await passwords.isRight('b', hash)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  const [wrong, nobody] = [await cpuMs(kept), await cpuMs(null)]
  t.ok(nobody > wrong / 3 && nobody < wrong * 3, `${nobody} ms and ${wrong} ms of the processor`)
})

t.test('files are read while a hundred passwords are checked, most of which are refused', async (t) => {
  const passwords = createPasswords()
  const kept = await passwords.hash('Correct horse 1')
  const begunMs = performance.now()
  await passwords.isRight('x', kept)
  const oneMs = performance.now() - begunMs
  const checks = Array.from({ length: 100 }, (_, i) => passwords.isRight(`${i}`, kept))
  let isOver = false
  const settled = Promise.allSettled(checks).finally(() => {
    isOver = true
  })
  const waits: number[] = []
  while (!isOver) {
    const askedMs = performance.now()
    await readFile(new URL(import.meta.url))
    waits.push(performance.now() - askedMs)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const refused = (await settled).filter(({ status }) => status === 'rejected')
  t.equal(refused.length, 100 - 62)
  for (const one of refused)
    t.match(one, { reason: { code: 'RATE_LIMITED', details: { retryAfterSecs: Number } } })
  const [median] = waits.sort((a, b) => a - b).slice(waits.length >> 1)
  t.ok(waits.length > 20, `${waits.length} reads meanwhile`)
  t.ok(median! < Math.max(100, 3 * oneMs), `${median} ms, one check ${oneMs} ms`)
  t.equal(await passwords.isRight('Correct horse 1', kept), true, 'and it goes on')
})
