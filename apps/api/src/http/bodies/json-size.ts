/** No body of the contract is nested deeper than four levels. */
const MAX_DEPTH = 16
/** A batch names 20 000 tracks, lyrics have 5 000 lines of two fields each. */
const MAX_VALUES = 40_000

/**
 * True when a JSON text is nested deeper, or has more values, than any body of the contract. Within the limit of bytes such a
 * text could still block the process while it is parsed. The result for invalid JSON is undefined.
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

/** Index of the quote that ends the text beginning at `begin`. */
function endOfText(json: string, begin: number): number {
  let at = begin + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}
