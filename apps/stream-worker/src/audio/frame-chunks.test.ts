import t from 'tap'
import { log } from '../../../../tests/harness/audio/broadcasts.ts'
import { until } from '../../../../tests/harness/until.ts'
import { createFrameChunks } from './frame-chunks.ts'

t.test('while nothing can be published, about 30 s are kept and the oldest is dropped', async (t) => {
  const published: number[] = []
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const chunks = createFrameChunks({
    frame: 0,
    byte: 0,
    timeOf: (sample) => sample,
    stretchBefore: () => ({ number: 0, sample: 0 }),
    async publish(chunk) {
      await opened
      published.push(chunk.frame / 19)
    },
    onLost: () => t.fail('nothing was lost'),
    log,
  })
  for (let i = 0; i < 100 * 19; i++) chunks.add(Buffer.alloc(417))
  open()
  await opened
  await until('the last chunk is published', () => published.at(-1) === 99)
  t.strictSame(published, [0, ...Array.from({ length: 60 }, (_, i) => 40 + i)])
})
