/** An element of EBML (RFC 8794), the format under WebM. */
export interface Element {
  id: number
  /** Start and end of its content; `end` is null when it ends with its parent. */
  start: number
  end: number | null
}

/** The element at an offset; `more` when it is cut off, null when there is none. */
export function elementAt(bytes: Buffer, at: number): Element | 'more' | null {
  const id = idAt(bytes, at)
  if (id === 'more' || !id) return id
  const first = bytes[id.end]
  if (first === undefined) return 'more'
  const length = Math.clz32(first) - 23
  if (length > 8) return null
  const start = id.end + length
  if (start > bytes.length) return 'more'
  const mask = 0xff >> length
  let value = first & mask
  let isUnknown = value === mask
  for (let i = id.end + 1; i < start; i++) {
    value = value * 256 + bytes[i]!
    isUnknown &&= bytes[i] === 0xff
  }
  if (isUnknown) return { id: id.id, start, end: null }
  return { id: id.id, start, end: start + value }
}

export function idAt(bytes: Buffer, at: number): { id: number; end: number } | 'more' | null {
  const first = bytes[at]
  if (first === undefined) return 'more'
  const length = Math.clz32(first) - 23
  if (length > 4) return null
  if (at + length > bytes.length) return 'more'
  return { id: bytes.readUIntBE(at, length), end: at + length }
}

/** The child elements of an element, up to the first malformed one. */
export function elementsOf(data: Buffer): { id: number; data: Buffer }[] {
  const elements: { id: number; data: Buffer }[] = []
  for (let at = 0; at < data.length; ) {
    const element = elementAt(data, at)
    if (!element || element === 'more' || element.end === null) break
    elements.push({ id: element.id, data: data.subarray(element.start, element.end) })
    at = element.end
  }
  return elements
}

export function numberIn(data: Buffer): number {
  return data.length === 0 ? 0 : data.readUIntBE(0, data.length)
}
