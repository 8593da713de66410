import t from 'tap'
import { air, NOON } from '../../../../tests/harness/air/radio-state.ts'
import { createHeard } from './heard.ts'
import { withState } from './timeline.ts'

const first = air({ track: 'day/a.mp3', title: 'A', artist: 'An Artist', seek: 0 })
const second = air({
  ...{ track: 'day/b.mp3', title: 'B', artist: 'An Artist' },
  ...{ serverTimeMs: NOON + 60_000, seek: 0 },
})
const named = (title: string) => ({ title, artist: 'An Artist' })

t.test('around a change the timeline is exact, whatever the segment names', async (t) => {
  const heard = createHeard()
  const airings = withState(withState([], first), second)
  for (const title of ['A', 'B']) {
    t.equal(heard(airings, NOON + 59_900, named(title))?.state.title, 'A')
    t.equal(heard(airings, NOON + 60_100, named(title))?.state.title, 'B')
  }
  t.equal(heard(airings, NOON + 60_100, null)?.state.title, 'B')
  t.equal(heard([], NOON, named('A')), null)
})

t.test('a song that is heard later or earlier than expected is shown by its name', async (t) => {
  const heard = createHeard()
  const airings = withState(withState([], first), second)
  t.equal(heard(airings, NOON + 80_000, named('A'))?.state.track, 'day/a.mp3')
  t.equal(heard(airings, NOON + 20_000, named('B'))?.state.track, 'day/b.mp3')
})

t.test('of a song that the timeline does not know the name is shown', async (t) => {
  const heard = createHeard()
  const airings = withState([], first)
  const unknown = heard(airings, NOON + 100_000, named('C'))
  t.match(unknown?.state, { title: 'C', artist: 'An Artist', track: null, duration: 0, cover: null })
  t.equal(heard(airings, NOON + 101_000, named('C')), unknown, 'one airing for as long as it is heard')
  t.equal(heard(airings, NOON + 130_000, named('D'))?.state.title, 'D')
})
