/** Takes the ICY blocks out of a stream whose bytes come cut anywhere; `interval` 0 = it has none. */
export function createTitleSplitter(
  interval: number,
  onTitle: (title: string) => void,
): (piece: Buffer) => Buffer {
  let soundLeft = interval
  let block: Buffer = Buffer.alloc(0)
  return (piece) => {
    if (interval === 0) return piece
    const sound: Buffer[] = []
    let at = 0
    while (at < piece.length) {
      if (soundLeft > 0) {
        const part = piece.subarray(at, at + soundLeft)
        sound.push(part)
        soundLeft -= part.length
        at += part.length
        continue
      }
      const needed = block.length === 0 ? 1 : 1 + block[0]! * 16 - block.length
      block = Buffer.concat([block, piece.subarray(at, at + needed)])
      at += needed
      if (block.length < 1 + block[0]! * 16) continue
      const title = /StreamTitle='(.*?)';/s.exec(block.toString('utf8', 1))?.[1]
      if (title !== undefined) onTitle(title)
      block = Buffer.alloc(0)
      soundLeft = interval
    }
    return Buffer.concat(sound)
  }
}
