/** Four levels are the most that any body of the contract has. */
const MAX_DEPTH = 16
/** A batch names 20 000 songs, lyrics have 5 000 lines of two fields each. */
const MAX_VALUES = 40_000

/**
 * Whether a JSON text holds more than any body of the contract: within its bound in bytes it could still be nested, or
 * strewn with names, so that taking it apart keeps the process from everything else. What is no JSON gives any answer.
 */
export function isTooComplex(json: string): boolean {
  let depth = 0
  let values = 0
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case '"':
        at = endOfText(json, at)
        break
      case '[':
      case '{':
        if (++depth > MAX_DEPTH) return true
        break
      case ']':
      case '}':
        depth--
        break
      case ',':
        if (++values > MAX_VALUES) return true
    }
  }
  return false
}

/** Where the text that begins here ends. */
function endOfText(json: string, begin: number): number {
  let at = begin + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}
