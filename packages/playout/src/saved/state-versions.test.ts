import { readFileSync } from 'node:fs'
import t from 'tap'
import { nightStation, switchLimits } from '../../../../tests/harness/air/night-station.ts'
import { assertLegal, playing, tracks } from '../../../../tests/harness/air/programme.ts'
import { advance, type PlayoutState, parseSaved, projectAir, projectSync } from '../index.ts'
import { noClips } from '../model/initial-state.ts'
import { readState } from './state-versions.ts'

/** A state as version 4 saved it, and what that version made of it at some moments. */
interface Taken {
  state: object
  projections: { atMs: number; sync: object; air: object }[]
}

const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

for (const name of ['track', 'jingle', 'chat']) {
  t.test(`R3: a ${name} that version 4 saved is shown and heard as it was`, async (t) => {
    const url = new URL(`states/version-4-${name}.json`, import.meta.url)
    const { state: saved, projections } = JSON.parse(readFileSync(url, 'utf8')) as Taken
    const state = readState(JSON.stringify(saved))
    t.equal(state.version, 5)
    t.equal(state.onAir.phase, name)
    t.notMatch(JSON.stringify(state), /"(rendition|list|filler|lastinline|\w*[sS]uggest\w*)"/)
    for (const { atMs, sync, air } of projections) {
      t.same(plain(projectSync(state, atMs, atMs, 250)), sync)
      t.same(plain(projectAir(advance(state, atMs).state, atMs)), air)
      assertLegal(t, advance(state, atMs).state, atMs)
    }
    t.same(readState(JSON.stringify(state)), state, 'and is saved as one of this version')
  })
}

t.test('R3: nothing of a state of version 4 is lost', async (t) => {
  const url = new URL('states/version-4-track.json', import.meta.url)
  const { state: saved } = JSON.parse(readFileSync(url, 'utf8'))
  const state = readState(JSON.stringify(saved))
  t.equal(Object.keys(state).length, Object.keys(saved).length)
  t.equal(state.playlist.entries.length, saved.list.entries.length)
  t.equal(state.playlist.index, saved.list.index)
  t.same(
    state.trackRequests.map(({ uid, track }) => [uid, track.cuePoints]),
    saved.suggestions.map(({ uid, track }: { uid: string; track: { rendition?: object } }) => [
      uid,
      track.rendition,
    ]),
  )
  t.same(state.trackRequestCooldowns, saved.suggestCooldowns)
  t.equal(state.limits.trackRequestExpiryMs, saved.limits.suggestExpiryMs)
  t.equal(state.limits.trackRequestCooldownMs, saved.limits.suggestCooldownMs)
  t.same(
    state.playlist.entries.map(({ orderType }) => orderType).filter((orderType) => orderType !== null),
    ['donated', 'requested'],
  )
  const same = ['live', 'hosting', 'clips', 'orders', 'pendingSwitch', 'withheld', 'unplayable'] as const
  for (const field of same) t.same(state[field], saved[field], field)
})

t.test('R3: a state of a version that is not known yet is refused', async (t) => {
  const later = { ...playing(tracks(12)), version: 6 } as unknown as PlayoutState
  t.throws(() => readState(JSON.stringify(later)), /unknown version 6/)
})

t.test('names of before are read in commands and effects, and only as names', async (t) => {
  const track = { id: 'a', title: 'rendition', artist: 'suggest', rendition: { gainDb: -1 } }
  const { rendition, ...rest } = track
  const read = { ...rest, cuePoints: rendition }
  const reads: [saved: object, command: object][] = [
    [{ type: 'renditions-changed' }, { type: 'cue-points-changed' }],
    [
      { type: 'suggest', uid: 'list', track },
      { type: 'request-track', uid: 'list', track: read },
    ],
    [
      { type: 'answer-suggestion', uid: 'u' },
      { type: 'answer-track-request', uid: 'u' },
    ],
    [
      { type: 'choose-filler', clipId: 'suggest' },
      { type: 'choose-background', clipId: 'suggest' },
    ],
    [
      { type: 'add-song', track, orderType: 'lastinline' },
      { type: 'add-song', track: read, orderType: 'requested' },
    ],
    [
      { type: 'suggestion-answered', suggestion: { track } },
      { type: 'track-request-answered', trackRequest: { track: read } },
    ],
    [
      { type: 'suggestions-changed', suggestions: [] },
      { type: 'track-requests-changed', trackRequests: [] },
    ],
    [{ type: 'skip' }, { type: 'skip' }],
  ]
  for (const [saved, command] of reads) t.same(parseSaved(JSON.stringify(saved)), command)
})

t.test('R3: a state of an older version is read as one of this version', async (t) => {
  const { isPaused, backgroundChoice, lastBackgroundId, live, hosting, ...since } = playing(tracks(12))
  const version3 = { ...since, version: 3 }
  t.same(readState(JSON.stringify(version3)), playing(tracks(12)))
  const { lastAddMs, lastRemoveMs, lastSkipMs, trackRequests, trackRequestCooldowns, orders, ...earlier } =
    version3
  const { modeSwitchCooldownMs, preparingMinMs, groupInsertCooldownMs } = switchLimits
  const version2 = {
    ...earlier,
    version: 2,
    limits: { modeSwitchCooldownMs, preparingMinMs, groupInsertCooldownMs },
  }
  t.same(readState(JSON.stringify(version2)), {
    ...playing(tracks(12)),
    limits: { ...playing([]).limits, ...switchLimits },
  })

  const { nightMode, limits: _, forced, pendingSwitch, lastSwitchMs, ...rest } = version2
  const { lastGroupInsertMs, withheld, ...version1 } = { ...rest, version: 1 }
  t.same(readState(JSON.stringify(version1)), playing(tracks(12)))
  const preparing = { ...version1, onAir: { phase: 'preparing', target: 'day', sinceMs: 5 } }
  t.match(readState(JSON.stringify(preparing)), { version: 5, onAir: { sinceMs: 5, notBeforeMs: 5 } })
  t.same(readState(JSON.stringify(nightStation())), nightStation())
})

t.test('R3 a state that knows of no clips is one without', async (t) => {
  const state = playing(tracks(9), 'sound')
  const { clips: _, jingleCount, lastJingleId, lastPhraseId, ...older } = { ...state, version: 3 }
  t.same(readState(JSON.stringify(older)), state)
  const { background, ...clips } = noClips
  t.same(readState(JSON.stringify({ ...state, version: 3, clips })), state)
})
