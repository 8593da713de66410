import t from 'tap'
import { clipStation, clips, endOfSound, toJingle } from '../../../../tests/harness/air/clip-station.ts'
import { alwaysDay, NOON } from '../../../../tests/harness/air/programme.ts'
import {
  after,
  backgroundFact,
  chat,
  ended,
  goOn,
  MINUTE,
  music,
  pause,
  SECOND,
  talkStation,
} from '../../../../tests/harness/air/talk-station.ts'
import { projectAir, soundStartMs } from '../index.ts'

t.test('O3 the sound is told what to play, what is shown, and what follows', async (t) => {
  const state = talkStation(alwaysDay, backgroundFact([music('a'), music('b')]))
  const talking = after(state, pause(), NOON + 20 * SECOND)
  const { background, entry } = chat(talking)
  const plan = projectAir(talking, NOON + 25 * SECOND)
  t.match(plan.current, {
    positionMs: 5 * SECOND,
    entry: {
      entryId: background.entryId,
      background: background.clip!,
      shown: { id: entry?.track.id, title: 'Just chatting', artist: '' },
    },
  })
  const next = ended(talking, NOON + 40 * SECOND).state
  t.equal(plan.next?.entryId, chat(next).background.entryId)
  t.match(projectAir(talking, NOON + 19 * SECOND), { current: null, beginsInMs: SECOND })

  const silent = after(talkStation(), pause(), NOON)
  const inSilence = projectAir(silent, NOON + 10 * MINUTE)
  t.match(inSilence, { current: { positionMs: 10 * MINUTE, entry: { background: null } }, next: null })
  t.not(inSilence.current?.entry.entryId, chat(talking).background.entryId)
  const resumed = after(talking, goOn, NOON + MINUTE)
  t.equal(soundStartMs(resumed), NOON + MINUTE)
  t.match(projectAir(resumed, NOON + MINUTE + SECOND).current, { positionMs: 21 * SECOND, entry: entry! })
})

t.test('what sounds is planned before: the next jingle, then the song after it', async (t) => {
  const { state, atMs, before } = toJingle(clipStation(clips({ jingles: { frequency: 'random' } })))
  if (state.onAir.phase !== 'jingle') throw new Error()
  const planned = projectAir(before, atMs - 1000)
  const { jingle, entry } = state.onAir
  t.same(planned.next, { ...jingle, after: entry })
  const plan = projectAir(state, atMs)
  t.same(plan.current, { entry: planned.next, positionMs: 0 })
  const { onAir } = endOfSound(state).state
  t.same(plan.next, onAir.phase === 'track' && onAir.entry)
})
