import t from 'tap'
import type { Heard } from '../aircheck/part.ts'
import { checkRecording } from './recording.ts'

const MINUTE = 60_000
const recorded = (...heard: (readonly [kind: Heard['kind'], title: string, atMs: number])[]) => ({
  pieces: [{ key: 'part', frame: 0, frames: 100_000, atMs: 0, byte: 0, bytes: 0 }],
  heard: heard.map(([kind, title, atMs], frame) => ({
    ...{ kind, title, artist: '', atMs, frame, speakers: [], order: null },
  })),
})
const played = (...begun: [title: string, beganMs: number][]) =>
  begun.map(([title, beganMs]) => ({ title, artist: '', beganMs }))
const check = (engine: ReturnType<typeof played>, sound: ReturnType<typeof recorded>) =>
  checkRecording(engine, sound, 0, 10 * MINUTE)

t.test('equal tracks are equal, though the clock was corrected and a host spoke', async (t) => {
  const sound = recorded(
    ...([
      ['track', 'A', 0],
      ['track', 'B', MINUTE + 400],
      ['live', '', 2 * MINUTE],
    ] as const),
    ...([
      ['track', 'B', 3 * MINUTE],
      ['jingle', 'hello', 4 * MINUTE],
      ['track', 'C', 4 * MINUTE + 5_000],
    ] as const),
  )
  const { compared, mismatches } = check(played(['A', 0], ['B', MINUTE], ['C', 4 * MINUTE + 5_000]), sound)
  t.same(mismatches, [])
  t.ok(compared >= 4)
})

t.test('another track, or another moment, is a mismatch', async (t) => {
  const sound = recorded(['track', 'A', 0], ['track', 'B', MINUTE], ['track', 'C', 2 * MINUTE])
  const other = check(played(['A', 0], ['X', MINUTE], ['C', 2 * MINUTE]), sound).mismatches
  t.match(other[0], { engine: { title: 'X' }, recording: { title: 'B' } })
  const late = check(played(['A', 0], ['B', MINUTE + 5_000], ['C', 2 * MINUTE]), sound).mismatches
  t.match(late, [{ atMs: MINUTE + 1_000, engine: { title: 'A' }, recording: { title: 'B' } }])
})

t.test('time without a recording is not compared', async (t) => {
  const sound = { ...recorded(['track', 'A', 0]), pieces: [] }
  t.same(check(played(['X', 0]), sound), { compared: 0, mismatches: [] })
})
