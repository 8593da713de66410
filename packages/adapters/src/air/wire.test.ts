import type { FrameChunk } from '@solstice/station'
import t from 'tap'
import { decodeChunk, encodeChunk } from './wire.ts'

const chunk: FrameChunk = {
  frame: 38,
  frames: 19,
  atMs: 1000,
  byte: 15_884,
  audio: Buffer.from([0xff, 0xfb]),
  markers: [{ frame: 40, entryId: null }],
}

t.test('a chunk is stored with its markers as cues, so that workers of any version read it', async (t) => {
  const fields = encodeChunk(chunk)
  t.same(JSON.parse(fields[1] as string), {
    frame: 38,
    frames: 19,
    atMs: 1000,
    byte: 15_884,
    cues: [{ frame: 40, entryId: null }],
  })
  t.same(decodeChunk(fields.map((field) => Buffer.from(field))), chunk)
})
