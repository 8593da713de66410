import t from 'tap'
import { RecordingHead } from './microphone-relay.ts'

t.test('the head of a recording is everything before its first cluster, however it is cut', async (t) => {
  const head = Buffer.from('1a45dfa301020304', 'hex')
  const recording = Buffer.concat([head, Buffer.from('1f43b67599', 'hex'), Buffer.alloc(100, 7)])
  for (const size of [1, 5, 10, 200]) {
    const kept = new RecordingHead()
    kept.follow(Buffer.alloc(50, 9))
    for (let at = 0; at < recording.length; ) {
      // The first piece has the whole of what tells that it is the first.
      const end = at + (at === 0 ? Math.max(4, size) : size)
      kept.follow(recording.subarray(at, end))
      at = end
    }
    t.same(kept.bytes(), head, `pieces of ${size}`)
    kept.follow(Buffer.concat([head, Buffer.alloc(70_000)]))
    t.equal(kept.bytes().length, 0, 'that is no head of a recording')
  }
})
