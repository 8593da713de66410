import t from 'tap'
import { addGroup, groupNaming, moveArtist, removeGroup, renameGroup, shiftGroup } from './board.ts'

const defs = { Calm: ['Hilda', 'Owl'], Lively: ['Oskar'] }

t.test('an artist is in one group, whatever the case of its letters', async (t) => {
  t.same(moveArtist(defs, 'hilda', 'Lively'), { Calm: ['Owl'], Lively: ['Oskar', 'hilda'] })
  t.same(moveArtist(defs, 'Owl', null), { Calm: ['Hilda'], Lively: ['Oskar'] })
  t.equal(groupNaming(defs, 'OSKAR'), 'Lively')
  t.equal(groupNaming(defs, 'Nobody'), null)
})

t.test('a renamed group keeps its place; a name that is taken, empty or a number is refused', async (t) => {
  t.same(Object.keys(renameGroup(defs, 'Calm', ' Slow  songs ')!), ['Slow songs', 'Lively'])
  t.equal(renameGroup(defs, 'Calm', 'lively'), null)
  t.equal(renameGroup(defs, 'Calm', '  '), null)
  t.equal(renameGroup(defs, 'Calm', '1980'), null)
  t.ok(renameGroup(defs, 'Calm', '1980s'))
  t.same(renameGroup(defs, 'Calm', 'CALM'), { CALM: ['Hilda', 'Owl'], Lively: ['Oskar'] })
})

t.test('a new group comes last, under a free name', async (t) => {
  t.same(
    addGroup({ 'Group 2': [] }, (n) => `Group ${n}`),
    [{ 'Group 2': [], 'Group 3': [] }, 'Group 3'],
  )
})

t.test('groups change places and go', async (t) => {
  t.same(Object.keys(shiftGroup(defs, 'Lively', -1)), ['Lively', 'Calm'])
  t.equal(shiftGroup(defs, 'Lively', 1), defs)
  t.same(removeGroup(defs, 'Calm'), { Lively: ['Oskar'] })
})
