import t from 'tap'
import { createToasts } from './toasts.ts'

const page = new EventTarget()
Object.assign(globalThis, {
  addEventListener: page.addEventListener.bind(page),
  removeEventListener: page.removeEventListener.bind(page),
})

t.test('the same message again replaces the former, and four are shown at most', async (t) => {
  const { show, shown, dismiss } = createToasts()
  for (const text of ['a', 'b', 'a', 'c', 'd', 'e']) show({ is: 'done', text }, 1)
  t.same(
    shown.value.map(({ text }) => text),
    ['a', 'c', 'd', 'e'],
  )
  dismiss(shown.value[1]!.id)
  t.same(
    shown.value.map(({ text }) => text),
    ['a', 'd', 'e'],
  )
})

t.test('the key of the newest message presses its button, once', async (t) => {
  const { show, act, shown } = createToasts()
  const done: string[] = []
  const removed = (text: string) => ({
    is: 'done' as const,
    text,
    action: { label: 'Undo', run: () => done.push(text) },
  })
  show(removed('a'), 1)
  show(removed('b'), 1)
  show({ is: 'note', text: 'no button' }, 1)
  act()
  t.same(done, ['b'])
  act()
  act()
  t.same(done, ['b', 'a'])
  t.equal(shown.value.length, 1)
})

t.test('what was undone in time is never done', async (t) => {
  const { soon, shown } = createToasts()
  const done: string[] = []
  soon(
    'Declined',
    'Undo',
    () => done.push('run'),
    () => done.push('undone'),
  )
  shown.value[0]!.action!.run()
  page.dispatchEvent(new Event('pagehide'))
  t.same(done, ['undone'])
  t.same(shown.value, [])
})

t.test('what was to be done soon is done when the page closes, once', async (t) => {
  const { soon } = createToasts()
  const done: string[] = []
  soon('Declined', 'Undo', () => done.push('run'))
  page.dispatchEvent(new Event('pagehide'))
  page.dispatchEvent(new Event('pagehide'))
  t.same(done, ['run'])
})
