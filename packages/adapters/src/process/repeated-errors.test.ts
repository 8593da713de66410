import { Failure } from '@solstice/station'
import { pino } from 'pino'
import t from 'tap'
import { start } from '../../../../tests/harness/processes/processes.ts'
import { programOf } from '../../../../tests/harness/processes/programs.ts'
import { gatherRepeatedErrors } from './repeated-errors.ts'

/** A log whose lines are gathered. */
function openGathered() {
  let now = 0
  const repeated = gatherRepeatedErrors(() => now)
  const lines: Record<string, unknown>[] = []
  const log = pino(
    {
      hooks: {
        logMethod(args, write, level) {
          if (!repeated.isRepeated(this, args, write, level)) write.apply(this, args)
        },
      },
    },
    { write: (line) => lines.push(JSON.parse(line)) },
  )
  const checkAt = (ms: number) => {
    now = ms
    repeated.check()
  }
  return { log, lines, checkAt }
}

t.test('what comes and goes is told three times, then once a minute with its count', (t) => {
  const { log, lines, checkAt } = openGathered()
  const told = () => lines.splice(0).map(({ msg, fencingToken, times }) => [msg, fencingToken, times])
  for (let fencingToken = 1; fencingToken <= 20; fencingToken++) {
    log.info({ about: 'lease', fencingToken }, 'lease acquired')
    log.warn({ about: 'lease', fencingToken }, 'lease lost')
  }
  t.same(
    told(),
    [1, 2, 3].flatMap((fencingToken) => [
      ['lease acquired', fencingToken, undefined],
      ['lease lost', fencingToken, undefined],
    ]),
  )
  checkAt(60_000)
  t.same(told(), [
    ['lease acquired', 20, 17],
    ['lease lost', 20, 17],
  ])
  checkAt(120_000)
  t.same(told(), [], 'that it goes on is no recovery')
  log.info({ about: 'lease', fencingToken: 21 }, 'lease acquired')
  t.equal(told().length, 1)
  t.end()
})

t.test('an error of several scripts of Redis is one error', (t) => {
  const { log, lines } = openGathered()
  for (const script of ['0f3a', 'beef', 'c0de'])
    log.error(
      {
        err: new Error(
          `MISCONF Errors writing to the AOF file. script: ${script.repeat(10)}, on @user_script:1.`,
        ),
      },
      'not saved',
    )
  t.equal(lines.length, 1)
  t.end()
})

t.test('an error that repeats is told once, then once a minute with its count, and when it is over', (t) => {
  const { log, lines, checkAt } = openGathered()
  const taken = () => lines.splice(0).map(({ msg, times, songId, error }) => ({ msg, times, songId, error }))
  const full = (n: number) =>
    Object.assign(new Error(`ENOSPC: no space left, write ${n}`), { code: 'ENOSPC' })
  for (let n = 0; n < 1_000; n++) {
    log.child({ request: n }).error({ err: full(n), songId: n }, 'not written')
    log.warn({ err: new Error('MISCONF of Redis, try 7'.replace('7', String(n))) }, 'not written')
  }
  t.match(taken(), [{ msg: 'not written', songId: 0 }, { msg: 'not written' }], 'one line of each kind')
  log.error({ err: new Failure('DATA_UNAVAILABLE') }, 'not written')
  log.error({ err: full(1) }, 'something else')
  log.info({ err: full(1) }, 'not written')
  log.warn('not written')
  t.equal(taken().length, 4, 'another error, another text, what is no error')

  checkAt(59_999)
  log.error({ err: full(1), songId: 'last' }, 'not written')
  checkAt(59_999)
  t.same(taken(), [], 'not before a minute is over')
  checkAt(60_000)
  t.match(taken(), [
    { msg: 'not written', times: 1_000, songId: 'last' },
    { msg: 'not written', times: 999 },
  ])
  checkAt(119_999)
  t.match(taken(), [
    { msg: 'recovered', times: 1_001, error: 'not written' },
    { msg: 'recovered', times: 1_000, error: 'not written' },
  ])
  log.error({ err: full(1) }, 'not written')
  t.equal(taken().length, 1, 'what comes again is told at once')
  t.end()
})

t.test(
  'a full disk behind the log ends no process, and what it told then is written when there is room',
  async (t) => {
    const script = `
    import { openLog, openOutput } from '${await programOf('packages/adapters/src/process/log.ts')}'
    const log = openLog('test', 'info', openOutput())
    let n = 0
    const timer = setInterval(() => {
      log.info({ n: ++n }, 'x'.repeat(5000))
      if (n === 20) process.stderr.write('lives on')
    }, 10)`
    const shell = ['-c', 'exec "$@" > /dev/full', 'sh', process.execPath, '--input-type=module', '-e', script]
    const full = start(t, 'sh', shell)
    await full.printed(/lives on/)
    t.equal(full.child.exitCode, null)
  },
)
