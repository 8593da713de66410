import type { Algorithm } from './mode-fields.ts'

/** Tracks of three groups, as letters; a stroke begins a section. */
const examples: Record<Algorithm, string> = {
  simple: 'abbacabacbab',
  sections: '|abacab|abacab',
  groupSections: '|abc|bca|cab|bac',
}
const STEP = 17

/** An example of how tracks of three groups follow each other. */
export function AlgorithmDrawing({ algorithm }: { algorithm: Algorithm }) {
  let x = 4
  const shapes = [...examples[algorithm]].map((letter, i) => {
    if (letter === '|') {
      x += i ? 8 : 2
      return <line key={i} class="drawing-border" x1={x - 6} y1={2} x2={x - 6} y2={26} />
    }
    const at = x
    x += STEP
    if (letter === 'a') return <circle key={i} class="drawing-a" cx={at + 6} cy={14} r={6} />
    if (letter === 'b') return <rect key={i} class="drawing-b" x={at + 0.5} y={8.5} width={11} height={11} />
    return <path key={i} class="drawing-c" d={`M${at} 20 l6 -11 l6 11z`} />
  })
  return (
    <svg class="drawing" viewBox="0 0 250 28" aria-hidden="true">
      {shapes}
    </svg>
  )
}
