import type { ClipFamily } from '@solstice/contracts'
import t, { type Test } from 'tap'
import { type ClipStage, type ClipUploadDeps, createClipUploads } from './clip-uploads.ts'
import { peaksOf } from './sound-shape.ts'

/** A station that knows some names, and clips of a given length. */
function open(t: Test, { taken = [], durationS = 1 }: { taken?: string[]; durationS?: number | null }) {
  const sent: string[] = []
  const closing = new AbortController()
  t.teardown(() => closing.abort())
  const uploads = createClipUploads({
    call: (async (_: string, { body }: { body: { filename: string } }) => ({
      exists: taken.includes(body.filename),
    })) as unknown as ClipUploadDeps['call'],
    upload: (async (key: string) => sent.push(key)) as unknown as ClipUploadDeps['upload'],
    measure: async () => durationS,
    closing: closing.signal,
  })
  const reached = (wanted: ClipStage['is']) =>
    new Promise<void>((resolve) => {
      const check = () => uploads.items.value.at(-1)?.stage.is === wanted && resolve()
      uploads.items.subscribe(check)
      check()
    })
  const add = async (family: ClipFamily, name: string, wanted: ClipStage['is'], isTrimmed = false) => {
    uploads.add(family, 'day', [new File(['x'], name)], isTrimmed)
    await reached(wanted)
  }
  return { uploads, sent, add, reached }
}

t.test('a phrase over five seconds is not sent until it is cut', async (t) => {
  const station = open(t, { durationS: 5.4 })
  await station.add('phrases', 'long.mp3', 'long')
  t.same(station.sent, [])
})

t.test('a phrase may last a quarter of a second longer, a jingle any time', async (t) => {
  await open(t, { durationS: 5.2 }).add('phrases', 'call.mp3', 'done')
  await open(t, { durationS: 90 }).add('jingles', 'call.mp3', 'done')
  await open(t, { durationS: null }).add('phrases', 'unknown.mp3', 'done')
})

t.test('any clip can be trimmed before it is sent, or sent as it is', async (t) => {
  const { uploads, sent, add, reached } = open(t, { durationS: 90 })
  await add('jingles', 'call.mp3', 'trim', true)
  t.same(sent, [])
  const [item] = uploads.items.value
  uploads.replace(item!.id, item!.bytes)
  await reached('done')
  t.same(sent, ['POST /api/admin/jingles/upload'])
  await open(t, { durationS: null }).add('jingles', 'unknown.mp3', 'done', true)
})

t.test('a name that is taken is not sent', async (t) => {
  const station = open(t, { taken: ['call.mp3'] })
  await station.add('jingles', 'call.mp3', 'duplicate')
  t.same(station.sent, [])
})

t.test('the loudest part of a sound fills its picture', async (t) => {
  const [quiet, loud] = peaksOf(Float32Array.of(0, 0.125, -0.5, 0.25), 2)
  t.same([quiet, loud], [0.25, 1])
  t.same(peaksOf(new Float32Array(4), 2), [0, 0], 'silence is flat')
})
