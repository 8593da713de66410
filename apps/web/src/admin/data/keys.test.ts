import t from 'tap'
import { isPressed } from './keys.ts'

const press = (key: string, code: string, shiftKey = false) => ({ key, code, shiftKey })

t.test('letters are known by their place, in any layout', async (t) => {
  t.ok(isPressed(press('a', 'KeyA'), 'a'))
  t.ok(isPressed(press('ф', 'KeyA'), 'a'))
  t.notOk(isPressed(press('A', 'KeyA', true), 'a'), 'with Shift it is another key')
})

t.test('/ and ? are told apart where both are on one key', async (t) => {
  t.ok(isPressed(press('/', 'Slash'), '/'))
  t.ok(isPressed(press('.', 'Slash'), '/'), 'in a Ukrainian layout')
  t.ok(isPressed(press('?', 'Slash', true), '?'))
  t.ok(isPressed(press(',', 'Slash', true), '?'), 'in a Ukrainian layout')
  t.notOk(isPressed(press('?', 'Slash', true), '/'))
  t.notOk(isPressed(press('/', 'Slash'), '?'))
  t.ok(isPressed(press('/', 'Digit7', true), '/'), 'in a German layout')
})

t.test('other keys are known by their name', async (t) => {
  t.ok(isPressed(press('Delete', 'Delete'), 'Delete'))
  t.notOk(isPressed(press('Backspace', 'Backspace'), 'Delete'))
})
