import t from 'tap'
import { alwaysDay, NOON } from '../../../../tests/harness/air/programme.ts'
import {
  after,
  backgroundFact,
  chat,
  choose,
  ended,
  goOn,
  HOUR,
  MINUTE,
  music,
  pause,
  SECOND,
  talkStation,
} from '../../../../tests/harness/air/talk-station.ts'
import {
  advance,
  apply,
  backgroundInReserve,
  type Command,
  type Fact,
  learn,
  type PlayoutState,
} from '../index.ts'

t.test('O4 under the talk random music is heard, not the same twice in a row', async (t) => {
  const before = talkStation(alwaysDay, backgroundFact(['a', 'b', 'c'].map((id) => music(id))))
  let state = after(before, pause(), NOON)
  t.equal(backgroundInReserve(before), chat(state).background.clip, 'which one is known before')
  const heard = [chat(state).background]
  for (let i = 1; i < 40; i++) {
    state = ended(state, NOON + i * 20 * SECOND).state
    heard.push(chat(state).background)
  }
  t.equal(new Set(heard.map(({ clip }) => clip?.id)).size, 3)
  t.notOk(heard.some(({ clip }, i) => clip!.id === heard[i + 1]?.clip?.id))
  t.equal(new Set(heard.map(({ entryId }) => entryId)).size, 40)
  t.equal(chat(state).sinceMs, NOON, 'it is one talk')
  const { lastBackgroundId } = state
  const again = after(after(state, goOn, NOON + HOUR), pause(), NOON + HOUR + 1)
  t.not(chat(again).background.clip?.id, lastBackgroundId)

  const only = after(talkStation(alwaysDay, backgroundFact([music('a')])), pause(), NOON)
  const twice = ended(only, NOON + 20 * SECOND).state
  t.match(chat(twice).background, { clip: { id: 'a' }, startedAtMs: NOON + 20 * SECOND })
  t.not(chat(twice).background.entryId, chat(only).background.entryId)
  t.match(chat(advance(only, NOON + 60 * SECOND).state).background, { startedAtMs: NOON + 50 * SECOND })
})

t.test('O4 where hosts choose, their choice is heard again and again, else nothing', async (t) => {
  const chosen = talkStation(alwaysDay, backgroundFact([music('a'), music('b')], 'hosts'))
  const silent = after(chosen, pause(), NOON)
  t.equal(chat(silent).background.clip, null)
  t.match(apply(silent, { ...choose('a'), socketId: 'x' } as Command, NOON).outcome, { code: 'NOT_LIVE' })
  t.match(apply(silent, choose('nothing'), NOON).outcome, { code: 'NOT_FOUND' })

  const playing = after(silent, choose('a'), NOON + SECOND)
  t.match(chat(playing).background, { clip: { id: 'a' }, startedAtMs: NOON + SECOND })
  t.equal(after(playing, choose('a'), NOON + 2 * SECOND).onAir, playing.onAir, 'the same is no change')
  t.match(chat(ended(playing, NOON + MINUTE).state).background.clip, { id: 'a' })
  t.match(chat(after(playing, choose('b'), NOON + MINUTE)).background.clip, { id: 'b' })
  t.equal(chat(after(playing, choose(null), NOON + MINUTE)).background.clip, null)

  const before = after(after(chosen, choose('b'), NOON), pause('afterTrack'), NOON)
  t.match(chat(ended(before, NOON + MINUTE).state).background.clip, { id: 'b' }, 'it can be chosen before')
})

t.test('O4 what may be heard, and who chooses it, counts at once', async (t) => {
  const told = (state: PlayoutState, fact: Fact) => chat(learn(state, fact, NOON + MINUTE).state).background
  const random = after(talkStation(alwaysDay, backgroundFact([music('a')])), pause(), NOON)
  const { background } = chat(random)
  t.equal(told(random, backgroundFact([music('a'), music('b')])), background, 'what still may sound goes on')
  t.match(told(random, backgroundFact([music('b')])), { clip: { id: 'b' }, startedAtMs: NOON + MINUTE })
  t.equal(told(random, backgroundFact([])).clip, null)
  t.equal(told(random, backgroundFact([music('a')], 'hosts')).clip, null, 'nobody has chosen anything')
  const chosen = after(random, choose('a'), NOON)
  t.equal(told(chosen, backgroundFact([music('a')], 'hosts')), background, 'it is what they want')
  const silent = learn(random, backgroundFact([]), NOON).state
  t.match(told(silent, backgroundFact([music('a')])).clip, { id: 'a' })
  const byHosts = learn(chosen, backgroundFact([music('a'), music('b')], 'hosts'), NOON).state
  t.match(told(byHosts, backgroundFact([music('a'), music('b')])).clip, { id: 'b' })

  const broken = learn(random, { type: 'clip-unplayable', clipId: 'a' }, NOON + SECOND).state
  t.equal(chat(broken).background.clip, null)
  t.match(apply(broken, choose('a'), NOON).outcome, { code: 'NOT_FOUND' })
  t.match(told(broken, backgroundFact([music('a')])).clip, { id: 'a' })
})
