import type { Command } from '@solstice/playout'
import type { OutboxEntry } from '@solstice/station'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { NOON, onAir, playing, tracks } from '../../../tests/harness/air/programme.ts'
import { createAir } from './air/air.ts'
import { processCommands } from './command-loop.ts'

const log = pino({ level: 'silent' })
const AHEAD_MS = 250

/** Applies commands to an air whose sound is mixed ahead; tells what was answered, and read anew. */
async function process(t: Test, commands: Command[]) {
  const answers: OutboxEntry[] = []
  const reread: string[] = []
  const state = playing(tracks(12), 'sound')
  const saved = {
    isSaved: true,
    add: (_before: unknown, _step: unknown, told: readonly OutboxEntry[] = []) => void answers.push(...told),
    save: async () => {},
    saveAgain: async () => {},
  }
  const stopping = new AbortController()
  t.teardown(() => stopping.abort())
  const nowMs = NOON + 1000
  const clock = { nowMs: () => nowMs, aheadMs: () => 0 }
  const air = createAir(
    saved,
    { before: state, step: { state, effects: [] } },
    [stopping.signal],
    { clock, log },
    () => {},
  )
  air.endCatchUp()
  const lease = {
    async *commands() {
      for (const [i, command] of commands.entries())
        yield { id: `${i + 1}-0`, asker: { bus: 'a', token: String(i) }, command }
    },
  }
  const library = {
    cuePoints: {},
    outdate: () => void reread.push('library'),
    readCuePoints: async () => void reread.push('cue-points'),
  }
  const feeds = { library, readClips: async () => void reread.push('clips') }
  const sound = { mixedUntilMs: nowMs + AHEAD_MS, planChanged() {} }
  await processCommands(air, lease, sound, feeds, { clock, log } as Parameters<typeof processCommands>[4])
  return { air, answers, reread, before: state, nowMs }
}

t.test('a command is answered with the state that knows how far commands were read', async (t) => {
  const { air, answers, before, nowMs } = await process(t, [{ type: 'skip' }])
  t.match(answers, [{ asker: { token: '0' }, outcome: { ok: true } }])
  t.equal(air.state.appliedThrough, '1-0')
  t.not(onAir(air.state)?.track.id, onAir(before)?.track.id)
  const { onAir: now } = air.state
  t.equal(now.phase === 'track' && now.startedAtMs, nowMs + AHEAD_MS, 'a skip is heard behind what is mixed')
})

t.test('C1: a command that this version does not know is answered, and not read again', async (t) => {
  const unknown = { type: 'of a later version' } as unknown as Command
  const { air, answers } = await process(t, [unknown, { type: 'settings-changed' }])
  t.match(answers, [{ outcome: { ok: false, code: 'INTERNAL' } }, { outcome: { ok: true } }])
  t.equal(air.state.appliedThrough, '2-0')
})

t.test('data that a command declares changed is read again', async (t) => {
  const types = ['library-changed', 'settings-changed', 'clips-changed', 'cue-points-changed'] as const
  const { reread } = await process(
    t,
    types.map((type) => ({ type })),
  )
  t.same(reread, ['library', 'library', 'clips', 'cue-points'])
})
