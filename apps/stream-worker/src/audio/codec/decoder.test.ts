import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { makeTone } from '../../../../../tests/harness/audio/audio.ts'
import { temporaryFolder } from '../../../../../tests/harness/processes/processes.ts'
import { until } from '../../../../../tests/harness/until.ts'
import { type Decoder, openDecoder } from './decoder.ts'

const SAMPLE_RATE = 44_100

const folder = await temporaryFolder(t)
const tone = join(folder, 'tone.mp3')
await makeTone(tone, { hz: 440, seconds: 2 })

/** A script that runs instead of ffmpeg, or before it. */
async function programOf(name: string, script: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

function decode(t: Test, ffmpegPath: string): { decoder: Decoder; isDone: Promise<unknown> } {
  let done = () => {}
  const isDone = new Promise<void>((resolve) => {
    done = resolve
  })
  const decoder = openDecoder({
    ffmpegPath,
    source: async () => tone,
    from: 0,
    limit: Number.POSITIVE_INFINITY,
    readAhead: 4 * SAMPLE_RATE,
    onProgress: () => decoder.phase !== 'decoding' && done(),
    log: pino({ level: 'silent' }),
  })
  t.teardown(() => decoder.close())
  return { decoder, isDone }
}

t.test('ffmpeg gets the PATH and nothing else of our environment', async (t) => {
  process.env.SOLSTICE_SECRET = 'secret'
  t.teardown(() => delete process.env.SOLSTICE_SECRET)
  const told = join(folder, 'told')
  const { decoder, isDone } = decode(t, await programOf('tells', `env > '${told}'\nexec ffmpeg "$@"`))
  await isDone
  t.equal(decoder.phase, 'ended')
  t.ok(Math.abs(decoder.end! - 2 * SAMPLE_RATE) < SAMPLE_RATE / 10, `${decoder.end} samples`)
  const names = (await readFile(told, 'utf8')).match(/^\w+(?==)/gm)!
  // The shell sets these itself.
  t.same(
    names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name)),
    ['PATH'],
  )
})

t.test('the process id is that of the program itself', async (t) => {
  const said = join(folder, 'pid')
  const { decoder } = decode(t, await programOf('waits', `echo $$ > '${said}'\nexec sleep 600`))
  let pid = 0
  await until('the program runs', async () => {
    pid = Number(await readFile(said, 'utf8').catch(() => ''))
    return pid > 0
  })
  t.equal(decoder.pid, pid)
  await decoder.close()
  t.throws(() => process.kill(pid, 0), { code: 'ESRCH' }, 'closing ends it')
})

t.test('a program that cannot be started says nothing about the track', async (t) => {
  const noProgram = join(folder, 'no-program')
  await writeFile(noProgram, 'not to be executed')
  for (const path of [join(folder, 'absent'), noProgram]) {
    const errors: object[] = []
    const log = pino({ level: 'error' }, { write: (line: string) => errors.push(JSON.parse(line)) })
    const asked = new Promise<void>((resolve) => {
      let attempts = 0
      const decoder = openDecoder({
        ffmpegPath: path,
        async source() {
          if (++attempts === 2) resolve()
          return tone
        },
        from: 0,
        limit: Number.POSITIVE_INFINITY,
        readAhead: SAMPLE_RATE,
        onProgress: () => t.fail(`${path}: there is nothing to tell`),
        log,
      })
      t.teardown(() => decoder.close())
    })
    await asked
    t.match(errors, [{ msg: 'ffmpeg cannot be started' }], path)
  }
})

t.test('T4: a decoder that starts late on a slow machine is not the fault of the track', async (t) => {
  const slow = await programOf('slow', 'sleep 1.5\nexec ffmpeg "$@"')
  const { decoder, isDone } = decode(t, slow)
  // Time passes 15 times as fast, so the program takes 22 s to start.
  const checks = setInterval(() => decoder.check(150), 10)
  t.teardown(() => clearInterval(checks))
  await isDone
  t.equal(decoder.phase, 'ended')
  t.ok(Math.abs(decoder.end! - 2 * SAMPLE_RATE) < SAMPLE_RATE / 10, `${decoder.end} samples`)
})

t.test(
  'T4: a decoder that is killed from outside, however often, is not the fault of the track',
  async (t) => {
    const starts = join(folder, 'starts')
    const killed = await programOf(
      'killed',
      `echo >> '${starts}'\n[ $(wc -l < '${starts}') -gt 5 ] || kill -KILL $$\nexec ffmpeg "$@"`,
    )
    const { decoder, isDone } = decode(t, killed)
    await isDone
    t.equal(decoder.phase, 'ended')
  },
)

t.test('T4: a decoder that crashes each time says that there is no sample', async (t) => {
  const { decoder, isDone } = decode(t, await programOf('crashes', 'kill -SEGV $$'))
  await isDone
  t.equal(decoder.phase, 'unplayable')
})

t.test('T4: a program that ends without a sample, or with an error, says that there is none', async (t) => {
  for (const script of ['exit 0', 'exit 1']) {
    const { decoder, isDone } = decode(t, await programOf(`ends-${script.at(-1)}`, `sleep 0.2\n${script}`))
    await isDone
    t.equal(decoder.phase, 'unplayable', script)
  }
})
