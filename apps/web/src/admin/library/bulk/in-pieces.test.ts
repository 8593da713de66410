import t from 'tap'
import { inPieces } from './in-pieces.ts'

const ids = ['a', 'b', 'c', 'd', 'e']

t.test('a batch is sent in pieces, in order, and tells how far it came', async (t) => {
  const sent: string[][] = []
  const told: number[] = []
  const echo = async (piece: string[]) => {
    sent.push(piece)
    return piece
  }
  const outcome = await inPieces(ids, 2, echo, (done) => told.push(done), new AbortController().signal)
  t.same(sent, [['a', 'b'], ['c', 'd'], ['e']])
  t.same(told, [2, 4, 5])
  t.same(outcome, { results: ids, error: null })
})

t.test('after a failure nothing more is sent, and what was done is known', async (t) => {
  const refused = new Error('quota')
  const send = async (piece: string[]) => {
    if (piece.includes('c')) throw refused
    return piece
  }
  t.same(await inPieces(ids, 2, send, () => {}, new AbortController().signal), {
    results: ['a', 'b'],
    error: refused,
  })
})

t.test('a batch that is stopped ends after the piece that was sent', async (t) => {
  const stopping = new AbortController()
  const outcome = await inPieces(
    ids,
    2,
    async (piece) => piece,
    () => stopping.abort(),
    stopping.signal,
  )
  t.same(outcome, { results: ['a', 'b'], error: null })
})
