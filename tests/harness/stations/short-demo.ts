import type { Ports, Processors } from '@solstice/adapters'
import { type Piece, pieces } from '@solstice/demo-music'
import { makeDemoLibrary } from '../../../apps/jobs/src/processors/demo/demo-library.ts'

/** Two pieces, one of each mode, cut to a bar. */
export const shortPieces: Piece[] = [
  pieces.find(({ mode }) => mode === 'day')!,
  pieces.find(({ mode }) => mode === 'night')!,
].map((piece) => {
  const { form } = piece.score
  return { ...piece, score: { ...piece.score, form: [{ ...form[0]!, bars: 1 }] } }
})

/** The job that makes the demo library, of short pieces. */
export const shortDemo = (ports: Ports): Pick<Processors, 'demo-library'> => ({
  'demo-library': (_, { stopping }) => makeDemoLibrary(ports, stopping, shortPieces),
})
