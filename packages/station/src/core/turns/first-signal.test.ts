import { getEventListeners } from 'node:events'
import t from 'tap'
import { withFirstOf } from './first-signal.ts'

t.test('the first of the signals aborts with its reason', async (t) => {
  const [one, two] = [new AbortController(), new AbortController()]
  await withFirstOf([one.signal, two.signal], async (first) => {
    t.equal(first.aborted, false)
    two.abort('second')
    one.abort('first')
    t.equal(first.reason, 'second')
  })
})

t.test('one that has aborted already counts', (t) =>
  withFirstOf([new AbortController().signal, AbortSignal.abort('before')], async (first) =>
    t.equal(first.reason, 'before'),
  ),
)

t.test('nothing is left at a signal that lives on', async (t) => {
  const { signal } = new AbortController()
  const left = () => getEventListeners(signal, 'abort').length
  t.equal(await withFirstOf([signal], async () => left()), 1)
  await t.rejects(
    withFirstOf([signal], async () => {
      throw new Error('refused')
    }),
    /refused/,
  )
  t.equal(left(), 0)
})
